import { sinceText } from "../../core/human-duration.ts";
import { printable } from "../../core/printable.ts";
import { textAt } from "../../core/read-json.ts";
import { eventTime } from "../../daemon/list-events.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { renderTable } from "./render-table.ts";

/** Events in a table as `kubectl events` shows them. */
export function renderEvents(events: readonly KubeObject[], nowMs: number): string {
  const rows = events.map((event) => {
    const object = `${textAt(event, "involvedObject", "kind") ?? ""}/${textAt(event, "involvedObject", "name") ?? ""}`;
    const texts = [
      event.metadata.namespace,
      textAt(event, "type"),
      textAt(event, "reason"),
      object,
      textAt(event, "message"),
    ];
    const [namespace = "", ...rest] = texts.map((text) => printable(text ?? ""));
    return [namespace, sinceText(eventTime(event), nowMs), ...rest];
  });
  return renderTable([["NAMESPACE", "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], ...rows]);
}

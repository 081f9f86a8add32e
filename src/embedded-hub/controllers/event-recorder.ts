import type { KubeObject } from "../../model/kubernetes.ts";
import { numberAt } from "../../core/read-json.ts";
import { eventNamePart } from "../../core/event-name.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { timestampOf } from "./controller-scope.ts";
import type { ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";

export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Writes core/v1 Events about objects; the same event again raises its count. Never throws: events are for people. */
export type EventRecorder = (about: KubeObject, event: RecordedEvent) => void;

/** Events of the last while are remembered by name, so that a repeated one is found without a search. */
const rememberedLimit = 1024;

/** `component` is the controller that the events come from. */
export function createEventRecorder(
  scope: Pick<ControllerScope, "operations" | "clock" | "log">,
  component: string,
): EventRecorder {
  const writer = hubWriter(scope.operations, component);
  const names = new Map<string, string>();
  let serial = 0;

  const record = async (about: KubeObject, event: RecordedEvent): Promise<void> => {
    const { namespace = "default", name, uid } = about.metadata;
    const now = timestampOf(scope.clock.nowMs());
    const key = [uid, event.type, event.reason, event.message].join("|");
    const known = names.get(key);
    const earlier = known === undefined ? undefined : writer.get("", "events", { namespace, name: known });
    if (earlier !== undefined) {
      await writer.update({ ...earlier, count: (numberAt(earlier, "count") ?? 1) + 1, lastTimestamp: now });
      return;
    }
    serial += 1;
    const suffix = (BigInt(scope.clock.nowMs()) * 1_000_000n + BigInt(serial)).toString(16);
    const created = eventAbout(about, event, {
      now,
      component,
      name: `${eventNamePart(name)}.${suffix}`,
      namespace,
    });
    const [oldest] = names.keys();
    if (names.size >= rememberedLimit && oldest !== undefined) names.delete(oldest);
    names.set(key, created.metadata.name);
    await writer.create(created);
  };

  // One after the other: two equal events at once would both search for an earlier one and find none.
  let last = Promise.resolve();
  return (about, event) => {
    last = last.then(() =>
      record(about, event).catch((error: unknown) => {
        // The namespace is being deleted, or a user deleted the event meanwhile.
        if (!isApiFailure(error, "Forbidden", "NotFound", "Conflict", "AlreadyExists")) {
          scope.log.warn("event could not be recorded", { reason: event.reason, error });
        }
      }),
    );
  };
}

function eventAbout(
  about: KubeObject,
  event: RecordedEvent,
  facts: { readonly now: string; readonly component: string; readonly name: string; readonly namespace: string },
): KubeObject {
  const { now, component, name, namespace } = facts;
  const { apiVersion, kind, metadata } = about;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: {
      apiVersion,
      kind,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
    ...event,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: "",
  };
}

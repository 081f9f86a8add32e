import { textAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";

export interface EventQuery {
  /** Absent: every namespace. */
  readonly namespace?: string;
  /** Only Events of this object; with its uid, none of another one that had its name before. */
  readonly regarding?: { readonly kind: string; readonly name: string; readonly uid?: string };
  readonly signal: AbortSignal;
}

/** The Events of objects of this project, oldest first. */
export async function listEvents(hubApi: KubeApi, { regarding, ...place }: EventQuery): Promise<readonly KubeObject[]> {
  const fieldSelector = regarding && `involvedObject.kind=${regarding.kind},involvedObject.name=${regarding.name}`;
  const query = { ...place, ...(fieldSelector === undefined ? {} : { fieldSelector }) };
  const { items } = await hubApi.list(resourceTypes.event, query);
  return items
    .filter((event) => (textAt(event, "involvedObject", "apiVersion") ?? "").startsWith("rollcall.dev/"))
    .filter((event) => isOfUid(event, regarding?.uid))
    .map((event) => ({ event, time: eventTime(event) ?? "" }))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    .map(({ event }) => event);
}

/** An Event that names no uid may be of any object of the name. */
function isOfUid(event: KubeObject, wanted: string | undefined): boolean {
  const uid = textAt(event, "involvedObject", "uid") ?? "";
  return wanted === undefined || uid === "" || uid === wanted;
}

/** When it was last seen (RFC 3339). */
export function eventTime(event: KubeObject): string | undefined {
  return (
    textAt(event, "series", "lastObservedTime") ??
    textAt(event, "lastTimestamp") ??
    textAt(event, "eventTime") ??
    textAt(event, "metadata", "creationTimestamp")
  );
}

import { isJsonEqual } from "../core/json.ts";
import { objectAt } from "../core/read-json.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** Fields of a Cluster that no document of another file is compared with. */
const ownFields: ReadonlySet<string> = new Set([
  "displayName",
  "heartbeat",
  "taints",
  "paused",
  "agent",
  "deletionPolicy",
  "placedResources",
  "deletionGracePeriod",
  "deletionProtection",
]);

/**
 * True when a Cluster in its new version means the same to all other documents: its name, its identity and its protocol are as
 * they were. Its labels, annotations and settings may differ.
 */
export function isSameToOthers(before: KubeObject, after: KubeObject): boolean {
  return isJsonEqual(sharedPartOf(before), sharedPartOf(after));
}

function sharedPartOf(object: KubeObject): unknown {
  const { metadata, ...rest } = object;
  const { labels: _labels, annotations: _annotations, ...place } = metadata;
  const spec = Object.entries(objectAt(object, "spec") ?? {}).filter(([field]) => !ownFields.has(field));
  return { ...rest, metadata: place, spec: Object.fromEntries(spec) };
}

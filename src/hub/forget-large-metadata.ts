import type { JsonObject } from "../core/json.ts";
import { objectAt } from "../core/read-json.ts";
import { clusternetKeys, clusternetTokenLabels } from "../model/dialects/clusternet.ts";
import { fleetKeys } from "../model/dialects/fleet.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { isWrittenByOthers } from "./forget-large-sets.ts";

/**
 * Of labels, annotations, finalizers, owners, and the labels that a request proposes. The policies for agents allow half of it:
 * what the hub itself has at an object stays.
 */
const mostEntries = 512;

/** Labels and annotations that this program reads, wherever they are among the others. */
const readKeys: ReadonlySet<string> = new Set(
  [labelKeys, annotationKeys, fleetKeys, clusternetKeys, clusternetTokenLabels].flatMap((keys) => Object.values(keys)),
);

/**
 * Forgets what is over a bound in the metadata of an object that others write. An API server bounds neither the number of labels
 * nor that of finalizers: 1.5 MiB have 150,000 of them, which take 6 MB in memory. Of the annotations of a namespace, which may
 * have 256 KiB, those stay that are read.
 */
export function forgetLargeMetadata(type: ResourceType, object: KubeObject): void {
  if (!isWrittenByOthers(type)) return;
  const { labels, annotations, finalizers = [], ownerReferences = [] } = object.metadata;
  if (isLarge(labels)) Object.assign(object.metadata, { labels: bounded(labels) });
  const mostAnnotations = type === resourceTypes.namespace ? 0 : mostEntries;
  if (isLarge(annotations, mostAnnotations))
    Object.assign(object.metadata, { annotations: bounded(annotations, mostAnnotations) });
  if (finalizers.length > mostEntries) Object.assign(object.metadata, { finalizers: finalizers.slice(0, mostEntries) });
  if (ownerReferences.length > mostEntries)
    Object.assign(object.metadata, { ownerReferences: ownerReferences.slice(0, mostEntries) });
  const proposed = objectAt(object, "spec", "clusterLabels");
  if (isLarge(proposed)) Object.assign(objectAt(object, "spec") ?? {}, { clusterLabels: bounded(proposed) });
}

function isLarge<T extends object>(map: T | undefined, most = mostEntries): map is T {
  return map !== undefined && Object.keys(map).length > most;
}

function bounded(map: JsonObject | Readonly<Record<string, string>>, most = mostEntries): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([key], index) => index < most || readKeys.has(key)));
}

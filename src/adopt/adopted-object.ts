import type { JsonObject } from "../core/json.ts";
import { clusternetKeys, clusternetNodeLabelPrefix } from "../model/dialects/clusternet.ts";
import { fleetKeys } from "../model/dialects/fleet.ts";
import { kubefleetKeys } from "../model/dialects/kubefleet.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { annotationKeys } from "../model/well-known.ts";
import type { AdoptResult } from "./adopt-source.ts";

/** Labels that programs of these projects maintain for themselves: no file declares them. */
const machineLabels: readonly string[] = [
  fleetKeys.cluster,
  fleetKeys.managed,
  fleetKeys.createdByAgentPod,
  "objectset.rio.cattle.io/hash",
  kubefleetKeys.memberName,
  ...Object.values(clusternetKeys),
];

/** The file that takes over a live object: its labels, its spec as it is there, and the annotation that allows the takeover. */
export function adoptedObject(live: KubeObject, spec: JsonObject): KubeObject {
  const { name, namespace, labels = {} } = live.metadata;
  const kept = Object.entries(labels).filter(([key]) => !isMachineLabel(key));
  return {
    apiVersion: live.apiVersion,
    kind: live.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(kept.length === 0 ? {} : { labels: Object.fromEntries(kept) }),
      annotations: { [annotationKeys.adopt]: "true" },
    },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

function isMachineLabel(key: string): boolean {
  return machineLabels.includes(key) || key.startsWith(clusternetNodeLabelPrefix);
}

/** Controllers write null and "" where nothing is meant. */
export function filledFields(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null && value !== ""));
}

export function refusedFields(fields: readonly string[]): AdoptResult {
  return {
    kind: "refused",
    reason: `it has fields that no file here can declare: ${fields.map((field) => `spec.${field}`).join(", ")}`,
    fix: "Remove the fields on the hub if they are not needed, and import again.",
  };
}

/** Fields that no file can declare; sorted. */
export function unknownFields(spec: JsonObject, known: readonly string[]): string[] {
  return Object.keys(spec)
    .filter((field) => !known.includes(field))
    .sort();
}

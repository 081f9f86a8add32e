import type { JsonObject } from "../../../core/json.ts";
import { isJsonEqual } from "../../../core/json.ts";
import { textAt } from "../../../core/read-json.ts";
import { clusterOfWorkingName, workingName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Heartbeat, StatusMirror } from "../../join.ts";
import { noOffboardingStatus, periodOfFile } from "../../neutral.ts";
import { memberFacts } from "./facts.ts";
import { memberStatusWrites } from "./status-writes.ts";

export const statusMirror = {
  heartbeatType: resourceTypes.lease,
  heartbeatRef: ({ workspace: namespace, name }) => ({ type: resourceTypes.lease, namespace, name: workingName(name) }),
  heartbeatIn,
  isOnlyHeartbeat,
  agentPeriodSeconds: periodOfFile,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  offboardingStatusWrites: noOffboardingStatus,
} satisfies StatusMirror;

/** A deleted Lease must be created again, and what an agent puts into the metadata of its Lease must be reverted. */
function isOnlyHeartbeat(before: KubeObject | undefined, object: KubeObject | undefined): boolean {
  return object !== undefined && (before === undefined || isJsonEqual(heldIn(before), heldIn(object)));
}

function heldIn({ metadata }: KubeObject): JsonObject {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  return {
    labels,
    annotations,
    finalizers: [...finalizers],
    ownerReferences: ownerReferences.map((one) => ({ ...one })),
  };
}

/** A cluster's Lease, by its name: the labels of a Lease are its agent's to change. */
function heartbeatIn(object: KubeObject): Heartbeat | undefined {
  const { name, namespace } = object.metadata;
  const marker = textAt(object, "spec", "renewTime");
  const cluster = clusterOfWorkingName(name);
  if (object.kind !== "Lease" || cluster === undefined || namespace === undefined || marker === undefined)
    return undefined;
  const heldMs = Date.parse(marker) - Date.parse(textAt(object, "spec", "acquireTime") ?? "");
  return { workspace: namespace, cluster, marker, ...(heldMs >= 0 ? { heldMs } : {}) };
}

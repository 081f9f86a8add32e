import { describeError } from "../../core/errors.ts";
import { numberAt, objectAt, objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import {
  nextRevision,
  progressDeadlineSeconds,
  revisionAnnotation,
  revisionOf,
  splitReplicaSets,
} from "./deployment-facts.ts";
import { progressing, statusWith, writeStatus } from "./deployment-parts.ts";
import type { DeploymentParts, OwnedSets } from "./deployment-parts.ts";
import { newSetSize } from "./deployment-scaling.ts";
import { newReplicaSet, withRevision } from "./deployment-sets.ts";
import { conditionOf } from "./deployment-status.ts";
import type { DeploymentCondition } from "./deployment-status.ts";

/** Finds or makes the set of the present template, gives it its revision, and records both in the status. */
export async function settleNewSet(
  parts: DeploymentParts,
  deployment: KubeObject,
  { sets, canCreate }: { readonly sets: readonly KubeObject[]; readonly canCreate: boolean },
): Promise<OwnedSets & { readonly deployment: KubeObject }> {
  const { newSet, oldSets } = splitReplicaSets(deployment, sets);
  const revision = nextRevision(oldSets);
  if (newSet === undefined) {
    if (!canCreate) return { deployment, newSet, oldSets };
    const created = await createNewSet(parts, deployment, { oldSets, revision });
    const condition = progressing(
      "NewReplicaSetCreated",
      `Created new replica set ${JSON.stringify(created.metadata.name)}`,
    );
    return { deployment: await recordNewSet(parts, deployment, created, condition), newSet: created, oldSets };
  }
  const minReadySeconds = numberAt(deployment, "spec", "minReadySeconds") ?? 0;
  const revised = withRevision(deployment, newSet, revision);
  if (revised !== newSet || (numberAt(newSet, "spec", "minReadySeconds") ?? 0) !== minReadySeconds) {
    const updated = await parts.writer.update({
      ...revised,
      spec: { ...objectAt(revised, "spec"), minReadySeconds },
    });
    return { deployment, newSet: updated, oldSets };
  }
  const hasProgress = conditionOf(objectsAt(deployment, "status", "conditions"), "Progressing") !== undefined;
  const condition = hasProgress
    ? undefined
    : progressing("FoundNewReplicaSet", `Found new replica set ${JSON.stringify(newSet.metadata.name)}`);
  return { deployment: await recordNewSet(parts, deployment, newSet, condition), newSet, oldSets };
}

async function createNewSet(
  parts: DeploymentParts,
  deployment: KubeObject,
  { oldSets, revision }: { readonly oldSets: readonly KubeObject[]; readonly revision: bigint },
): Promise<KubeObject> {
  const replicas = newSetSize(deployment, 0, oldSets);
  const wanted = newReplicaSet(deployment, replicas, revision);
  try {
    const created = await parts.writer.create(wanted);
    if (replicas > 0) {
      const message = `Scaled up replica set ${created.metadata.name} from 0 to ${replicas}`;
      parts.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message });
    }
    return created;
  } catch (error) {
    if (isApiFailure(error, "AlreadyExists")) {
      // Another template has the same hash, or the set is not ours: the next try hashes differently.
      const collisionCount = (numberAt(deployment, "status", "collisionCount") ?? 0) + 1;
      await writeStatus(parts, deployment, { ...objectAt(deployment, "status"), collisionCount });
    } else if (!isApiFailure(error, "Conflict")) await recordFailedCreate(parts, deployment, { wanted, error });
    throw error;
  }
}

async function recordFailedCreate(
  parts: DeploymentParts,
  deployment: KubeObject,
  { wanted, error }: { readonly wanted: KubeObject; readonly error: unknown },
): Promise<void> {
  const reason = "ReplicaSetCreateError";
  const cause = isApiFailure(error) ? error.status.message : describeError(error);
  const message = `Failed to create new replica set ${JSON.stringify(wanted.metadata.name)}: ${cause}`;
  parts.record(deployment, { type: "Warning", reason, message });
  if (progressDeadlineSeconds(deployment) === undefined) return;
  const condition: DeploymentCondition = { type: "Progressing", status: "False", reason, message };
  await writeStatus(parts, deployment, statusWith(parts, deployment, condition));
}

/** The deployment bears the revision of its new set; progress starts to count. */
async function recordNewSet(
  parts: DeploymentParts,
  deployment: KubeObject,
  newSet: KubeObject,
  condition: DeploymentCondition | undefined,
): Promise<KubeObject> {
  const revision = String(revisionOf(newSet));
  const annotations = deployment.metadata.annotations ?? {};
  const isCondition = condition !== undefined && progressDeadlineSeconds(deployment) !== undefined;
  if (annotations[revisionAnnotation] === revision && !isCondition) return deployment;
  const status = isCondition ? statusWith(parts, deployment, condition) : objectAt(deployment, "status");
  const metadata = { ...deployment.metadata, annotations: { ...annotations, [revisionAnnotation]: revision } };
  return parts.writer.update({ ...deployment, metadata, ...(status === undefined ? {} : { status }) }, "status");
}

import { isTrueAt, objectAt, objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerOf, controllerQueue, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { isRollingUpdate, progressDeadlineSeconds, specReplicas, splitReplicaSets } from "./deployment-facts.ts";
import { settleNewSet } from "./deployment-new-set.ts";
import { claimSets, dropOldSets, hasOldPods } from "./deployment-owned-sets.ts";
import { stateOf, statusWith, writeStatus } from "./deployment-parts.ts";
import type { DeploymentParts, OwnedSets } from "./deployment-parts.ts";
import { isScalingEvent, newSetSize, scaledSizes, shrunkOldSizes } from "./deployment-scaling.ts";
import type { Sizes } from "./deployment-scaling.ts";
import { withSize, withSizeAnnotations } from "./deployment-sets.ts";
import { conditionOf, isComplete, plainStatus, progressCheckInMs, rolloutStatus } from "./deployment-status.ts";
import type { DeploymentCondition } from "./deployment-status.ts";
import { createEventRecorder } from "./event-recorder.ts";
import { hubWriter } from "./hub-writer.ts";
import { followLabelSelection } from "./label-selection.ts";
import { requirementsOf } from "../selectors/object-selector.ts";
import { createStrayIndex } from "./stray-index.ts";

/** Rolls Deployments out over ReplicaSets. Source: Kubernetes, pkg/controller/deployment. */
export function startDeploymentController(scope: ControllerScope): Controller {
  const parts: DeploymentParts = {
    scope,
    writer: hubWriter(scope.operations, "deployment-controller"),
    record: createEventRecorder(scope, "deployment-controller"),
    strays: createStrayIndex(),
  };
  const queue = controllerQueue({ scope, name: "deployment", concurrency: 5, work: (key) => sync(parts, key) });

  followLabelSelection({
    scope,
    writer: parts.writer,
    selecting: { group: "apps", plural: "deployments" },
    selected: { group: "apps", plural: "replicasets" },
    requirementsOf: (deployment) => requirementsOf(objectAt(deployment, "spec", "selector")),
    concerns: ({ kind, object }) => kind !== "deleted" && controllerOf(object) === undefined,
    enqueue: (key) => queue.add(key),
  });
  scope.feed.on("apps", "replicasets", parts.strays.observe);
  scope.feed.on("apps", "replicasets", ({ object }) => {
    const { namespace = "" } = object.metadata;
    const owner = controllerOf(object);
    if (owner?.kind === "Deployment") queue.add(`${namespace}/${owner.name}`);
  });
  scope.feed.on("", "pods", ({ kind, object }) => {
    // Deployments that recreate wait for the last old Pod.
    const owner = controllerOf(object);
    if (kind !== "deleted" || owner?.kind !== "ReplicaSet") return;
    const { namespace = "" } = object.metadata;
    const set = parts.writer.get("apps", "replicasets", { namespace, name: owner.name });
    const deployment = set === undefined ? undefined : controllerOf(set);
    if (deployment?.kind === "Deployment") queue.add(`${namespace}/${deployment.name}`);
  });
  return { stop: () => queue.stop() };
}

async function sync(parts: DeploymentParts, key: string): Promise<number | undefined> {
  const read = parts.writer.get("apps", "deployments", splitQueueKey(key));
  if (read === undefined) return undefined;
  const selector = objectAt(read, "spec", "selector") ?? {};
  if (Object.keys(selector).length === 0) {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    parts.record(read, { type: "Warning", reason: "SelectingAll", message });
    return undefined;
  }
  const sets = await claimSets(parts, read);
  if (read.metadata.deletionTimestamp !== undefined) {
    await writeStatus(parts, read, plainStatus(stateOf(parts, read, splitReplicaSets(read, sets))));
    return undefined;
  }
  const deployment = await recordPause(parts, read);
  if (isTrueAt(deployment, "spec", "paused") || isScalingEvent(deployment, sets))
    return rescale(parts, deployment, sets);
  return isRollingUpdate(deployment) ? rollForward(parts, deployment, sets) : recreate(parts, deployment, sets);
}

async function rescale(parts: DeploymentParts, read: KubeObject, all: readonly KubeObject[]): Promise<undefined> {
  const { deployment, newSet, oldSets } = await settleNewSet(parts, read, { sets: all, canCreate: false });
  const isEverySetSized = [...oldSets, ...(newSet === undefined ? [] : [newSet])].filter(
    (set) => specReplicas(set) > 0,
  );
  const sizes = scaledSizes(deployment, newSet, oldSets);
  // Also sets that keep their size learn the new numbers: else every sync would take it for a change.
  const kept = isEverySetSized
    .filter(({ metadata }) => !sizes.has(metadata.name))
    .map((set) => [set.metadata.name, specReplicas(set)] as const);
  const sized = await resize(parts, deployment, { newSet, oldSets }, new Map([...sizes, ...kept]));
  if (isTrueAt(deployment, "spec", "paused")) await dropOldSets(parts, deployment, sized.oldSets);
  await writeStatus(parts, deployment, plainStatus(stateOf(parts, deployment, sized)));
  return undefined;
}

async function rollForward(
  parts: DeploymentParts,
  read: KubeObject,
  all: readonly KubeObject[],
): Promise<number | undefined> {
  const { deployment, newSet, oldSets } = await settleNewSet(parts, read, { sets: all, canCreate: true });
  if (newSet === undefined) return undefined;
  const wanted = newSetSize(deployment, specReplicas(newSet), oldSets);
  const sizes =
    wanted === specReplicas(newSet)
      ? shrunkOldSizes(deployment, newSet, oldSets)
      : new Map([[newSet.metadata.name, wanted]]);
  const sized = await resize(parts, deployment, { newSet, oldSets }, sizes);
  if (sizes.size === 0 && isComplete(deployment, objectAt(deployment, "status") ?? {})) {
    await dropOldSets(parts, deployment, oldSets);
  }
  return finishRollout(parts, deployment, sized);
}

async function recreate(
  parts: DeploymentParts,
  read: KubeObject,
  all: readonly KubeObject[],
): Promise<number | undefined> {
  const found = await settleNewSet(parts, read, { sets: all, canCreate: false });
  const shrunk = new Map(found.oldSets.filter((set) => specReplicas(set) > 0).map((set) => [set.metadata.name, 0]));
  if (shrunk.size > 0) {
    return finishRollout(parts, found.deployment, await resize(parts, found.deployment, found, shrunk));
  }
  if (hasOldPods(parts, found.oldSets)) return finishRollout(parts, found.deployment, found);
  const { deployment, newSet, oldSets } =
    found.newSet === undefined ? await settleNewSet(parts, found.deployment, { sets: all, canCreate: true }) : found;
  if (newSet === undefined) return undefined;
  const wanted = specReplicas(deployment);
  const sizes = specReplicas(newSet) === wanted ? new Map<string, number>() : new Map([[newSet.metadata.name, wanted]]);
  const sized = await resize(parts, deployment, { newSet, oldSets }, sizes);
  if (isComplete(deployment, objectAt(deployment, "status") ?? {})) await dropOldSets(parts, deployment, oldSets);
  return finishRollout(parts, deployment, sized);
}

async function finishRollout(
  parts: DeploymentParts,
  deployment: KubeObject,
  sets: OwnedSets,
): Promise<number | undefined> {
  const state = stateOf(parts, deployment, sets);
  const status = rolloutStatus(state);
  await writeStatus(parts, deployment, status);
  return progressCheckInMs(state, status);
}

/** A pause and its end show in the conditions, so that the time spent in it does not count against the deadline. */
async function recordPause(parts: DeploymentParts, deployment: KubeObject): Promise<KubeObject> {
  if (progressDeadlineSeconds(deployment) === undefined) return deployment;
  const current = conditionOf(objectsAt(deployment, "status", "conditions"), "Progressing");
  if (current?.["reason"] === "ProgressDeadlineExceeded") return deployment;
  const isPaused = isTrueAt(deployment, "spec", "paused");
  const isRecorded = current?.["reason"] === "DeploymentPaused";
  if (isPaused === isRecorded) return deployment;
  const condition: DeploymentCondition = {
    type: "Progressing",
    status: "Unknown",
    reason: isPaused ? "DeploymentPaused" : "DeploymentResumed",
    message: `Deployment is ${isPaused ? "paused" : "resumed"}`,
  };
  return parts.writer.update({ ...deployment, status: statusWith(parts, deployment, condition) }, "status");
}

async function resize(
  parts: DeploymentParts,
  deployment: KubeObject,
  sets: OwnedSets,
  sizes: Sizes,
): Promise<OwnedSets> {
  const one = async (set: KubeObject): Promise<KubeObject> => {
    const size = sizes.get(set.metadata.name);
    if (size === undefined) return set;
    const before = specReplicas(set);
    const wanted = withSizeAnnotations(size === before ? set : withSize(set, size), deployment);
    if (wanted === set) return set;
    const updated = await parts.writer.update(wanted);
    if (size !== before) {
      const direction = before < size ? "up" : "down";
      const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
      parts.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message });
    }
    return updated;
  };
  const oldSets = await Promise.all(sets.oldSets.map(one));
  return { newSet: sets.newSet === undefined ? undefined : await one(sets.newSet), oldSets };
}

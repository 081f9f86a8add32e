import { smallestOf } from "../../core/extremes.ts";
import { isJsonEqual } from "../../core/json.ts";
import { describeError } from "../../core/errors.ts";
import { numberAt, objectAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { controllerOf, controllerQueue, splitQueueKey, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { createEventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { followLabelSelection } from "./label-selection.ts";
import { isNamespaceEnding } from "./namespace-ending.ts";
import { matchesSelector, requirementsOf } from "../selectors/object-selector.ts";
import { isPodActive, podAvailableAtMs, sortForDeletion } from "./pod-facts.ts";
import { replicaStatus } from "./replica-status.ts";
import type { ReplicaFailure } from "./replica-status.ts";
import type { ReplicatedKind } from "./replicated-kinds.ts";
import { createStrayIndex } from "./stray-index.ts";
import type { StrayIndex } from "./stray-index.ts";

interface Parts {
  readonly replicated: ReplicatedKind;
  readonly scope: ControllerScope;
  readonly writer: HubWriter;
  readonly record: EventRecorder;
  readonly strays: StrayIndex;
}

const burstLimit = 500;

/** Keeps the number of Pods that objects of a kind ask for. Source: Kubernetes, pkg/controller/replicaset. */
export function startReplicaController(scope: ControllerScope, replicated: ReplicatedKind): Controller {
  const { group, plural, kind, controller, selectorOf } = replicated;
  const parts: Parts = {
    replicated,
    scope,
    writer: hubWriter(scope.operations, controller),
    record: createEventRecorder(scope, controller),
    strays: createStrayIndex(),
  };
  const queue = controllerQueue({ scope, name: plural, concurrency: 5, work: (key) => sync(parts, key) });

  followLabelSelection({
    scope,
    writer: parts.writer,
    selecting: { group, plural },
    selected: { group: "", plural: "pods" },
    requirementsOf: (set) => requirementsOf(selectorOf(set)),
    concerns: (event) => event.kind !== "deleted" && controllerOf(event.object) === undefined,
    enqueue: (key) => queue.add(key),
  });
  scope.feed.on("", "pods", parts.strays.observe);
  scope.feed.on("", "pods", ({ object }) => {
    const { namespace = "" } = object.metadata;
    const owner = controllerOf(object);
    if (owner?.kind === kind) queue.add(`${namespace}/${owner.name}`);
  });
  return { stop: () => queue.stop() };
}

async function sync(parts: Parts, key: string): Promise<number | undefined> {
  const { scope, writer, replicated } = parts;
  const set = writer.get(replicated.group, replicated.plural, splitQueueKey(key));
  if (set === undefined) return undefined;
  const claimed = await claimPods(parts, set);
  const failure = set.metadata.deletionTimestamp === undefined ? await manageReplicas(parts, set, claimed) : undefined;
  // A Pod that was just created or deleted enqueues this key again; the status counts the current Pods.
  const pods = podsOf(parts, set).filter(isPodActive);
  const nowMs = scope.clock.nowMs();
  const status = replicaStatus(set, pods, { nowMs, now: timestampOf(nowMs), failure: failure?.condition });
  if (!isJsonEqual(objectAt(set, "status") ?? {}, status)) await writer.update({ ...set, status }, "status");
  if (failure !== undefined) throw failure.error;
  const minReadySeconds = numberAt(set, "spec", "minReadySeconds") ?? 0;
  const waits = pods
    .map((pod) => podAvailableAtMs(pod, minReadySeconds))
    .filter((atMs) => atMs !== undefined && atMs > nowMs)
    .map((atMs) => (atMs ?? 0) - nowMs);
  return waits.length === 0 ? undefined : smallestOf(waits);
}

/** Active Pods of the set: those it controls and that still fit, and strays that fit, which it adopts. */
async function claimPods(parts: Parts, set: KubeObject): Promise<readonly KubeObject[]> {
  const { writer, replicated } = parts;
  const { namespace = "", uid = "", deletionTimestamp } = set.metadata;
  const selector = replicated.selectorOf(set);
  const owned = podsOf(parts, set).filter(isPodActive);
  const fitting = owned.filter((pod) => matchesSelector(selector, pod.metadata.labels));
  for (const pod of owned.filter((one) => !fitting.includes(one))) {
    const ownerReferences = (pod.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
    const { ownerReferences: _old, ...metadata } = pod.metadata;
    await writer.update({
      ...pod,
      metadata: ownerReferences.length === 0 ? metadata : { ...metadata, ownerReferences },
    });
  }
  if (deletionTimestamp !== undefined) return fitting;
  const turn = parts.scope.turns.begin();
  const adopted: KubeObject[] = [];
  for (const stray of parts.strays.namesIn(namespace)) {
    await turn();
    const pod = writer.get("", "pods", { namespace, name: stray });
    if (pod === undefined || !isPodActive(pod) || controllerOf(pod) !== undefined) continue;
    if (!matchesSelector(selector, pod.metadata.labels)) continue;
    const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownerOf(replicated, set)];
    adopted.push(await writer.update({ ...pod, metadata: { ...pod.metadata, ownerReferences } }));
  }
  return [...fitting, ...adopted];
}

async function manageReplicas(
  parts: Parts,
  set: KubeObject,
  pods: readonly KubeObject[],
): Promise<{ readonly condition: ReplicaFailure; readonly error: unknown } | undefined> {
  const wanted = numberAt(set, "spec", "replicas") ?? 1;
  const missing = Math.min(wanted - pods.length, burstLimit);
  try {
    if (missing > 0) await createPods(parts, set, missing);
    if (missing < 0) {
      const chosen = sortForDeletion(pods).slice(0, Math.min(-missing, burstLimit));
      await Promise.all(chosen.map((pod) => deletePod(parts, set, pod)));
    }
    return undefined;
  } catch (error) {
    // Nothing can be made in a namespace that is being deleted; it ends by itself.
    if (isNamespaceEnding(error)) return undefined;
    const message = isApiFailure(error) ? error.status.message : describeError(error);
    return { error, condition: { reason: missing > 0 ? "FailedCreate" : "FailedDelete", message: message ?? "" } };
  }
}

/** In batches of 1, 2, 4, ...: where all would fail the same way, few are tried. */
async function createPods(parts: Parts, set: KubeObject, count: number): Promise<void> {
  const pod = podFromTemplate(parts.replicated, set);
  let remaining = count;
  for (let batch = 1; remaining > 0; batch *= 2) {
    const size = Math.min(batch, remaining);
    const results = await Promise.allSettled(Array.from({ length: size }, () => createPod(parts, set, pod)));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    remaining -= size;
  }
}

async function createPod({ writer, record }: Parts, set: KubeObject, pod: KubeObject): Promise<void> {
  try {
    const created = await writer.create(pod);
    record(set, { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${created.metadata.name}` });
  } catch (error) {
    if (!isNamespaceEnding(error)) {
      const message = `Error creating: ${isApiFailure(error) ? error.status.message : describeError(error)}`;
      record(set, { type: "Warning", reason: "FailedCreate", message });
    }
    throw error;
  }
}

async function deletePod({ writer, record }: Parts, set: KubeObject, pod: KubeObject): Promise<void> {
  await writer.remove(pod);
  record(set, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${pod.metadata.name}` });
}

function ownerOf({ apiVersion, kind }: ReplicatedKind, { metadata: { name, uid = "" } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function podFromTemplate(replicated: ReplicatedKind, set: KubeObject): KubeObject {
  const { name, namespace } = set.metadata;
  const template = objectAt(set, "spec", "template");
  const annotations = textMapAt(template, "metadata", "annotations");
  const finalizers = textsAt(template, "metadata", "finalizers");
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      // The server makes the name from generateName.
      name: "",
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: textMapAt(template, "metadata", "labels"),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [ownerOf(replicated, set)],
    },
    spec: objectAt(template, "spec"),
  };
}

function podsOf({ scope, writer }: Parts, set: KubeObject): KubeObject[] {
  const { uid = "" } = set.metadata;
  return scope.owners
    .dependentsOf(uid)
    .filter(({ group, plural }) => group === "" && plural === "pods")
    .map(({ namespace, name }) => writer.get("", "pods", { namespace, name }))
    .filter((pod) => pod !== undefined)
    .filter((pod) => controllerOf(pod)?.uid === uid);
}

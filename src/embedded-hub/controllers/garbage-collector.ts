import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import { eachInTurns } from "./in-turns.ts";
import type { HubWriter } from "./hub-writer.ts";
import { foregroundFinalizer, isDeletingDependents, orphanFinalizer } from "./owner-index.ts";
import type { Dependent } from "./owner-index.ts";

interface Collector {
  readonly scope: ControllerScope;
  readonly writer: HubWriter;
  readonly add: (object: Pick<Dependent, "group" | "plural" | "namespace" | "name">) => void;
  /** Objects with an owner of a kind that is not served: requeued when a CRD changes. */
  readonly unresolved: Set<string>;
}

type OwnerState = "solid" | "waiting" | "dangling" | "unknown";

/**
 * Deletes objects whose owners are deleted, holds back owners deleted in the foreground until their dependents are
 * deleted, and detaches dependents from owners that orphan them. An owner is one with the uid that the reference names,
 * in the dependent's namespace or without one. Source: Kubernetes, pkg/controller/garbagecollector.
 */
export function startGarbageCollector(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "generic-garbage-collector");
  const unresolved = new Set<string>();
  const queue = controllerQueue({
    scope,
    name: "garbage-collector",
    concurrency: 20,
    work: (key) => collect(collector, key),
  });
  const collector: Collector = { scope, writer, unresolved, add: (object) => queue.add(collectorKey(object)) };

  scope.feed.onAny((event) => {
    const before = scope.owners.observe(event);
    if (event.kind === "added" && !event.mentions('"ownerReferences"') && !event.mentions('"deletionTimestamp"'))
      return;
    const { object } = event;
    const {
      namespace = "",
      name,
      uid = "",
      ownerReferences = [],
      finalizers = [],
      deletionTimestamp,
    } = object.metadata;
    const self = { group: event.group, plural: event.plural, namespace, name };
    if (event.kind === "deleted") {
      unresolved.delete(collectorKey(self));
      for (const dependent of scope.owners.dependentsOf(uid)) collector.add(dependent);
      for (const owner of ownerReferences) addWaitingOwner(collector, owner, namespace);
      return;
    }
    const isLeaving = deletionTimestamp !== undefined;
    if (isLeaving && (finalizers.includes(orphanFinalizer) || finalizers.includes(foregroundFinalizer))) {
      collector.add(self);
      if (isDeletingDependents(object)) {
        for (const dependent of scope.owners.dependentsOf(uid)) collector.add(dependent);
      }
    }
    if (event.kind === "added" || !hasSameOwners(before?.owners ?? [], ownerReferences)) {
      if (ownerReferences.length > 0) collector.add(self);
      for (const owner of before?.owners ?? []) addWaitingOwner(collector, owner, namespace);
    }
  });
  scope.feed.on("apiextensions.k8s.io", "customresourcedefinitions", () => {
    for (const key of unresolved) queue.add(key);
    unresolved.clear();
  });
  return { stop: () => queue.stop() };
}

async function collect(collector: Collector, key: string): Promise<void> {
  const { writer } = collector;
  const [group = "", plural = "", namespace = "", name = ""] = key.split("|");
  const object = writer.get(group, plural, namespace === "" ? { name } : { namespace, name });
  if (object === undefined) return;
  const { finalizers = [], deletionTimestamp, ownerReferences = [] } = object.metadata;
  if (deletionTimestamp !== undefined && finalizers.includes(orphanFinalizer))
    return orphanDependents(collector, object);
  if (isDeletingDependents(object)) return finishForeground(collector, object);
  if (deletionTimestamp !== undefined || ownerReferences.length === 0) return;

  const states = ownerReferences.map((owner) => ({ owner, state: ownerState(collector, owner, namespace) }));
  if (states.some(({ state }) => state === "unknown")) {
    collector.unresolved.add(key);
    return;
  }
  const lost = states.filter(({ state }) => state !== "solid");
  if (lost.length === 0) return;
  if (lost.length < states.length) {
    const solid = states.filter(({ state }) => state === "solid").map(({ owner }) => owner);
    await writer.update(withOwners(object, solid));
    return;
  }
  await deleteLost(
    collector,
    object,
    lost.some(({ state }) => state === "waiting"),
  );
}

/** Deletes an object without a solid owner, by the policy of its finalizers and its owners. */
async function deleteLost(collector: Collector, object: KubeObject, isOwnerWaiting: boolean): Promise<void> {
  const { finalizers = [], uid = "", resourceVersion } = object.metadata;
  const dependents = collector.scope.owners.dependentsOf(uid);
  let policy: "Background" | "Foreground" | "Orphan" = "Background";
  if (isOwnerWaiting && dependents.length > 0) {
    policy = "Foreground";
    // Two that own each other would wait for each other for ever.
    if (dependents.some((dependent) => dependent.isDeletingDependents)) {
      const owners = (object.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      await collector.writer.update(withOwners(object, owners));
      return;
    }
  } else if (finalizers.includes(orphanFinalizer)) policy = "Orphan";
  else if (finalizers.includes(foregroundFinalizer)) policy = "Foreground";
  await collector.writer.remove(object, {
    propagationPolicy: policy,
    ...(resourceVersion === undefined ? {} : { preconditions: { resourceVersion } }),
  });
}

/** Releases the owner when no dependent that blocks it is left. */
async function finishForeground(collector: Collector, owner: KubeObject): Promise<void> {
  const { uid = "" } = owner.metadata;
  const blocking = collector.scope.owners
    .dependentsOf(uid)
    .filter(({ owners }) => owners.some((one) => one.uid === uid && one.blockOwnerDeletion === true));
  if (blocking.length === 0) {
    await collector.writer.update(withoutFinalizer(owner, foregroundFinalizer));
    return;
  }
  for (const dependent of blocking) {
    if (!dependent.isDeletingDependents) collector.add(dependent);
  }
}

async function orphanDependents(collector: Collector, owner: KubeObject): Promise<void> {
  const { uid = "" } = owner.metadata;
  const { scope, writer } = collector;
  const detach = async ({ group, plural, namespace, name }: Dependent): Promise<void> => {
    const object = writer.get(group, plural, namespace === "" ? { name } : { namespace, name });
    const owners = object?.metadata.ownerReferences ?? [];
    if (object === undefined || !owners.some((one) => one.uid === uid)) return;
    await writer.update(
      withOwners(
        object,
        owners.filter((one) => one.uid !== uid),
      ),
    );
  };
  for (const failure of await eachInTurns(scope.turns, scope.owners.dependentsOf(uid), detach)) throw failure;
  await writer.update(withoutFinalizer(owner, orphanFinalizer));
}

function ownerState(collector: Collector, owner: OwnerReference, namespace: string): OwnerState {
  const definition = collector.scope.operations.definitionOfKind(owner.apiVersion, owner.kind);
  if (definition === undefined) return "unknown";
  // A cluster-scoped object cannot be owned by one in a namespace, because the namespace is unknown. It is not deleted.
  if (definition.isNamespaced && namespace === "") return "unknown";
  const found = readOwner(collector, definition, { owner, namespace });
  if (found === undefined || found.metadata.uid !== owner.uid) return "dangling";
  return isDeletingDependents(found) ? "waiting" : "solid";
}

function readOwner(
  { writer }: Collector,
  { group, plural, isNamespaced }: ResourceDefinition,
  { owner, namespace }: { readonly owner: OwnerReference; readonly namespace: string },
): KubeObject | undefined {
  return writer.get(group, plural, isNamespaced ? { namespace, name: owner.name } : { name: owner.name });
}

/** Requeues an owner that is being deleted in the foreground: its deletion may now be able to finish. */
function addWaitingOwner(collector: Collector, owner: OwnerReference, namespace: string): void {
  const definition = collector.scope.operations.definitionOfKind(owner.apiVersion, owner.kind);
  if (definition === undefined) return;
  const found = readOwner(collector, definition, { owner, namespace });
  if (found?.metadata.uid !== owner.uid || !isDeletingDependents(found)) return;
  const { group, plural, isNamespaced } = definition;
  collector.add({ group, plural, namespace: isNamespaced ? namespace : "", name: owner.name });
}

function withOwners(object: KubeObject, ownerReferences: OwnerReference[]): KubeObject {
  const { ownerReferences: _old, ...metadata } = object.metadata;
  return { ...object, metadata: ownerReferences.length === 0 ? metadata : { ...metadata, ownerReferences } };
}

function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const { finalizers = [], ...metadata } = object.metadata;
  const kept = finalizers.filter((one) => one !== finalizer);
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, finalizers: kept } };
}

function hasSameOwners(before: readonly OwnerReference[], after: readonly OwnerReference[]): boolean {
  const textOf = (owners: readonly OwnerReference[]) =>
    owners
      .map(({ uid, blockOwnerDeletion = false }) => `${uid} ${blockOwnerDeletion}`)
      .sort()
      .join();
  return textOf(before) === textOf(after);
}

function collectorKey({ group, plural, namespace, name }: Pick<Dependent, "group" | "plural" | "namespace" | "name">) {
  return [group, plural, namespace, name].join("|");
}

import { describeError } from "../../core/errors.ts";
import { isJsonEqual } from "../../core/json.ts";
import { objectsAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { controllerQueue, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { eachInTurns } from "./in-turns.ts";
import { namespaceConditions } from "./namespace-conditions.ts";
import type { NamespaceRest, RemainingKind } from "./namespace-conditions.ts";

const finalizer = "kubernetes";

/**
 * Empties namespaces that are being deleted: Pods first, then everything else, then the finalizer in their spec. What
 * remains, and why, is in their conditions. Source: Kubernetes, pkg/controller/namespace/deletion.
 */
export function startNamespaceController(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "namespace-controller");
  const terminating = new Set<string>();
  const queue = controllerQueue({ scope, name: "namespace", work: (name) => emptyNamespace(scope, writer, name) });

  scope.feed.on("", "namespaces", ({ kind, object }) => {
    const { name, deletionTimestamp } = object.metadata;
    if (kind === "deleted" || deletionTimestamp === undefined) terminating.delete(name);
    else {
      terminating.add(name);
      queue.add(name);
    }
  });
  scope.feed.onAny((event) => {
    // Only what leaves a terminating namespace, or loses a finalizer there, brings it further.
    if (terminating.size === 0 || event.kind === "added") return;
    const { namespace, finalizers = [] } = event.object.metadata;
    if (namespace === undefined || !terminating.has(namespace)) return;
    const before = event.previous?.metadata.finalizers ?? [];
    if (event.kind === "deleted" || finalizers.length < before.length) queue.add(namespace);
  });
  return { stop: () => queue.stop() };
}

async function emptyNamespace(scope: ControllerScope, writer: HubWriter, name: string): Promise<void> {
  const namespace = writer.get("", "namespaces", { name });
  if (namespace?.metadata.deletionTimestamp === undefined) return;
  const finalizers = textsAt(namespace, "spec", "finalizers");
  if (!finalizers.includes(finalizer)) return;

  const kinds = namespacedKinds(scope);
  const pods = kinds.filter(({ group, plural }) => group === "" && plural === "pods");
  const failures = await deleteAll(scope, writer, { kinds: pods, namespace: name });
  const hasPods = pods.some(({ group, plural }) => writer.list(group, plural, name).length > 0);
  if (!hasPods) for (const one of await deleteAll(scope, writer, { kinds, namespace: name })) failures.set(...one);

  // Kinds that failed are in a condition of their own.
  const remaining = remainingKinds(
    writer,
    kinds.filter((kind) => !failures.has(kind)),
    name,
  );
  const rest = { remaining, failures: [...failures.values()].map(messageOf) };
  const current = await writeConditions(scope, writer, { namespace, rest });
  for (const failure of failures.values()) throw failure;
  if (remaining.length > 0) return;
  const spec = { finalizers: finalizers.filter((one) => one !== finalizer) };
  await writer.update({ ...current, spec }, "finalize");
}

/** Every namespaced kind once, whatever versions it has. */
function namespacedKinds({ operations }: ControllerScope): ResourceDefinition[] {
  const byPrefix = new Map<string, ResourceDefinition>();
  for (const definition of operations.definitions()) {
    const { isNamespaced, storage, verbs } = definition;
    if (isNamespaced && verbs.includes("delete") && verbs.includes("list")) byPrefix.set(storage.prefix, definition);
  }
  return [...byPrefix.values()];
}

/** Resolves with the first failure of each kind whose objects could not all be deleted. */
async function deleteAll(
  { turns }: ControllerScope,
  writer: HubWriter,
  { kinds, namespace }: { readonly kinds: readonly ResourceDefinition[]; readonly namespace: string },
): Promise<Map<ResourceDefinition, unknown>> {
  const failures = new Map<ResourceDefinition, unknown>();
  for (const kind of kinds) {
    const objects = writer.list(kind.group, kind.plural, namespace);
    const alive = objects.filter((object) => object.metadata.deletionTimestamp === undefined);
    const [failure] = await eachInTurns(turns, alive, (one) => writer.remove(one, { propagationPolicy: "Background" }));
    if (failure !== undefined) failures.set(kind, failure);
  }
  return failures;
}

function messageOf(failure: unknown): string {
  return isApiFailure(failure) ? (failure.status.message ?? "") : describeError(failure);
}

function remainingKinds(
  writer: HubWriter,
  kinds: readonly ResourceDefinition[],
  namespace: string,
): readonly RemainingKind[] {
  return kinds.flatMap(({ group, plural }) => {
    const objects = writer.list(group, plural, namespace);
    const finalizers = objects.flatMap((object) => object.metadata.finalizers ?? []);
    return objects.length === 0 ? [] : [{ group, plural, count: objects.length, finalizers }];
  });
}

async function writeConditions(
  scope: ControllerScope,
  writer: HubWriter,
  { namespace, rest }: { readonly namespace: KubeObject; readonly rest: NamespaceRest },
): Promise<KubeObject> {
  const old = objectsAt(namespace, "status", "conditions");
  const conditions = namespaceConditions(old, rest, timestampOf(scope.clock.nowMs()));
  if (isJsonEqual(old, conditions)) return namespace;
  return writer.update({ ...namespace, status: { phase: "Terminating", conditions } }, "status");
}

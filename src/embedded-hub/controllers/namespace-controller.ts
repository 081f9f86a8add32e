import { isJsonEqual } from "../../core/json.ts";
import { objectsAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { controllerQueue, timestampOf } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { namespaceConditions } from "./namespace-conditions.ts";
import type { RemainingKind } from "./namespace-conditions.ts";

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
    const { namespace } = event.object.metadata;
    if (namespace !== undefined && terminating.has(namespace)) queue.add(namespace);
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
  await deleteAll(writer, pods, name);
  const hasPods = pods.some(({ group, plural }) => writer.list(group, plural, name).length > 0);
  if (!hasPods) await deleteAll(writer, kinds, name);

  const remaining = remainingKinds(writer, kinds, name);
  const current = await writeConditions(scope, writer, { namespace, remaining });
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

async function deleteAll(writer: HubWriter, kinds: readonly ResourceDefinition[], namespace: string): Promise<void> {
  const objects = kinds.flatMap(({ group, plural }) => writer.list(group, plural, namespace));
  const alive = objects.filter((object) => object.metadata.deletionTimestamp === undefined);
  await Promise.all(alive.map((object) => writer.remove(object, { propagationPolicy: "Background" })));
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
  state: { readonly namespace: KubeObject; readonly remaining: readonly RemainingKind[] },
): Promise<KubeObject> {
  const { namespace, remaining } = state;
  const old = objectsAt(namespace, "status", "conditions");
  const conditions = namespaceConditions(old, remaining, timestampOf(scope.clock.nowMs()));
  if (isJsonEqual(old, conditions)) return namespace;
  return writer.update({ ...namespace, status: { phase: "Terminating", conditions } }, "status");
}

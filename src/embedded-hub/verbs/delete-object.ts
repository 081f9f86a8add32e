import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { conflict, forbidden, notFound } from "../failures/failures.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { DeleteBody, Deleted, OperationContext, Target } from "../operations/operations.ts";
import type { StoredObject } from "../store/store.ts";
import { durably } from "./durably.ts";
import { gracePlan } from "./grace-plan.ts";
import type { HubScope } from "./hub-scope.ts";
import { hookContext, isUnchanged, keyOf, subjectOf, toStored } from "./hub-scope.ts";

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/**
 * DELETE: at once when nothing holds the object, else it is marked and waits for its finalizers or its grace period.
 * Source: k8s.io/apiserver, registry/generic Store.Delete.
 */
export async function deleteObject(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  body: DeleteBody,
): Promise<Deleted> {
  const { definition, namespace, name } = target;
  const refusal = context.isOfCollection === true ? undefined : definition.hooks.refusesDelete?.(name);
  if (refusal !== undefined) throw forbidden(subjectOf(definition, name), refusal);
  const isUndecided = body.propagationPolicy === undefined && body.orphanDependents === undefined;
  const warning = isUndecided ? definition.hooks.undecidedDeleteWarning : undefined;
  // Once for a whole collection.
  if (warning !== undefined && !context.warnings.includes(warning)) context.warnings.push(warning);
  return durably(scope.store, keyOf(definition, namespace, name), async () => {
    for (;;) {
      const deleted = await tryDelete(scope, context, target, body);
      if (deleted !== undefined) return deleted;
    }
  });
}

async function tryDelete(
  scope: HubScope,
  context: OperationContext,
  target: Target,
  body: DeleteBody,
): Promise<Deleted | undefined> {
  const { definition, namespace, name } = target;
  const stored = scope.store.getForWrite(keyOf(definition, namespace, name));
  if (stored === undefined) throw notFound(subjectOf(definition, name));
  const live = scope.views.show(definition, stored).object;
  checkPreconditions(target, body, live);
  const nowMs = scope.clock.nowMs();
  const grace = gracePlan({ definition, live, asked: body.gracePeriodSeconds, nowMs });
  if (grace.kind === "pending") return { object: live, isGone: false };
  await validateDelete(scope, context, target, { live, body });
  const finalizers = finalizersOf(target, body, live);
  const wasDeleting = live.metadata.deletionTimestamp !== undefined;
  const isHeldByKind = definition.hooks.isHeld?.(live) === true;
  if (isHeldByKind && wasDeleting) return { object: live, isGone: false };
  const isHeld = finalizers.length > 0 || isHeldByKind;
  if (!isHeld && grace.kind === "none") return remove(scope, context, target, stored);
  const hooks = hookContext(scope, context);
  const { generation = 0 } = live.metadata;
  // Kinds that begin a delete in their own way do not count it.
  const isCounted = !wasDeleting && generation > 0 && definition.hooks.prepareForDelete === undefined;
  const marked: KubeObject = {
    ...live,
    metadata: {
      ...withFinalizers(live, finalizers).metadata,
      ...(isCounted ? { generation: generation + 1 } : {}),
      ...(grace.kind === "graceful"
        ? { deletionTimestamp: grace.deletionTimestamp, deletionGracePeriodSeconds: grace.seconds }
        : {
            deletionTimestamp: earlier(live.metadata.deletionTimestamp, formatTime(nowMs)),
            deletionGracePeriodSeconds: 0,
          }),
    },
  };
  const ready = wasDeleting ? marked : (definition.hooks.prepareForDelete?.(marked, hooks) ?? marked);
  // Watches see that a Pod is being deleted even when it is deleted at once.
  const isGone = grace.kind === "graceful" && grace.seconds === 0 && !isHeld;
  if (context.isDryRun) return { object: ready, isGone };
  // Equal content is not written: a delete that is under way already makes no event.
  if (isUnchanged(definition, stored, { live, ready })) return { object: live, isGone: false };
  const written = await scope.store.put(stored.key, toStored(definition, ready), stored.modRevision);
  if (written === undefined) return undefined;
  const shown = scope.views.show(definition, written).object;
  return isGone ? finish(scope, target, written, shown) : { object: shown, isGone: false };
}

/** Removes an object that was marked for it. When another delete came first, the object is deleted as it was to be. */
async function finish(
  scope: HubScope,
  { definition }: Target,
  written: StoredObject,
  shown: KubeObject,
): Promise<Deleted | undefined> {
  const deleted = await scope.store.delete(written.key, written.modRevision);
  if (deleted !== undefined) return { object: scope.views.show(definition, deleted).object, isGone: true };
  const isThere = scope.store.getForWrite(written.key)?.createRevision === written.createRevision;
  return isThere ? undefined : { object: shown, isGone: true };
}

async function remove(
  scope: HubScope,
  context: OperationContext,
  { definition }: Target,
  stored: StoredObject,
): Promise<Deleted | undefined> {
  if (context.isDryRun) return { object: scope.views.show(definition, stored).object, isGone: true };
  const deleted = await scope.store.delete(stored.key, stored.modRevision);
  return deleted === undefined ? undefined : { object: scope.views.show(definition, deleted).object, isGone: true };
}

function validateDelete(
  scope: HubScope,
  context: OperationContext,
  { definition, namespace, name }: Target,
  { live, body }: { readonly live: KubeObject; readonly body: DeleteBody },
): Promise<void> | void {
  return scope.admission.validate({
    operation: "DELETE",
    definition,
    name: context.isOfCollection === true ? "" : name,
    user: context.user,
    oldObject: live,
    isDryRun: context.isDryRun,
    options: deleteOptions(context, body),
    warnings: context.warnings,
    ...(namespace === undefined ? {} : { namespace }),
  });
}

function deleteOptions(context: OperationContext, body: DeleteBody): JsonObject {
  const { preconditions, propagationPolicy, orphanDependents, gracePeriodSeconds } = body;
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(context.isDryRun ? { dryRun: ["All"] } : {}),
  };
}

function checkPreconditions({ definition, name }: Target, { preconditions }: DeleteBody, live: KubeObject): void {
  // kube-apiserver keeps Events of both groups as one type.
  const group = definition.group === "events.k8s.io" ? "" : definition.group;
  const subject = { group, plural: definition.kind, name };
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== live.metadata.uid) {
    const text = `the UID in the precondition (${uid}) does not match the UID in record (${live.metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, text);
  }
  if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
    const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${live.metadata.resourceVersion}). The object might have been modified`;
    throw conflict(subject, text);
  }
}

/** The finalizers that remain: those for the garbage collector follow from how dependents are to be treated. */
function finalizersOf({ definition }: Target, body: DeleteBody, live: KubeObject): readonly string[] {
  const own = live.metadata.finalizers ?? [];
  const others = own.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  const { defaultPropagation = "Background", isWithoutDependents = false } = definition.hooks;
  const asked = policyOf(body) ?? policyOfFinalizers(own) ?? defaultPropagation;
  const policy = isWithoutDependents ? "Background" : asked;
  const wanted = policy === "Orphan" ? [orphanFinalizer] : policy === "Foreground" ? [foregroundFinalizer] : [];
  const finalizers = [...others, ...wanted];
  // The same ones stay in their order.
  const isSame = own.every((one) => finalizers.includes(one)) && finalizers.every((one) => own.includes(one));
  return isSame ? own : finalizers;
}

function policyOf({ propagationPolicy, orphanDependents }: DeleteBody): DeleteBody["propagationPolicy"] {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  return propagationPolicy;
}

function policyOfFinalizers(finalizers: readonly string[]): DeleteBody["propagationPolicy"] {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : undefined;
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: _, ...metadata } = object.metadata;
  if (finalizers.length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, finalizers: [...finalizers] } };
}

function earlier(first: string | undefined, second: string): string {
  return first === undefined || first > second ? second : first;
}

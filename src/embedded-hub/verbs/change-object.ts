import { appendAll } from "../../core/append-all.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { withoutTimeOnlyChange } from "../apply/server-side-apply.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { conflict, invalid, notFound, objectModified, storageError } from "../failures/failures.ts";
import { checkPathSegment } from "../../core/formats/kube-names.ts";
import {
  validateKubeFinalizers,
  validateMetadata,
  validateMetadataUpdate,
  warnOfFinalizers,
} from "../metadata/validate-metadata.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import type { OperationContext, Target, Written } from "../operations/operations.ts";
import type { FieldError } from "../schema/schema.ts";
import { parseVersion } from "../request/parse-version.ts";
import type { StoredObject } from "../store/store.ts";
import { durably } from "./durably.ts";
import type { HubScope } from "./hub-scope.ts";
import {
  hookContext,
  invalidSubjectOf,
  isUnchanged,
  keyOf,
  subjectOf,
  takesAnyFinalizer,
  toStored,
} from "./hub-scope.ts";
import { insertObject, isNameTaken } from "./insert-object.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import { prepareChange } from "./prepare-object.ts";
import { withoutDuplicateOwners, withRequestNamespace } from "./request-object.ts";
import { seenByAdmission } from "./scale-object.ts";
import { validateObject } from "./validate-object.ts";
import { whileCharged } from "./while-charged.ts";

export interface Change {
  readonly target: Target;
  /** What the object shall be, made from what it is; called again when another write came first. */
  readonly desired: (live: KubeObject | undefined) => KubeObject;
  /** The object must have this uid. */
  readonly uid?: string;
  /** An object that does not exist is created (server-side apply, some kinds' PUT). */
  readonly canCreate: boolean;
  /** Called before such a create; throws 403. */
  readonly authorizeCreate?: () => void;
  readonly options: AdmissionRequest["options"];
}

/**
 * The middle of every update and patch: read, make, admit, check versions, validate, write; after a concurrent write,
 * again. Source: k8s.io/apiserver, registry/generic Store.Update.
 */
export async function changeObject(scope: HubScope, context: OperationContext, change: Change): Promise<Written> {
  const { definition, namespace, name } = change.target;
  return durably(scope.store, keyOf(definition, namespace, name), async () => {
    for (;;) {
      const changed = await tryChange(scope, context, change);
      if (changed !== undefined) return changed;
    }
  });
}

async function tryChange(scope: HubScope, context: OperationContext, change: Change): Promise<Written | undefined> {
  const { definition, namespace, name } = change.target;
  const key = keyOf(definition, namespace, name);
  const stored = scope.store.getForWrite(key);
  if (stored === undefined) return createInstead(scope, context, change);
  const live = scope.views.show(definition, stored).object;
  checkUid(change, live.metadata.uid);
  const admitted = await admit(scope, context, change, { object: change.desired(live), live });
  const versioned = checkVersion(change.target, admitted, live);
  const finished = await finish(context, scope, change.target, { object: versioned, live });
  const isWhole = change.target.subresource === undefined;
  const { isDryRun } = context;
  const assigned = isWhole
    ? scope.admission.assign?.({ definition, object: finished, oldObject: live, isDryRun })
    : undefined;
  const ready = assigned ?? finished;
  try {
    const request: AdmissionRequest = {
      ...admissionOf(context, change),
      operation: "UPDATE",
      object: seenByAdmission(change.target, ready),
      oldObject: seenByAdmission(change.target, live),
    };
    await scope.admission.validate(request);
    const written = { ready, live, stored };
    return await whileCharged(scope.admission, request, () => write(scope, context, change.target, written));
  } finally {
    if (assigned !== undefined) scope.admission.release?.(assigned);
  }
}

/** Undefined: another write created the object meanwhile, so that it is one to change. */
async function createInstead(scope: HubScope, context: OperationContext, change: Change): Promise<Written | undefined> {
  const { target } = change;
  if (!change.canCreate) throw notFound(subjectOf(target.definition, target.name));
  checkUid(change, "");
  const object = change.desired(undefined);
  const { uid = "" } = object.metadata;
  if (uid !== "") {
    const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(subjectOf(target.definition, target.name), text);
  }
  const admitted = await admit(scope, context, change, { object, live: undefined });
  change.authorizeCreate?.();
  const insertion = { target, object: admitted, isNew: false, admissionRequest: admissionOf(context, change) };
  try {
    return { object: await insertObject(scope, context, insertion), isCreated: true };
  } catch (error) {
    if (isNameTaken(error)) return undefined;
    throw error;
  }
}

function checkUid({ uid, target: { definition, namespace, name } }: Change, found: string | undefined): void {
  if (uid === undefined || uid === found) return;
  const text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  throw conflict(subjectOf(definition, name), storageError(definition, `${namespace ?? ""}/${name}`, text));
}

async function admit(
  scope: HubScope,
  context: OperationContext,
  change: Change,
  { object, live }: { readonly object: KubeObject; readonly live: KubeObject | undefined },
): Promise<KubeObject> {
  const admitted = await scope.admission.mutate({
    ...admissionOf(context, change),
    operation: live === undefined ? "CREATE" : "UPDATE",
    object,
    ...(live === undefined ? {} : { oldObject: live }),
  });
  return withoutDuplicateOwners(admitted, context.warnings, "after admission");
}

function admissionOf(context: OperationContext, { target, options }: Change): Omit<AdmissionRequest, "operation"> {
  const { definition, namespace, name, subresource } = target;
  const { user, isDryRun, warnings, annotate } = context;
  return {
    definition,
    name,
    user,
    isDryRun,
    options,
    warnings,
    ...(annotate === undefined ? {} : { annotate }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Optimistic locking: a version that is named must be the current one. */
function checkVersion({ definition, name }: Target, object: KubeObject, live: KubeObject): KubeObject {
  const { resourceVersion = "" } = object.metadata;
  const parsed = parseVersion(resourceVersion);
  if (parsed.kind === "fault") throw new ApiFailure(500, "", parsed.fault);
  const { resourceVersion: current = "" } = live.metadata;
  if (parsed.revision !== 0) {
    if (String(parsed.revision) !== current) throw objectModified(subjectOf(definition, name));
    return { ...object, metadata: { ...object.metadata, resourceVersion: current } };
  }
  if (!(definition.hooks.canUpdateUnconditionally ?? !definition.isCustom)) {
    const { group, plural } = definition;
    const error: FieldError = {
      field: "metadata.resourceVersion",
      reason: "FieldValueInvalid",
      message: "Invalid value: 0: must be specified for an update",
    };
    throw invalid({ group, kind: plural, name }, [error]);
  }
  return { ...object, metadata: { ...object.metadata, resourceVersion: current } };
}

/** Reverts immutable fields, and validates. */
async function finish(
  context: OperationContext,
  scope: HubScope,
  target: Target,
  change: { readonly object: KubeObject; readonly live: KubeObject },
): Promise<KubeObject> {
  const { definition, namespace, subresource } = target;
  const { live } = change;
  const hooks = hookContext(scope, context, subresource);
  const placed = withRequestNamespace(change.object, namespace);
  const prepared = prepareChange(definition, { object: placed, live }, hooks);
  const common = validateMetadata(prepared, definition.isNamespaced, checkPathSegment);
  const changes = validateMetadataUpdate(prepared, live);
  // kube-apiserver names these faults once for all kinds, and again for each; so does the list of causes.
  const finalizers = takesAnyFinalizer(definition) ? [] : validateKubeFinalizers(prepared);
  const again = takesAnyFinalizer(definition) ? changes : [...changes, ...finalizers, ...common, ...finalizers];
  const earlier = [...common, ...changes, ...again];
  const errors = await validateObject(definition, { object: prepared, old: live, context: hooks, earlier });
  if (errors.length > 0) throw invalid(invalidSubjectOf(definition, prepared), errors);
  if (definition.isCustom) appendAll(context.warnings, warnOfFinalizers(prepared, live));
  return asKubeObject(withoutTimeOnlyChange(asJson(live), asJson(prepared)));
}

async function write(
  scope: HubScope,
  context: OperationContext,
  { definition }: Target,
  { ready, live, stored }: { readonly ready: KubeObject; readonly live: KubeObject; readonly stored: StoredObject },
): Promise<Written | undefined> {
  if (isFinished(ready, live) && definition.hooks.isHeld?.(ready) !== true) {
    if (context.isDryRun) return { object: ready, isCreated: false };
    const deleted = await scope.store.delete(stored.key, stored.modRevision);
    return deleted === undefined ? undefined : { object: ready, isCreated: false };
  }
  if (context.isDryRun) return { object: ready, isCreated: false };
  const kept = withoutLink(ready);
  // Equal content is not written: no revision, no event.
  if (isUnchanged(definition, stored, { live, ready: kept })) return { object: live, isCreated: false };
  const written = await scope.store.put(stored.key, toStored(definition, kept), stored.modRevision);
  return written === undefined ? undefined : { object: scope.views.show(definition, written).object, isCreated: false };
}

/** What was once the path of an object is not stored. */
function withoutLink(object: KubeObject): KubeObject {
  const { selfLink, ...metadata } = object.metadata as KubeObject["metadata"] & { readonly selfLink?: string };
  return selfLink === undefined ? object : { ...object, metadata };
}

/** The last finalizer of an object that is being deleted is removed: the object is deleted. */
function isFinished(object: KubeObject, live: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0 &&
    (object.metadata.finalizers ?? []).length === 0
  );
}

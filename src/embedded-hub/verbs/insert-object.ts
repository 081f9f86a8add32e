import { appendAll } from "../../core/append-all.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "../auth/auth.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { alreadyExists, invalid } from "../failures/failures.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { parseVersion } from "../request/parse-version.ts";
import type { OperationContext, Target } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { formatTime, generateName, makeUid } from "../metadata/system-fields.ts";
import { validateKubeFinalizers, validateMetadata, warnOfFinalizers } from "../metadata/validate-metadata.ts";
import { withDefaults } from "./decode-object.ts";
import { durably } from "./durably.ts";
import type { HubScope } from "./hub-scope.ts";
import { hookContext, invalidSubjectOf, keyOf, subjectOf, takesAnyFinalizer, toStored } from "./hub-scope.ts";
import { nameCheckOf } from "./name-check.ts";
import { prepareNew } from "./prepare-object.ts";
import { validateObject } from "./validate-object.ts";
import { whileCharged } from "./while-charged.ts";

/** How often a generated name is made anew when it exists already. */
const generateAttempts = 8;

export interface Insertion {
  readonly target: Omit<Target, "name">;
  /** After mutating admission, with the namespace of the request. */
  readonly object: KubeObject;
  /** A POST: an object with a resourceVersion cannot be new. */
  readonly isNew: boolean;
  readonly admissionRequest: Omit<AdmissionRequest, "object" | "operation">;
}

/** The last part of every create: name, system fields, defaults of the kind, validation, admission, the write. */
export async function insertObject(
  scope: HubScope,
  context: OperationContext,
  insertion: Insertion,
): Promise<KubeObject> {
  const { generateName: base = "", name = "" } = insertion.object.metadata;
  if (base === "" || name !== "") return insertOnce(scope, context, insertion, insertion.object);
  for (let attempt = 1; ; attempt += 1) {
    const { metadata } = insertion.object;
    const named = { ...insertion.object, metadata: { ...metadata, name: generateName(base, scope.random) } };
    try {
      return await insertOnce(scope, context, insertion, named);
    } catch (error) {
      if (!isNameTaken(error) || attempt >= generateAttempts) throw error;
    }
  }
}

export function isNameTaken(error: unknown): boolean {
  return error instanceof ApiFailure && error.status.reason === "AlreadyExists";
}

async function insertOnce(
  scope: HubScope,
  context: OperationContext,
  { target, admissionRequest, isNew }: Insertion,
  object: KubeObject,
): Promise<KubeObject> {
  const { definition } = target;
  const hooks = hookContext(scope, context);
  const started = prepareNew(definition, withSystemFields(scope, context, object));
  // A status that was taken away has its defaults again.
  const prepared = definition.isCustom ? withDefaults(definition, started) : started;
  const completed = definition.hooks.prepareForCreate?.(prepared, hooks) ?? prepared;
  const earlier = [
    ...validateMetadata(completed, definition.isNamespaced, nameCheckOf(definition)),
    ...(takesAnyFinalizer(definition) ? [] : validateKubeFinalizers(completed)),
  ];
  const errors = await validateObject(definition, { object: completed, context: hooks, earlier });
  if (errors.length > 0) throw invalid(invalidSubjectOf(definition, completed), errors);
  if (definition.isCustom) appendAll(context.warnings, warnOfFinalizers(completed, undefined));
  const assigned = scope.admission.assign?.({ definition, object: completed, isDryRun: context.isDryRun });
  const ready = assigned ?? completed;
  try {
    return await store(
      scope,
      context,
      { target, admissionRequest, isNew },
      { ready, wasVersioned: isVersioned(object) },
    );
  } finally {
    if (assigned !== undefined) scope.admission.release?.(assigned);
  }
}

async function store(
  scope: HubScope,
  context: OperationContext,
  { target, admissionRequest, isNew }: Omit<Insertion, "object">,
  { ready, wasVersioned }: { readonly ready: KubeObject; readonly wasVersioned: boolean },
): Promise<KubeObject> {
  const { definition, namespace } = target;
  const name = ready.metadata.name ?? "";
  const request = { ...admissionRequest, operation: "CREATE", name, object: ready } as const;
  await scope.admission.validate(request);
  // A dry run stores nothing, and so does not find this.
  if (isNew && wasVersioned && !context.isDryRun) {
    throw new ApiFailure(500, "", "resourceVersion should not be set on objects to be created");
  }
  const key = keyOf(definition, namespace, name);
  const write = async (): Promise<KubeObject> => {
    scope.admission.confirm?.(request, (place) => readForWrite(scope, place));
    const existing = scope.store.getForWrite(key);
    if (existing !== undefined) throw exists(definition, existing.object);
    if (context.isDryRun) return ready;
    const written = await scope.store.put(key, toStored(definition, ready), 0);
    if (written === undefined) throw exists(definition, scope.store.getForWrite(key)?.object ?? ready);
    return scope.views.show(definition, written).object;
  };
  return durably(scope.store, key, () => whileCharged(scope.admission, request, write));
}

const readForWrite = (scope: HubScope, { group, plural, namespace, name }: Parameters<ReadObject>[0]) => {
  const definition = scope.registry.definitionOf(group, plural);
  const stored = definition && scope.store.getForWrite(keyOf(definition, namespace, name));
  return definition && stored && scope.views.show(definition, stored).object;
};

function isVersioned({ metadata }: KubeObject): boolean {
  const parsed = parseVersion(metadata.resourceVersion ?? "");
  return parsed.kind === "version" && parsed.revision !== 0;
}

function exists(definition: ResourceDefinition, existing: KubeObject): ApiFailure {
  const failure = alreadyExists(subjectOf(definition, existing.metadata.name));
  if (existing.metadata.deletionTimestamp === undefined) return failure;
  const { code, reason, message, details } = failure.status;
  return new ApiFailure(
    code,
    reason ?? "",
    `object is being deleted: ${message}`,
    details === undefined ? {} : { details },
  );
}

function withSystemFields(scope: HubScope, { isDryRun }: OperationContext, object: KubeObject): KubeObject {
  const { uid: _uid, resourceVersion = "", creationTimestamp: _created, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isDryRun && resourceVersion !== "" ? { resourceVersion } : {}),
      uid: makeUid(scope.random),
      creationTimestamp: formatTime(scope.clock.nowMs()),
    },
  };
}

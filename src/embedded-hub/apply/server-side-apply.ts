import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { ManagedFieldsEntry } from "../../model/kubernetes.ts";
import type { Schema } from "../schema/schema.ts";
import type { ConflictCause } from "./describe-conflicts.ts";
import { describeConflicts } from "./describe-conflicts.ts";
import type { FieldSet } from "./field-set.ts";
import { countFields, emptyFieldSet, hasPath, unionOf } from "./field-set.ts";
import { ownedByLastApplied, withLastApplied } from "./last-applied.ts";
import type { ManagerFields, Managers } from "./managed-fields.ts";
import {
  capUpdaters,
  decodeManagedFields,
  encodeManagedFields,
  managerKey,
  withoutUntracked,
  withSet,
} from "./managed-fields.ts";
import { mergeTypeOf } from "./merge-type.ts";
import { managedFieldsOf, metadataOf, withManagedFields } from "./object-metadata.ts";
import type { ApplyOutcome, VersionedTypes } from "./update-managers.ts";
import { applyIntent, updateManagers } from "./update-managers.ts";
import { typingError } from "./validate-typed.ts";

/** The kind, version and moment of a request. */
export interface ApplyContext {
  readonly apiVersion: string;
  readonly kind: string;
  /** The schema of the kind in `apiVersion`. */
  readonly schema: Schema;
  /** Schemas of other versions still served; without it every other version's managers are forgotten. */
  readonly schemaOfVersion?: (apiVersion: string) => Schema | undefined;
  /** An object of one version in the form of another one. Default: versions have one form. */
  readonly convert?: (object: JsonObject, from: string, to: string) => JsonObject;
  /** An object of the kind in which nothing is set, as the server would write it: `{apiVersion, kind}` for a custom kind. */
  readonly emptyObject: JsonObject;
  /** `status`, `scale`; absent for the object itself. */
  readonly subresource?: string;
  /** What this endpoint resets (`status` on the object itself): it is not owned by writing it. Default: nothing. */
  readonly resetFields?: FieldSet;
  /** RFC 3339 without fraction: when the request was made. */
  readonly time: string;
}

export interface ApplyRequest {
  /** Undefined when the object does not exist yet. */
  readonly live: JsonObject | undefined;
  readonly intent: JsonObject;
  readonly manager: string;
  readonly isForced: boolean;
  /** What the server does to every object after merging: normalising and defaulting. Default: nothing. */
  readonly complete?: (object: JsonObject) => JsonObject;
  /** Most values that the managed fields may have. Default: no limit. */
  readonly mostOwned?: number;
}

export type ApplyResult =
  | { readonly kind: "applied"; readonly object: JsonObject }
  /** 409, reason Conflict. */
  | { readonly kind: "conflict"; readonly message: string; readonly causes: readonly ConflictCause[] }
  /** 413: the managed fields would have more than `mostOwned` values. None of them is written out. */
  | { readonly kind: "tooLarge"; readonly message: string }
  /** 400, reason BadRequest. */
  | { readonly kind: "badRequest"; readonly message: string }
  /** 500 without reason: an API server answers so when the intent does not fit its schema. */
  | { readonly kind: "mismatch"; readonly message: string };

/**
 * Server-side apply: `intent` is all that `manager` wants. Fields it owned alone and does not name any more are removed;
 * fields of others that it would change are conflicts unless forced. The result carries managedFields.
 * Source: Kubernetes, server-side apply.
 */
export function applyObject(context: ApplyContext, request: ApplyRequest): ApplyResult {
  const { intent, manager, complete = (object: JsonObject) => object, mostOwned = Infinity } = request;
  const refusal = refuseIntent(context, request);
  if (refusal !== undefined) return refusal;
  const live = request.live ?? context.emptyObject;
  const decoded = decodeManagedFields(managedFieldsOf(live));
  if (decoded === undefined) return { kind: "mismatch", message: "failed to decode managed fields" };
  const liveObject = withManagedFields(live, undefined);
  const managers = decoded.size > 0 ? decoded : recordOwner(context, decoded, liveObject);
  const outcome = applyWithUpgrade(context, managers, { ...request, live: liveObject });
  if (outcome.kind === "conflicts") return { kind: "conflict", ...describeConflicts(outcome.conflicts) };

  const self = newEntry(context, manager, "Apply");
  const key = managerKey(self);
  let owners = withoutUntracked(outcome.managers, key);
  const entry = owners.get(key);
  if (countOwned(owners, mostOwned) > mostOwned) {
    const message = `Request entity too large: the managedFields have more than ${mostOwned} values`;
    return { kind: "tooLarge", message };
  }
  if (outcome.isChanged && entry !== undefined) owners = new Map([...owners, [key, { ...entry, time: context.time }]]);
  const object = outcome.isChanged ? complete(outcome.object) : liveObject;
  const result = withManagedFields(object, encodeManagedFields(owners));
  return { kind: "applied", object: manager === "kubectl" ? withLastApplied(result, intent) : result };
}

function countOwned(owners: Managers, limit: number): number {
  let count = 0;
  for (const { set } of owners.values()) {
    if (count > limit) return count;
    count += countFields(set, limit - count);
  }
  return count;
}

export interface UpdateRequest {
  /** Undefined for a create. */
  readonly before: JsonObject | undefined;
  /** The object as it is to be written, defaults included; its managedFields are those the client sent. */
  readonly after: JsonObject;
  /** `fieldManager` of the request, or the first part of its user agent. */
  readonly manager: string;
}

/** The object `after` with the managedFields of this write, after an update, a create or a plain patch. */
export function recordUpdate(context: ApplyContext, request: UpdateRequest): JsonObject {
  const { after } = request;
  const before = request.before ?? context.emptyObject;
  const managers = managersOfUpdate(context, before, after);
  const newObject = withManagedFields(after, undefined);
  // An object without owners (managedFields were reset) stays untracked until the first apply.
  if (managers.size === 0 && request.before !== undefined) return newObject;
  const isMisfit = [before, newObject].some((object) => misfit(context, object, true) !== undefined);
  if (isMisfit) return newObject;
  const recorded = recordChange(context, managers, {
    before: withManagedFields(before, undefined),
    after: newObject,
    manager: request.manager,
  });
  return withManagedFields(newObject, encodeManagedFields(capUpdaters(recorded)));
}

/**
 * `after`, or `before`'s managedFields with it when nothing but time stamps of managers changed: such a write is none.
 */
export function withoutTimeOnlyChange(before: JsonObject, after: JsonObject): JsonObject {
  const withoutTimes = (object: JsonObject): JsonObject =>
    withManagedFields(
      object,
      managedFieldsOf(object)?.map(({ time: _time, ...entry }) => entry),
    );
  const isSame = isJsonEqual(withoutTimes(before), withoutTimes(after));
  return isSame ? withManagedFields(after, managedFieldsOf(before)) : after;
}

function managersOfUpdate(context: ApplyContext, before: JsonObject, after: JsonObject): Managers {
  const none: Managers = new Map();
  const ofLive = decodeManagedFields(managedFieldsOf(before)) ?? none;
  // Managed fields of a subresource's request are ignored.
  if (context.subresource !== undefined && context.subresource !== "") return ofLive;
  const entries = managedFieldsOf(after);
  if (entries !== undefined && isReset(entries)) return none;
  const ofRequest = decodeManagedFields(entries);
  return ofRequest === undefined || ofRequest.size === 0 ? ofLive : ofRequest;
}

/** `[]` or `[{}]` asks to forget all managers. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return first === undefined || (entries.length === 1 && Object.keys(first).length === 0);
}

function refuseIntent(context: ApplyContext, { intent }: ApplyRequest): ApplyResult | undefined {
  const { apiVersion, kind } = intent;
  if (apiVersion !== context.apiVersion || kind !== context.kind) {
    return { kind: "badRequest", message: `invalid object type: ${describeKind(apiVersion, kind)}` };
  }
  const problem = misfit(context, intent, false);
  // Managed fields that cannot be read count as none.
  if (managedFieldsOf(intent) !== undefined && problem?.includes(".metadata.managedFields") !== true) {
    return { kind: "badRequest", message: "metadata.managedFields must be nil" };
  }
  if (problem === undefined) return undefined;
  const metadata = metadataOf(intent);
  const namespace = typeof metadata["namespace"] === "string" ? metadata["namespace"] : "";
  const name = typeof metadata["name"] === "string" ? metadata["name"] : "";
  return {
    kind: "mismatch",
    message: `failed to create typed patch object (${namespace}/${name}; ${describeKind(apiVersion, kind)}): ${problem}`,
  };
}

function describeKind(apiVersion: Json | undefined, kind: Json | undefined): string {
  const version = typeof apiVersion === "string" ? apiVersion : "";
  return `${version.includes("/") ? version : `/${version}`}, Kind=${typeof kind === "string" ? kind : ""}`;
}

function misfit(context: ApplyContext, object: JsonObject, allowsDuplicates: boolean): string | undefined {
  return typingError(mergeTypeOf(context.schema), object, { allowsDuplicates });
}

function typesOf(context: ApplyContext): VersionedTypes {
  const { apiVersion, schema, schemaOfVersion, resetFields = emptyFieldSet, convert = (object) => object } = context;
  return {
    apiVersion,
    resetFields,
    convert: (object, from, to) => (from === to ? object : convert(object, from, to)),
    schemaOfVersion: (version) => (version === apiVersion ? schema : schemaOfVersion?.(version)),
  };
}

function newEntry(context: ApplyContext, manager: string, operation: "Apply" | "Update"): ManagerFields {
  const { apiVersion, subresource = "" } = context;
  return { manager: manager === "" ? "unknown" : manager, operation, apiVersion, subresource, set: emptyFieldSet };
}

function recordOwner(context: ApplyContext, managers: Managers, live: JsonObject): Managers {
  return recordChange(context, managers, {
    before: context.emptyObject,
    after: live,
    manager: "before-first-apply",
  });
}

/** Compares under a name of its own, so that fields which the same manager owned before keep their time. */
function recordChange(
  context: ApplyContext,
  managers: Managers,
  change: { readonly before: JsonObject; readonly after: JsonObject; readonly manager: string },
): Managers {
  const self = newEntry(context, change.manager, "Update");
  const operationKey = "current-operation";
  const updated = updateManagers(typesOf(context), managers, { ...change, key: operationKey, self });
  const stripped = withoutUntracked(updated, operationKey);
  const taken = stripped.get(operationKey);
  const rest = withSet(stripped, operationKey, emptyFieldSet);
  if (taken === undefined) return rest;
  const key = managerKey(self);
  const set = unionOf(taken.set, rest.get(key)?.set ?? emptyFieldSet);
  return new Map([...rest, [key, { ...self, set, time: context.time }]]);
}

/** Fields that `kubectl apply` owned on the client's side are no conflicts for `kubectl apply --server-side`. */
function applyWithUpgrade(
  context: ApplyContext,
  managers: Managers,
  request: ApplyRequest & { readonly live: JsonObject },
): ApplyOutcome {
  const { live, intent, manager, isForced } = request;
  const entry = newEntry(context, manager, "Apply");
  const key = managerKey(entry);
  // An apply that changes nothing leaves the time of the last one that did.
  const time = managers.get(key)?.time;
  const self = time === undefined ? entry : { ...entry, time };
  const change = { live, intent, key, self };
  const outcome = applyIntent(typesOf(context), managers, { ...change, isForced });
  if (outcome.kind !== "conflicts" || manager !== "kubectl") return outcome;
  const allowed = ownedByLastApplied(mergeTypeOf(context.schema), live, context.apiVersion);
  if (allowed === undefined) return outcome;
  const conflicts = outcome.conflicts.filter(({ path }) => !hasPath(allowed, path));
  if (conflicts.length > 0) return { kind: "conflicts", conflicts };
  return applyIntent(typesOf(context), managers, { ...change, isForced: true });
}

// verbs: what can be done to objects, one verb a file. They see frozen objects and return new ones.
import { isJsonEqual } from "../../core/json.ts";
import type { Clock, Random } from "../../core/clock.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { FailureSubject, InvalidSubject } from "../failures/failures.ts";
import type { Admission } from "../operations/admission.ts";
import type { Answer, OperationContext, Selection } from "../operations/operations.ts";
import type { HookContext, ResourceDefinition } from "../operations/resource-definition.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import type { Store, StoredObject } from "../store/store.ts";
import type { Turns } from "../operations/turns.ts";
import { readBySchema } from "./read-by-schema.ts";
import type { ServedViews } from "./served-views.ts";

/** What every verb works with. */
export interface HubScope {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly views: ServedViews;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  /** Shared by all long work of the hub. */
  readonly turns: Turns;
  /** Kinds and subresources that store nothing, by `<group>/<plural>` or `<group>/<plural>/<subresource>`. */
  readonly answers: ReadonlyMap<string, Answer>;
}

export function keyOf(definition: ResourceDefinition, namespace: string | undefined, name: string): string {
  return `${definition.storage.prefix}${namespace ?? ""}/${name}`;
}

/** The keys of a namespace, or of all. */
export function prefixOf(definition: ResourceDefinition, namespace: string | undefined): string {
  const { prefix } = definition.storage;
  return namespace === undefined ? prefix : `${prefix}${namespace}/`;
}

/**
 * The keys among which a selection is: with a name those that begin with it, so that a thousand clients that each follow
 * one object do not read all of them.
 */
export function selectionPrefix(definition: ResourceDefinition, selection: Selection): string {
  const { namespace, name } = selection;
  const isOne = name !== undefined && isOfOneObject(definition, selection);
  return isOne ? keyOf(definition, namespace, name) : prefixOf(definition, namespace);
}

/** True for a selection of one name where one object can have it. */
export function isOfOneObject(definition: ResourceDefinition, { namespace, name }: Selection): boolean {
  return name !== undefined && (namespace !== undefined || !definition.isNamespaced);
}

export function subjectOf({ group, plural }: ResourceDefinition, name: string): FailureSubject {
  return { group, plural, name };
}

/** Custom objects are named by the kind they claim to be. */
export function invalidSubjectOf({ group }: ResourceDefinition, { kind, metadata }: KubeObject): InvalidSubject {
  // Both forms of an Event are core Events within.
  const shownGroup = group === "events.k8s.io" ? "" : group;
  return { group: shownGroup, kind, name: metadata.name ?? "" };
}

export function takesAnyFinalizer({ isCustom, hooks }: ResourceDefinition): boolean {
  return hooks.takesAnyFinalizer ?? isCustom;
}

export function hookContext(
  scope: HubScope,
  { user, warnings }: Pick<OperationContext, "user" | "warnings">,
  subresource?: string,
): HookContext {
  const now = formatTime(scope.clock.nowMs());
  return { now, user, warnings, ...(subresource === undefined ? {} : { subresource }) };
}

/** True when the definition serves the subresource `status`. */
export function hasStatus(definition: ResourceDefinition): boolean {
  return definition.subresources.some((subresource) => subresource.name === "status");
}

/**
 * True when a write would leave the object as it is stored. An object that was stored in another version of its kind, or
 * under another schema, is written anew even if clients see no difference: so a migration rewrites all of them.
 */
export function isUnchanged(
  definition: ResourceDefinition,
  stored: StoredObject,
  { live, ready }: { readonly live: KubeObject; readonly ready: KubeObject },
): boolean {
  if (!isJsonEqual(ready, live)) return false;
  const { apiVersion, toStored: convert } = definition.storage;
  const isShownAsStored = (live === stored.object && live.apiVersion === apiVersion) || convert !== undefined;
  return isShownAsStored || isJsonEqual(toStored(definition, ready), stored.object);
}

/** The object in the form it is stored in. */
export function toStored(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { storage } = definition;
  if (storage.toStored !== undefined) return storage.toStored(object);
  if (object.apiVersion === storage.apiVersion) return object;
  const converted = { ...object, apiVersion: storage.apiVersion };
  const schema = storage.current?.schemas.get(storage.apiVersion);
  return schema === undefined ? converted : readBySchema(converted, schema);
}

import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { Schema } from "../schema/schema.ts";
import type { Comparison } from "./compare-values.ts";
import { compareValues } from "./compare-values.ts";
import type { FieldSet, FieldSetBuilder } from "./field-set.ts";
import {
  differenceOf,
  emptyFieldSet,
  fieldSetBuilder,
  insertSet,
  intersectionOf,
  isFieldSetEmpty,
  pathsOf,
  recursiveDifferenceOf,
  unionOf,
} from "./field-set.ts";
import type { ManagerFields, Managers } from "./managed-fields.ts";
import { withSet } from "./managed-fields.ts";
import type { MergeType } from "./merge-type.ts";
import { mergeTypeOf } from "./merge-type.ts";
import { mergeValues } from "./merge-values.ts";
import type { Path } from "./path-element.ts";
import { reconcileFieldSet } from "./reconcile-field-set.ts";
import { fieldSetOfValue, withNamedFields, withoutItems } from "./value-field-set.ts";

/** Objects of one kind as one request sees them. */
export interface VersionedTypes {
  /** The version of the request. */
  readonly apiVersion: string;
  /** The schema of the kind in a version; undefined when the version is not served any more. */
  readonly schemaOfVersion: (apiVersion: string) => Schema | undefined;
  /** An object of one version in the form of another one. */
  readonly convert: (object: JsonObject, from: string, to: string) => JsonObject;
  /** What the request cannot change: it is never owned because of it. */
  readonly resetFields: FieldSet;
}

export interface Conflict {
  readonly owner: ManagerFields;
  readonly path: Path;
}

export type ApplyOutcome =
  | {
      readonly kind: "merged";
      readonly object: JsonObject;
      /** False: the object is what it was. Managers may differ nevertheless. */
      readonly isChanged: boolean;
      readonly managers: Managers;
    }
  | { readonly kind: "conflicts"; readonly conflicts: readonly Conflict[] };

/** The managers after `after` was written in place of `before` by the updater with this entry; it takes what changed. */
export function updateManagers(
  types: VersionedTypes,
  managers: Managers,
  change: {
    readonly before: JsonObject;
    readonly after: JsonObject;
    readonly key: string;
    readonly self: ManagerFields;
  },
): Managers {
  const { before, after, key, self } = change;
  const current = reconcileManagers(types, managers);
  const { remaining, comparison } = takeOver(types, current, { before, after });
  const own = remaining.get(key)?.set ?? emptyFieldSet;
  const set = recursiveDifferenceOf(
    unionOf(unionOf(differenceOf(own, comparison.removed), comparison.modified), comparison.added),
    types.resetFields,
  );
  return withSet(new Map([...remaining, [key, { ...self, set }]]), key, set);
}

/** Merges an intent into a live object for the applier with this entry. Both must be valid for their type. */
export function applyIntent(
  types: VersionedTypes,
  managers: Managers,
  change: {
    readonly live: JsonObject;
    readonly intent: JsonObject;
    readonly key: string;
    readonly self: ManagerFields;
    readonly isForced: boolean;
  },
): ApplyOutcome {
  const { live, intent, key, self, isForced } = change;
  const current = reconcileManagers(types, managers);
  const type = typeOfVersion(types, types.apiVersion) ?? mergeTypeOf({});
  const last = current.get(key);
  const set = recursiveDifferenceOf(fieldSetOfValue(type, intent), types.resetFields);
  const claimed = new Map([...current, [key, { ...self, set }]]);
  const merged = objectOf(mergeValues(type, live, intent));
  const object = last === undefined ? merged : prune(types, { merged, managers: claimed, last });
  const { remaining, conflicts } = takeOver(types, claimed, { before: live, after: object, key });
  if (!isForced && conflicts.length > 0) return { kind: "conflicts", conflicts };
  return { kind: "merged", object, isChanged: !isJsonEqual(live, object), managers: remaining };
}

function typeOfVersion(types: VersionedTypes, apiVersion: string): MergeType | undefined {
  const schema = types.schemaOfVersion(apiVersion);
  return schema === undefined ? undefined : mergeTypeOf(schema);
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function reconcileManagers(types: VersionedTypes, managers: Managers): Managers {
  const result = new Map<string, ManagerFields>();
  for (const [key, entry] of managers) {
    const type = typeOfVersion(types, entry.apiVersion);
    if (type !== undefined) result.set(key, { ...entry, set: reconcileFieldSet(type, entry.set) });
  }
  return result;
}

/** Takes what changed away from all managers but the one named by `key`. */
function takeOver(
  types: VersionedTypes,
  managers: Managers,
  change: { readonly before: JsonObject; readonly after: JsonObject; readonly key?: string },
): { readonly remaining: Managers; readonly conflicts: Conflict[]; readonly comparison: Comparison } {
  const comparisons = new Map<string, Comparison & { readonly written: FieldSet }>();
  const compareIn = (apiVersion: string): Comparison & { readonly written: FieldSet } => {
    const known = comparisons.get(apiVersion);
    if (known !== undefined) return known;
    const type = typeOfVersion(types, apiVersion) ?? mergeTypeOf({});
    const inVersion = (object: JsonObject): JsonObject => types.convert(object, types.apiVersion, apiVersion);
    const compared = compareValues(type, inVersion(change.before), inVersion(change.after));
    const comparison = withoutReset(compared, types.resetFields);
    // Made once for all managers of a version: an object may have thousands.
    const whole = { ...comparison, written: unionOf(comparison.modified, comparison.added) };
    comparisons.set(apiVersion, whole);
    return whole;
  };
  const remaining = new Map(managers);
  const keep = (key: string, entry: ManagerFields, set: FieldSet): void => {
    if (isFieldSetEmpty(set)) remaining.delete(key);
    else remaining.set(key, { ...entry, set });
  };
  const conflicts: Conflict[] = [];
  for (const [key, entry] of managers) {
    if (key === change.key) continue;
    const { removed, written } = compareIn(entry.apiVersion);
    const conflict = intersectionOf(entry.set, written);
    for (const path of pathsOf(conflict)) conflicts.push({ owner: entry, path });
    const set = differenceOf(differenceOf(entry.set, conflict), removed);
    if (set !== entry.set || isFieldSetEmpty(set)) keep(key, entry, set);
  }
  if (change.key !== undefined) {
    const own = remaining.get(change.key);
    if (own !== undefined) keep(change.key, own, own.set);
  }
  return { remaining, conflicts, comparison: compareIn(types.apiVersion) };
}

function withoutReset(comparison: Comparison, resetFields: FieldSet): Comparison {
  if (isFieldSetEmpty(resetFields)) return comparison;
  return {
    removed: recursiveDifferenceOf(comparison.removed, resetFields),
    modified: recursiveDifferenceOf(comparison.modified, resetFields),
    added: recursiveDifferenceOf(comparison.added, resetFields),
  };
}

/** Removes fields that the applier had last time, does not have this time, and no other manager owns. */
function prune(
  types: VersionedTypes,
  { merged, managers, last }: { merged: JsonObject; managers: Managers; last: ManagerFields },
): JsonObject {
  const { apiVersion } = last;
  const type = typeOfVersion(types, apiVersion);
  if (type === undefined || isFieldSetEmpty(last.set)) return merged;
  const whole = types.convert(merged, types.apiVersion, apiVersion);
  const lastSet = withNamedFields(type, last.set);
  let pruned = objectOf(withoutItems(type, whole, lastSet));
  for (const [version, owned] of ownedByVersion(managers, apiVersion)) {
    const inVersion = (object: JsonObject): JsonObject => types.convert(object, apiVersion, version);
    const parts = { merged: inVersion(whole), pruned: inVersion(pruned), owned };
    pruned = types.convert(addBackOwned(typeOfVersion(types, version), parts), version, apiVersion);
  }
  const mergedSet = withNamedFields(type, fieldSetOfValue(type, whole));
  const prunedSet = withNamedFields(type, fieldSetOfValue(type, pruned));
  const kept = objectOf(withoutItems(type, whole, intersectionOf(differenceOf(mergedSet, prunedSet), lastSet)));
  return types.convert(kept, apiVersion, types.apiVersion);
}

function addBackOwned(
  type: MergeType | undefined,
  { merged, pruned, owned }: { merged: JsonObject; pruned: JsonObject; owned: FieldSet },
): JsonObject {
  if (type === undefined) return pruned;
  const mergedSet = withNamedFields(type, fieldSetOfValue(type, merged));
  const prunedSet = withNamedFields(type, fieldSetOfValue(type, pruned));
  const kept = unionOf(prunedSet, withNamedFields(type, owned));
  return objectOf(withoutItems(type, merged, differenceOf(mergedSet, kept)));
}

/** What all managers own together, by version, `first` first. */
function ownedByVersion(managers: Managers, first: string): [string, FieldSet][] {
  const owned = new Map<string, FieldSetBuilder>();
  for (const { apiVersion, set } of managers.values()) {
    const ofVersion = owned.get(apiVersion) ?? fieldSetBuilder();
    insertSet(ofVersion, set);
    owned.set(apiVersion, ofVersion);
  }
  return [...owned].sort(([a], [b]) => Number(b === first) - Number(a === first));
}

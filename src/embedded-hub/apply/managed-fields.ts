import { isJsonObject } from "../../core/json.ts";
import type { ManagedFieldsEntry } from "../../model/kubernetes.ts";
import type { FieldSet, FieldSetBuilder } from "./field-set.ts";
import {
  differenceOf,
  emptyFieldSet,
  fieldSetBuilder,
  fieldSetOf,
  fromFieldsV1,
  insertSet,
  isFieldSetEmpty,
  toFieldsV1,
} from "./field-set.ts";
import { compareText } from "../schema/compare-text.ts";
import { fieldElement } from "./path-element.ts";

/** What one manager owns, in the version it wrote. */
export interface ManagerFields {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, seconds. */
  readonly time?: string;
  readonly set: FieldSet;
}

/** By {@link managerKey}. */
export type Managers = ReadonlyMap<string, ManagerFields>;

/** One entry per applier name, and per updater name and version; both per subresource. */
export function managerKey(entry: Omit<ManagerFields, "set" | "time">): string {
  const version = entry.operation === "Apply" ? "" : entry.apiVersion;
  return JSON.stringify([entry.manager, entry.operation, version, entry.subresource]);
}

/** The managers of an object, or undefined when its entries are malformed. */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | undefined): Managers | undefined {
  const managers = new Map<string, ManagerFields>();
  for (const entry of entries ?? []) {
    const decoded = decodeEntry(entry);
    if (decoded === undefined) return undefined;
    managers.set(managerKey(decoded), decoded);
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry): ManagerFields | undefined {
  const { manager = "", operation, apiVersion = "", subresource = "", fieldsType, fieldsV1, time } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
  const set = isJsonObject(fieldsV1) ? fromFieldsV1(fieldsV1) : emptyFieldSet;
  if (set === undefined) return undefined;
  return { manager, operation, apiVersion, subresource, set, ...(time === undefined ? {} : { time }) };
}

/** The entries of an object, in the order of Kubernetes; undefined when no manager owns a field. */
export function encodeManagedFields(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(compareManagers).map(({ set, time, subresource, ...entry }) => ({
    ...(entry.manager === "" ? {} : { manager: entry.manager }),
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(set),
    ...(subresource === "" ? {} : { subresource }),
  }));
}

function compareManagers(left: ManagerFields, right: ManagerFields): number {
  return (
    compareText(left.operation, right.operation) ||
    seconds(left) - seconds(right) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  );
}

function seconds({ time }: ManagerFields): number {
  if (time === undefined) return 0;
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? 0 : Math.floor(parsed / 1000);
}

const untracked = fieldSetOf(
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [fieldElement("metadata")],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => [fieldElement("metadata"), fieldElement(name)]),
);

/** The managers without untracked fields (name, uid, resourceVersion, ...) of one of them. */
export function withoutUntracked(managers: Managers, key: string): Managers {
  const entry = managers.get(key);
  if (entry === undefined) return managers;
  return withSet(managers, key, differenceOf(entry.set, untracked));
}

/** The managers with another set for one of them, or without it when the set is empty. */
export function withSet(managers: Managers, key: string, set: FieldSet): Managers {
  const result = new Map(managers);
  const entry = managers.get(key);
  if (isFieldSetEmpty(set) || entry === undefined) result.delete(key);
  else result.set(key, { ...entry, set });
  return result;
}

const maximumUpdaters = 10;

/** At most ten updaters: the oldest ones of a version become one entry named `ancient-changes`. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, entry]) => entry.operation === "Update");
  if (updaters.length <= maximumUpdaters) return managers;
  updaters.sort(([a, left], [b, right]) => seconds(left) - seconds(right) || compareText(a, b));
  const result = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  const gathered = new Map<string, FieldSetBuilder>();
  let count = updaters.length;
  for (const [key, entry] of updaters) {
    if (count <= maximumUpdaters) break;
    const { apiVersion } = entry;
    const bucket = { manager: "ancient-changes", operation: "Update", apiVersion, subresource: "" } as const;
    const bucketKey = managerKey(bucket);
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, key);
      continue;
    }
    const set = gathered.get(bucketKey) ?? fieldSetBuilder();
    if (!gathered.has(bucketKey)) {
      const bucketed = result.get(bucketKey) ?? result.get(first);
      if (bucketed !== undefined) insertSet(set, bucketed.set);
      gathered.set(bucketKey, set);
    }
    if (!result.has(bucketKey)) result.delete(first);
    result.delete(key);
    insertSet(set, entry.set);
    result.set(bucketKey, { ...bucket, set, ...(entry.time === undefined ? {} : { time: entry.time }) });
    count--;
  }
  return result;
}

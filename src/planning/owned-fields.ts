import type { Json, JsonObject } from "../core/json.ts";
import { canonicalJson, isJsonEqual, isJsonObject } from "../core/json.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import { ownValue } from "../core/own-value.ts";
import { parseJson } from "../core/parse-json.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";

/** One field that an apply would change. */
export interface FieldDifference {
  /** `spec.heartbeat.periodSeconds`, `metadata.labels[env]`. */
  readonly path: string;
  /** Undefined: the field is not there now. */
  readonly from?: unknown;
  /** Undefined: the field is removed. */
  readonly to?: unknown;
}

/** Where content came from is written with content, and never causes a write by itself. */
const provenance: ReadonlySet<string> = new Set([
  annotationKeys.sourceFile,
  annotationKeys.sourceLine,
  annotationKeys.sourceCommit,
]);

/**
 * What a server-side apply of `desired` by `manager` would change on `live`: fields that differ, and fields that the
 * manager owns and no longer wants. An empty answer means that the apply would write nothing and is not to be sent.
 * Source of the ownership format: Kubernetes API, meta/v1 FieldsV1.
 */
export function diffOwnedFields(
  desired: KubeObject,
  live: KubeObject,
  options: { readonly manager: string; readonly subresource?: "status" },
): FieldDifference[] {
  const owned = ownedFieldsOf(live, options);
  if (options.subresource === "status") {
    const differences: FieldDifference[] = [];
    const place = {
      wanted: desired["status"],
      actual: live["status"],
      owned: ownedBelow(owned, "f:status"),
      path: "status",
    };
    diffMap(place, differences);
    return differences;
  }
  const { metadata: desiredMeta, ...desiredRest } = desired;
  const { metadata: liveMeta, ...liveRest } = live;
  const wanted = { ...desiredRest, metadata: { labels: desiredMeta.labels, annotations: desiredMeta.annotations } };
  const actual = { ...liveRest, metadata: { labels: liveMeta.labels, annotations: liveMeta.annotations } };
  const differences: FieldDifference[] = [];
  diffMap({ wanted, actual, owned, path: "" }, differences);
  return differences.filter((difference) => !isListOfOthers(difference, live, owned));
}

/** True for an empty list where all items are other managers': an apply would write nothing. */
function isListOfOthers({ path, from, to }: FieldDifference, live: KubeObject, owned: JsonObject): boolean {
  if (!isEmptyList(to) || !Array.isArray(from)) return false;
  const names = path.split(".");
  const hasItems = (fields: JsonObject | undefined): boolean => {
    const list = names.reduce((above, name) => ownedBelow(above, `f:${name}`), fields);
    return itemKeysIn(list).length > 0;
  };
  return !hasItems(owned) && (live.metadata.managedFields ?? []).some(({ fieldsV1 }) => hasItems(fieldsV1));
}

/** What an apply of `desired` by the manager of git would change; the last answer for each object is remembered. */
export const diffGitFields = memoizeWeak((desired: KubeObject, live: KubeObject) =>
  diffOwnedFields(desired, live, { manager: fieldManagers.git }),
);

/** True when `manager` has applied this object before. */
export function isAppliedBy(live: KubeObject, manager: string): boolean {
  return (live.metadata.managedFields ?? []).some(
    (entry) => entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "",
  );
}

function ownedFieldsOf(live: KubeObject, options: { manager: string; subresource?: string }): JsonObject {
  const entry = (live.metadata.managedFields ?? []).find(
    (candidate) =>
      candidate.manager === options.manager &&
      candidate.operation === "Apply" &&
      (candidate.subresource ?? "") === (options.subresource ?? ""),
  );
  return entry?.fieldsV1 ?? {};
}

interface Place {
  readonly wanted: unknown;
  readonly actual: unknown;
  /** The owned set below this place; `{}` for a leaf that is owned as a whole. */
  readonly owned: JsonObject | undefined;
  readonly path: string;
}

function diffMap(place: Place, out: FieldDifference[]): void {
  const wanted = isJsonObject(place.wanted) ? place.wanted : {};
  const actual = isJsonObject(place.actual) ? place.actual : {};
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined || isIgnored(place.path, key)) continue;
    diffValue(
      {
        wanted: value,
        actual: ownValue(actual, key),
        owned: ownedBelow(place.owned, `f:${key}`),
        path: joinPath(place.path, key),
      },
      out,
    );
  }
  for (const key of namesIn(place.owned)) {
    if (ownValue(wanted, key) !== undefined || isIgnored(place.path, key)) continue;
    collectRemovals(
      {
        wanted: undefined,
        actual: ownValue(actual, key),
        owned: ownedBelow(place.owned, `f:${key}`),
        path: joinPath(place.path, key),
      },
      out,
    );
  }
}

function diffValue(place: Place, out: FieldDifference[]): void {
  const { wanted, actual, owned, path } = place;
  if (isJsonObject(wanted)) {
    const isOwnedWhole = owned !== undefined && Object.keys(owned).length === 0;
    if (isOwnedWhole) {
      if (!isJsonEqual(wanted, actual)) out.push({ path, from: actual, to: wanted });
      return;
    }
    if (Object.keys(wanted).length === 0 && owned === undefined && !isJsonObject(actual)) {
      out.push({ path, from: actual, to: wanted });
      return;
    }
    diffMap(place, out);
    return;
  }
  const isSame = Array.isArray(wanted) ? isArrayMet(wanted, actual, owned) : isJsonEqual(wanted, actual);
  if (!isSame) out.push({ path, from: actual, to: wanted });
  // Nothing owns an empty list. Source: structured-merge-diff, typed, toFieldSet.
  else if (owned === undefined && !isEmptyList(wanted)) out.push({ path, from: actual, to: wanted });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * An atomic list must be equal. A list map may have items of other managers and defaulted fields in ours: each wanted
 * item must be met by an actual one, and we own no item, and no field of one, that we do not want.
 */
function isArrayMet(wanted: readonly unknown[], actual: unknown, owned: JsonObject | undefined): boolean {
  if (!Array.isArray(actual)) return false;
  const itemKeys = itemKeysIn(owned);
  if (itemKeys.length === 0) return isJsonEqual(wanted, actual);
  const contents = itemKeys.map((key) => parseJson(key.slice(2)));
  const actualItems = indexItems(actual, contents[0]);
  const wantedItems = indexItems(wanted, contents[0]);
  const isEachMet = wanted.every((item) => actualItems(item).some((candidate) => isContained(item, candidate)));
  const isEachWanted = itemKeys.every((key, index) =>
    wantedItems(contents[index]).some(
      (item) => isContained(contents[index], item) && isAllWanted(ownedBelow(owned, key), item),
    ),
  );
  return isEachMet && isEachWanted && itemKeys.length >= wanted.length;
}

/**
 * Finds the items of a list that can contain another one: those with the same keys. `key` is the owned key of any item; an
 * item may leave out keys that have a default. Each item is read a few times, however long the list is.
 */
function indexItems(items: readonly unknown[], key: unknown): (item: unknown) => readonly unknown[] {
  const keyNames = isJsonObject(key) ? Object.keys(key) : undefined;
  const indexes = new Map<string, Map<string, unknown[]>>();
  const textOf = (item: unknown, names: readonly string[] | undefined): string =>
    canonicalJson(names !== undefined && isJsonObject(item) ? names.map((name) => item[name] ?? null) : item);
  return (item) => {
    const names = isJsonObject(item) ? keyNames?.filter((name) => item[name] !== undefined) : keyNames;
    const form = (names ?? []).join(" ");
    const known = indexes.get(form);
    const index = known ?? new Map<string, unknown[]>();
    if (known === undefined) {
      for (const candidate of items) {
        const text = textOf(candidate, names);
        const same = index.get(text);
        if (same === undefined) index.set(text, [candidate]);
        else same.push(candidate);
      }
      indexes.set(form, index);
    }
    return index.get(textOf(item, names)) ?? [];
  };
}

function isContained(part: unknown, whole: unknown): boolean {
  if (isJsonObject(part) && isJsonObject(whole)) {
    return Object.entries(part).every(([key, value]) => value === undefined || isContained(value, whole[key]));
  }
  return isJsonEqual(part, whole);
}

/** Whether each field below a place that we own is wanted there. */
function isAllWanted(owned: JsonObject | undefined, wanted: unknown): boolean {
  return namesIn(owned).every((name) => {
    const value = isJsonObject(wanted) ? ownValue(wanted, name) : undefined;
    return value !== undefined && isAllWanted(ownedBelow(owned, `f:${name}`), value);
  });
}

/** Everything below a place that we own, that is there, and that is wanted no more. */
function collectRemovals(place: Place, out: FieldDifference[]): void {
  const names = namesIn(place.owned);
  if (names.length === 0 || !isJsonObject(place.actual)) {
    if (place.actual !== undefined) out.push({ path: place.path, from: place.actual });
    return;
  }
  for (const key of names) {
    if (isIgnored(place.path, key)) continue;
    collectRemovals(
      {
        wanted: undefined,
        actual: ownValue(place.actual, key),
        owned: ownedBelow(place.owned, `f:${key}`),
        path: joinPath(place.path, key),
      },
      out,
    );
  }
}

/** Names of the fields in an owned set; its items of lists have none. */
function namesIn(owned: JsonObject | undefined): string[] {
  return Object.keys(owned ?? {}).flatMap((key) => (key.startsWith("f:") ? [key.slice(2)] : []));
}

/** Keys of the items in the owned set of a list map or of a set; an atomic list has none. */
function itemKeysIn(owned: JsonObject | undefined): string[] {
  return Object.keys(owned ?? {}).filter((key) => key.startsWith("k:") || key.startsWith("v:"));
}

function ownedBelow(owned: JsonObject | undefined, key: string): JsonObject | undefined {
  const below = owned?.[key];
  return isJsonObject(below) ? below : undefined;
}

function isIgnored(path: string, key: string): boolean {
  if (path === "") return key === "apiVersion" || key === "kind" || key === "status";
  return path === "metadata.annotations" && provenance.has(key);
}

function joinPath(path: string, key: string): string {
  if (path === "metadata.labels" || path === "metadata.annotations") return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Label keys that `manager` owns on an object. */
export function ownedLabelKeys(live: KubeObject, manager: string): ReadonlySet<string> {
  const metadata = ownedBelow(ownedFieldsOf(live, { manager }), "f:metadata");
  return new Set(namesIn(ownedBelow(metadata, "f:labels")));
}

/** Spec and annotations of an object as `manager` applied them: without defaults and what others added. */
export function ownedContent(
  live: KubeObject,
  manager: string,
): { readonly spec: JsonObject; readonly annotations: Record<string, string> } {
  const owned = ownedFieldsOf(live, { manager });
  const keys = ownedBelow(ownedBelow(owned, "f:metadata"), "f:annotations") ?? {};
  const annotations = Object.entries(live.metadata.annotations ?? {}).filter(([key]) =>
    Object.hasOwn(keys, `f:${key}`),
  );
  return {
    spec: ownedPart(live["spec"], ownedBelow(owned, "f:spec") ?? {}),
    annotations: Object.fromEntries(annotations),
  };
}

function ownedPart(actual: unknown, owned: JsonObject): JsonObject {
  const part: Record<string, Json> = {};
  if (!isJsonObject(actual)) return part;
  for (const key of namesIn(owned)) {
    const value = ownValue(actual, key);
    if (value === undefined) continue;
    // Items of a list have owners of their own; the list is what was applied.
    const below = ownedBelow(owned, `f:${key}`);
    part[key] = isJsonObject(value) && below && namesIn(below).length > 0 ? ownedPart(value, below) : value;
  }
  return part;
}

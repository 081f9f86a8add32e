import { compareText } from "../core/compare-text.ts";
import { canonicalJson, isJsonEqual, isJsonObject } from "../core/json.ts";
import { valueAt } from "../core/read-json.ts";
import type { FieldEdit } from "../model/hub-change.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { annotationKeys, isReservedLabelKey } from "../model/well-known.ts";
import { parseJson } from "../core/parse-json.ts";
import { describeEdit, editsByHand } from "./edits-by-hand.ts";
import { isDefaultAt } from "./spec-defaults.ts";

/** Fields of a Cluster that decide who may be it, or what happens to it: only a file changes them. */
const fieldsOfFiles = [
  ...["identity", "clientID", "protocol", "previousName"],
  ...["kubeConfigSecretRef", "deletionProtection", "deletionPolicy", "placedResources"],
];

export interface EditedObject {
  readonly live: KubeObject;
  /** The document that was applied last; undefined when it is not known. */
  readonly base: KubeObject | undefined;
  /** The document of the head. */
  readonly head: KubeObject;
  /** Whether the document has the live object's own fields; else only labels compare. */
  readonly isSameKind: boolean;
  /** Labels that the token or the agent of a Cluster sets. */
  readonly keysOfOthers: ReadonlySet<string>;
}

export interface HubEdits {
  /** Differ on the hub alone. */
  readonly edits: readonly (FieldEdit & { readonly manager: string })[];
  /** What stays as git has it, in words. */
  readonly refused: readonly string[];
}

/** Whether a person may have changed it; cheap, and without a look at what was applied last. */
export function mayBeEdited({ live, head, isSameKind }: Pick<EditedObject, "live" | "head" | "isSameKind">): boolean {
  return editsByHand(live).length > 0 || (isSameKind && leavesOf(head).some((path) => isMissing(live, path)));
}

/**
 * What a person changed on an object that a file declares: labels and fields of the spec, compared key by key between what was
 * applied last, the hub and the head. Where the head differs from what was applied, git wins.
 */
export function hubEditsOf({ live, base, head, isSameKind, keysOfOthers }: EditedObject): HubEdits {
  const edits: (FieldEdit & { readonly manager: string })[] = [];
  const refused: string[] = [];
  const found = [
    ...editsByHand(live).map(({ path, manager }) => ({ path, manager })),
    ...(isSameKind && base !== undefined ? leavesOf(base).filter((path) => isMissing(live, path)) : []).map((path) => ({
      path,
      manager: "",
    })),
  ];
  for (const { path, manager } of found) {
    const isLabel = path[0] === "metadata";
    if (!isSameKind && (!isLabel || !manager.startsWith("kubectl"))) continue;
    const value = valueAt(live, ...path);
    const wanted = valueAt(head, ...path);
    if (isJsonEqual(value, wanted) || isEmptyMap(value) || (wanted === undefined && isDefaultAt(live, path))) continue;
    const isGits = base === undefined || !isJsonEqual(valueAt(base, ...path), wanted);
    const why = refusalOf(live, path, keysOfOthers) ?? (isGits ? "git changed it, too" : undefined);
    if (why === undefined) edits.push({ path, value, manager });
    else refused.push(`${describeEdit({ path, manager })} (${why})`);
  }
  return { edits: edits.sort(byPath), refused };
}

function refusalOf(
  live: KubeObject,
  [first, second = "", key = ""]: readonly string[],
  keysOfOthers: ReadonlySet<string>,
): string | undefined {
  if (first === "spec") return fieldsOfFiles.includes(second) ? "only a file may say it" : undefined;
  if (isReservedLabelKey(key)) return "the key is reserved";
  const rules = parseJson(live.metadata.annotations?.[annotationKeys.labelRules] ?? "{}");
  if (isJsonObject(rules) && Object.hasOwn(rules, key)) return "a ClusterLabels rule sets it";
  return keysOfOthers.has(key) ? "its token or agent sets it" : undefined;
}

function isMissing(live: KubeObject, path: readonly string[]): boolean {
  return valueAt(live, ...path) === undefined;
}

function isEmptyMap(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Labels and fields of the spec that the document sets; a list counts as one. */
function leavesOf({ metadata, spec }: KubeObject): readonly string[][] {
  const labels = Object.keys(metadata.labels ?? {}).map((key) => ["metadata", "labels", key]);
  return [...labels, ...leavesBelow(spec, ["spec"])];
}

function leavesBelow(value: unknown, path: string[]): string[][] {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
  if (!isJsonObject(value)) return [path];
  return Object.entries(value).flatMap(([key, below]) => leavesBelow(below, [...path, key]));
}

function byPath(a: FieldEdit, b: FieldEdit): number {
  return compareText(canonicalJson(a.path), canonicalJson(b.path));
}

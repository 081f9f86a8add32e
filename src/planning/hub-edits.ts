import { compareText } from "../core/compare-text.ts";
import { canonicalJson, isJsonEqual, isJsonObject } from "../core/json.ts";
import { valueAt } from "../core/read-json.ts";
import type { FieldEdit } from "../model/hub-change.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { isReservedLabelKey } from "../model/well-known.ts";
import { parseJson } from "../core/parse-json.ts";
import { describeEdit, editsByHand } from "./edits-by-hand.ts";
import { isDefaultAt } from "./spec-defaults.ts";

/** Fields of a Cluster that decide who may be it, or what happens to it: only a file changes them. */
const fieldsOfFiles = [
  ...["identity", "clientID", "protocol", "previousName"],
  ...["kubeConfigSecretRef", "deletionProtection", "deletionPolicy", "placedResources"],
];

/**
 * Kinds whose labels an agent may write. What wrote a label is only known by the field manager, which each client chooses:
 * an agent that calls itself kubectl must not write into a file.
 */
const labelledByAgents: ReadonlySet<string> = new Set(["ManagedCluster"]);

/** A label or field as a person left it; `value` undefined: the person took it out, and the API server names no manager. */
export interface RevertedEdit extends FieldEdit {
  readonly manager: string;
}

export interface EditedObject {
  readonly live: KubeObject;
  /** The document that was applied last; undefined when it is not known. */
  readonly base: KubeObject | undefined;
  /** The document of the head. */
  readonly head: KubeObject;
  /** Whether the document has the live object's own fields; else only labels compare. */
  readonly isSameKind: boolean;
  /** What a person changed and the hub has reverted since. Default: nothing. */
  readonly reverted?: readonly RevertedEdit[];
  /** Labels that the token or the agent of a Cluster sets. */
  readonly keysOfOthers: ReadonlySet<string>;
  /**
   * The annotation of the Cluster that records which rule owns which label; the objects of other projects get these labels, too,
   * and do not have it. Undefined: no rule sets one.
   */
  readonly labelRules: string | undefined;
}

export interface HubEdits {
  /** Differ on the hub alone. */
  readonly edits: readonly (FieldEdit & { readonly manager: string })[];
  /** What stays as git has it, as text. */
  readonly refused: readonly string[];
}

/** Whether a person may have changed it; cheap, and without a read of what was applied last. */
export function mayBeEdited({ live, head, isSameKind }: Pick<EditedObject, "live" | "head" | "isSameKind">): boolean {
  return editsByHand(live).length > 0 || (isSameKind && leavesOf(head).some((path) => isMissing(live, path)));
}

/**
 * What a person changed on an object that a file declares: labels and fields of the spec, compared key by key between what was
 * applied last, the hub and the head. Where the head differs from what was applied, git wins.
 */
export function hubEditsOf(edited: EditedObject): HubEdits {
  const { live, base, head, isSameKind, reverted = [] } = edited;
  const edits: (FieldEdit & { readonly manager: string })[] = [];
  const refused: string[] = [];
  const isFilledIn = (path: readonly string[]): boolean =>
    valueAt(head, ...path) === undefined && isDefaultAt(live, path);
  const present = [
    ...editsByHand(live)
      .filter(({ path }) => !isFilledIn(path))
      .map(({ path, manager }) => ({ path, manager, value: valueAt(live, ...path) })),
    ...(isSameKind && base !== undefined ? leavesOf(base).filter((path) => isMissing(live, path)) : []).map((path) => ({
      path,
      manager: "",
      value: undefined,
    })),
  ];
  const isPresent = (edit: RevertedEdit): boolean => present.some(({ path }) => isJsonEqual(path, edit.path));
  for (const { path, manager, value } of [...present, ...reverted.filter((edit) => !isPresent(edit))]) {
    const isLabel = path[0] === "metadata";
    if (!isSameKind && (!isLabel || !manager.startsWith("kubectl"))) continue;
    const wanted = valueAt(head, ...path);
    if (isJsonEqual(value, wanted) || isEmptyMap(value)) continue;
    const isGits = base === undefined || !isJsonEqual(valueAt(base, ...path), wanted);
    const why = refusalOf(edited, path) ?? (isGits ? "git changed it, too" : undefined);
    if (why === undefined) edits.push({ path, value, manager });
    else refused.push(`${describeEdit({ path, manager })} (${why})`);
  }
  return { edits: edits.sort(byPath), refused };
}

/**
 * What changed from one version of an object to the next by a person with kubectl, or was taken out. The caller excludes
 * its own writes.
 */
export function editsBetween(before: KubeObject, live: KubeObject): readonly RevertedEdit[] {
  const set = editsByHand(live).flatMap(({ path, manager }) => {
    const value = valueAt(live, ...path);
    return manager.startsWith("kubectl") && !isJsonEqual(value, valueAt(before, ...path))
      ? [{ path, manager, value }]
      : [];
  });
  const removed = leavesOf(before).filter((path) => isMissing(live, path));
  return [...set, ...removed.map((path) => ({ path, manager: "", value: undefined }))];
}

function refusalOf(
  { live, keysOfOthers, labelRules = "{}" }: EditedObject,
  [first, second = "", key = ""]: readonly string[],
): string | undefined {
  if (first === "spec") return fieldsOfFiles.includes(second) ? "only a file may set it" : undefined;
  if (isReservedLabelKey(key)) return "the key is reserved";
  if (labelledByAgents.has(live.kind)) return `an agent may write labels of a ${live.kind}: change the file`;
  const rules = parseJson(labelRules);
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

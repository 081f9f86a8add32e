import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject, ManagedFieldsEntry } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "./owned-fields.ts";
import { isDefaultAt } from "./spec-defaults.ts";

/** Managers that write for the daemon, and neither for an agent nor for a person with kubectl. */
export function isOwnManager(manager: string): boolean {
  return manager === fieldManagers.git || manager === fieldManagers.hub || manager === fieldManagers.operator;
}

/** Whether a file of a Repository declares the object: the manager of git applied it, with the Repository's label. */
export function isFromGit(live: KubeObject): boolean {
  return isAppliedBy(live, fieldManagers.git) && live.metadata.labels?.[labelKeys.repository] !== undefined;
}

/** A Cluster that no file declares, that no registration made and that never was a member: a user created it. */
export function isMadeByHand({ cluster, state }: Pick<Member, "cluster" | "state">): boolean {
  return state === undefined && !isFromGit(cluster) && !isAppliedBy(cluster, fieldManagers.hub);
}

/** Why an object of our own kinds is not served, and what to do. */
export function refusalNotInGit(live: KubeObject): NonNullable<TokenSubject["refusal"]> {
  return { reason: "NotInGit", message: describeNotInGit(live, "it is not served") };
}

/** States that no file declares the object, the consequence, and what to do. */
export function describeNotInGit({ kind, metadata }: KubeObject, consequence: string): string {
  const place = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return (
    `No file of a Repository declares this ${kind}, so ${consequence}. Write it to a file with the annotation ` +
    `${annotationKeys.adopt}: "true" and push, or delete ${place} on the hub.`
  );
}

/** A label or a field that only another manager owns. */
export interface EditByHand {
  /** As in the object: `["metadata", "labels", "site"]`. */
  readonly path: readonly string[];
  readonly manager: string;
}

/** Edits that a message names. */
const shownEdits = 10;

/**
 * Labels and fields of the spec that only managers other than ours own. A default that an apply filled in has no owner; one
 * that a create or update filled in belongs to its manager. A list counts as one field. Source of the ownership format:
 * Kubernetes API, meta/v1 FieldsV1.
 */
export const editsByHand = memoizeWeak((live: KubeObject): readonly EditByHand[] => {
  const entries = (live.metadata.managedFields ?? []).filter(({ subresource = "" }) => subresource === "");
  const own = entries.filter(({ manager = "" }) => isOwnManager(manager)).map(servedFields);
  return entries
    .filter(({ manager = "" }) => !isOwnManager(manager))
    .flatMap((entry) =>
      leavesOf(servedFields(entry))
        .filter((path) => !isWholeMap(path) && !own.some((owned) => isOwned(owned, path)))
        .map((path) => ({ path, manager: entry.manager ?? "" })),
    );
});

/**
 * The Cluster as git and the hub made it: without labels and fields that were added manually, and with the value of
 * `knownSpec` where one was replaced. It is what is served, published and shown to groups. The same object comes back for
 * the same inputs.
 */
export const withoutEditsByHand = memoizeWeak((cluster: Cluster, knownSpec?: Cluster["spec"]): Cluster => {
  const edits = editsByHand(cluster);
  if (edits.length === 0) return cluster;
  const { labels = {}, ...metadata } = cluster.metadata;
  const served = structuredClone({ metadata: { labels }, spec: cluster.spec ?? {} });
  for (const { path } of edits) putBack(served, { spec: knownSpec }, path);
  return { ...cluster, metadata: { ...metadata, labels: served.metadata.labels }, spec: served.spec };
});

/** `metadata.labels[site]`, `spec.agent.image`. */
export function describeEdit({ path }: EditByHand): string {
  const [first, second, ...rest] = path;
  return first === "metadata" ? `${first}.${second ?? ""}[${rest.join(".")}]` : path.join(".");
}

/**
 * Names what was set manually on an object, and by which field manager, without the defaults that the API server filled in.
 * Undefined: nothing. Default: every edit is meant.
 */
export function describeEdits(
  live: KubeObject,
  isMeant: (edit: EditByHand) => boolean = () => true,
): string | undefined {
  const edits = editsByHand(live).filter((edit) => isMeant(edit) && !isDefaultAt(live, edit.path));
  if (edits.length === 0) return undefined;
  const shown = edits.slice(0, shownEdits).map((edit) => `${describeEdit(edit)} (${edit.manager})`);
  const more = edits.length > shownEdits ? `, and ${edits.length - shownEdits} more` : "";
  return `No file has what was set on the hub, so it has no effect: ${shown.join(", ")}${more}.`.slice(0, 1024);
}

/** The part of an entry that is served: labels without our own marks, and the spec. */
function servedFields({ fieldsV1 = {} }: ManagedFieldsEntry): JsonObject {
  const metadata = fieldsV1["f:metadata"];
  const labels = isJsonObject(metadata) ? metadata["f:labels"] : undefined;
  const spec = fieldsV1["f:spec"];
  return {
    ...(isJsonObject(labels) ? { "f:metadata": { "f:labels": labels } } : {}),
    ...(isJsonObject(spec) ? { "f:spec": spec } : {}),
  };
}

function leavesOf(fields: JsonObject, above: readonly string[] = []): (readonly string[])[] {
  const members = Object.entries(fields).filter(([key]) => key.startsWith("f:"));
  if (members.length === 0) return above.length === 0 ? [] : [above];
  return members.flatMap(([key, below]) => leavesOf(isJsonObject(below) ? below : {}, [...above, key.slice(2)]));
}

/** All labels, or the whole spec: who applied an empty one owns the map, and nothing of what others put into it. */
function isWholeMap([first, ...rest]: readonly string[]): boolean {
  return rest.length < (first === "metadata" ? 2 : 1);
}

/** Whether these fields hold the path, or something in it. */
function isOwned(fields: JsonObject, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (!Object.hasOwn(fields, `f:${key}`)) return false;
  const below = fields[`f:${key}`];
  const isWhole = isJsonObject(below) && Object.keys(below).length === 0;
  return isWhole || (isJsonObject(below) && isOwned(below, rest));
}

/** Gives the place of a path the value that is known of it, or none. */
function putBack(place: object, known: unknown, [key = "", ...rest]: readonly string[]): void {
  if (!Object.hasOwn(place, key)) return;
  const below: unknown = Reflect.get(place, key);
  const value = isJsonObject(known) && Object.hasOwn(known, key) ? known[key] : undefined;
  if (rest.length > 0 && isJsonObject(below)) putBack(below, value, rest);
  else if (value === undefined) Reflect.deleteProperty(place, key);
  else Reflect.set(place, key, value);
}

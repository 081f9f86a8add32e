import { isJsonObject } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import { isSuspended } from "../model/is-suspended.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { FieldChange, PlannedChange } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import type { DesiredObject } from "./desired-objects.ts";
import { withCommit } from "./desired-objects.ts";
import type { Observed } from "./observed.ts";
import { diffGitFields, diffOwnedFields, isAppliedBy } from "./owned-fields.ts";

export interface ObjectOutcome {
  readonly change?: PlannedChange;
  readonly problem?: Problem;
}

/**
 * The change that one declared object needs on the hub: none, a create or an update. An object of another owner is not
 * changed (E_OWNED_ELSEWHERE), nor one that is suspended (rollcall.dev/reconcile: disabled). The removal of a declared
 * cluster is cancelled while it only waits, also of a suspended one. Once its agent is being removed, the removal completes, and
 * the cluster is created again afterwards.
 */
export function planObject(
  desired: DesiredObject,
  context: {
    readonly observed: Observed;
    readonly repositoryLabel: string;
    readonly commit: string | undefined;
    readonly isKeepingLabels: boolean;
  },
): ObjectOutcome {
  const { ref, position } = desired;
  const live = context.observed.get(ref);
  const manager = fieldManagers.git;
  if (!live) {
    const fields = diffOwnedFields(desired.object, blank(desired.object), { manager });
    const object = withCommit(desired.object, context.commit);
    return { change: maskSecret({ kind: "create", ref, object, manager, fields, source: position }) };
  }
  const owner = live.metadata.labels?.[labelKeys.repository];
  if (isSuspended(live))
    return owner === context.repositoryLabel ? cancelOffboarding(desired, live, context.commit) : {};
  if (
    owner !== context.repositoryLabel &&
    !(owner === undefined && !isChild(live) && (desired.isAdopting || isAppliedBy(live, manager)))
  ) {
    return { problem: ownedElsewhere(desired, owner) };
  }
  if (hasOffboardingBegun(live)) return {};
  const object = keepLabels(desired, live, context.isKeepingLabels);
  const fields = diffGitFields(object, live);
  const patchAnnotations = annotationPatch(live, desired.blobId);
  if (fields.length === 0 && !patchAnnotations) return {};
  return {
    change: maskSecret({
      kind: "update",
      ref,
      object: withCommit(object, context.commit),
      manager,
      fields,
      source: position,
      // The hub may begin the offboarding meanwhile, or a person may revoke the cluster again: then it is too late.
      ...(patchAnnotations ? { patchAnnotations, resourceVersion: live.metadata.resourceVersion ?? "" } : {}),
    }),
  };
}

/** The mark alone: it would take effect when the cluster is resumed, before the next plan sees that. */
function cancelOffboarding(desired: DesiredObject, live: KubeObject, commit: string | undefined): ObjectOutcome {
  const { annotations, resourceVersion = "" } = live.metadata;
  if (annotations?.[annotationKeys.leave] === undefined || hasOffboardingBegun(live)) return {};
  const { ref, position: source } = desired;
  const object = withCommit(desired.object, commit);
  const patchAnnotations = { [annotationKeys.leave]: null };
  const manager = fieldManagers.git;
  return { change: { kind: "update", ref, object, manager, fields: [], source, patchAnnotations, resourceVersion } };
}

/** Its agent is being removed, or worse: who takes the mark away now has a cluster without an agent. */
export function hasOffboardingBegun(live: KubeObject): boolean {
  if (live.metadata.annotations?.[annotationKeys.leave] === undefined) return false;
  const phase = textAt(live, "status", "leave", "phase");
  return phase !== undefined && phase !== "Waiting";
}

/** What the hub made for a member or a token is never a file's, whatever its name. */
function isChild(live: KubeObject): boolean {
  const labels = live.metadata.labels ?? {};
  return [labelKeys.cluster, labelKeys.token, labelKeys.ownerWorkspace].some((key) => labels[key] !== undefined);
}

/** Takes the values of a Secret out of everything that is shown; `reveal` has them. */
function maskSecret(change: Extract<PlannedChange, { kind: "create" | "update" }>): PlannedChange {
  const { object, fields } = change;
  if (object.kind !== "Secret") return change;
  const keys = Object.keys(isJsonObject(object["data"]) ? object["data"] : {});
  return {
    ...change,
    object: { ...object, data: Object.fromEntries(keys.map((key) => [key, hidden])) },
    reveal: () => object,
    fields: fields.map((field) => (field.path === "data" || field.path.startsWith("data.") ? maskField(field) : field)),
  };
}

function maskField({ path, from, to }: FieldChange): FieldChange {
  return { path, ...(from === undefined ? {} : { from: hidden }), ...(to === undefined ? {} : { to: hidden }) };
}

/** Replaces a value of a Secret. */
const hidden = "***";

/**
 * A declared cluster is called back from its leave, or from a move. A revocation holds for the version of the file it met:
 * the daemon fills in which that is, and takes it away when the file has another.
 */
function annotationPatch(live: KubeObject, blobId: string): Record<string, string | null> | undefined {
  const annotations = live.metadata.annotations ?? {};
  const patch: Record<string, string | null> = {};
  if (annotations[annotationKeys.leave] !== undefined) patch[annotationKeys.leave] = null;
  if (annotations[annotationKeys.movedTo] !== undefined) patch[annotationKeys.movedTo] = null;
  const revoked = annotations[annotationKeys.revoked];
  if (revoked !== undefined) {
    const [blob = "", ...rest] = revoked.split("/");
    if (blob === "-") patch[annotationKeys.revoked] = [blobId, ...rest].join("/");
    else if (blob !== blobId) patch[annotationKeys.revoked] = null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** A contested or withheld label stays as it is on the hub. */
function keepLabels(desired: DesiredObject, live: KubeObject, isKeepingAll: boolean): KubeObject {
  const contested = new Set(desired.merged?.contestedKeys);
  const kept = diffGitFields(desired.object, live)
    .filter(({ path, to }) => path.startsWith("metadata.labels[") && to === undefined)
    .map(({ path }) => path.slice("metadata.labels[".length, -1))
    .filter((key) => isKeepingAll || contested.has(key));
  if (kept.length === 0) return desired.object;
  const keptLabels = Object.fromEntries(kept.map((key) => [key, live.metadata.labels?.[key] ?? ""]));
  const { metadata } = desired.object;
  return { ...desired.object, metadata: { ...metadata, labels: { ...metadata.labels, ...keptLabels } } };
}

function blank(object: KubeObject): KubeObject {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: { name: object.metadata.name } };
}

function ownedElsewhere({ ref, position }: DesiredObject, owner: string | undefined): Problem {
  return {
    code: "E_OWNED_ELSEWHERE",
    severity: "error",
    file: position.file,
    line: position.line,
    column: position.column,
    message:
      owner === undefined
        ? `${describeRef(ref)} exists on the hub and no repository owns it; add the annotation ${annotationKeys.adopt}: "true" to take it over`
        : `${describeRef(ref)} belongs to repository ${owner}`,
    object: describeRef(ref),
  };
}

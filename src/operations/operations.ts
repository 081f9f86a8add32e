// operations: what a person sets on the hub beside git: a run now, suspension, revocation, the approval of withheld removals.
// The commands and the page call these functions, so both have the same checks and leave the same records.
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isTrueAt } from "../core/read-json.ts";
import { shellWord } from "../core/shell-word.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { namespacedName } from "../model/namespaced-name.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import type { ApprovalRequest } from "../planning/check-approval.ts";
import { checkApproval } from "../planning/check-approval.ts";
import { toTime } from "../planning/conditions.ts";
import { describeNotInGit, isFromGit } from "../planning/edits-by-hand.ts";

/** The hub, as the person who asks: it checks their rights, and records them as the author. */
export interface Operator {
  readonly hubApi: KubeApi;
  /** Who asks, as the record of a revocation names them. */
  readonly user: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface RequestedRun {
  /** The value of status.lastHandledRequest of the Repository when the run has ended. */
  readonly request: string;
  /** A suspended Repository keeps the request until it is resumed. */
  readonly isSuspended: boolean;
  readonly message: string;
}

/** Asks the daemon for a run of this Repository now. */
export async function requestRun(operator: Operator, repository: ObjectRef): Promise<RequestedRun> {
  const request = new Date(operator.nowMs).toISOString();
  const { spec } = await patch(operator, repository, annotate(annotationKeys.requestedAt, request));
  const isSuspended = isTrueAt(spec, "suspend");
  const next = isSuspended
    ? "It is suspended: nothing happens before rollcall resume."
    : "A running daemon handles it at once.";
  const message = `${describeRef(repository)} is asked to reconcile (request ${request}). ${next}`;
  return { request, isSuspended, message };
}

/** Suspends a Repository with every cluster of its files, or resumes it. @returns a sentence */
export async function suspendRepository(
  operator: Operator,
  { repository, isSuspended }: { readonly repository: ObjectRef; readonly isSuspended: boolean },
): Promise<string> {
  await patch(operator, repository, { spec: { suspend: isSuspended } });
  return `${describeRef(repository)} is ${isSuspended ? "suspended" : "resumed"}.`;
}

/** Suspends one cluster, or resumes it. @returns a sentence */
export async function suspendCluster(
  operator: Operator,
  { cluster, isSuspended }: { readonly cluster: ObjectRef; readonly isSuspended: boolean },
): Promise<string> {
  await patch(operator, cluster, annotate(annotationKeys.reconcile, isSuspended ? "disabled" : null));
  const name = namespacedName({ metadata: cluster });
  return `${describeRef(cluster)} is ${isSuspended ? `suspended until rollcall resume ${shellWord(name)}` : "resumed"}.`;
}

/**
 * Ends the credentials of a cluster at once; a change of its file admits it again. A cluster that leaves is not waited for
 * any more.
 * @returns a sentence
 * @throws E_USAGE for one that the daemon does not serve, which has no credentials; then nothing is written
 * @throws E_KUBE_NOT_FOUND
 */
export async function revokeCluster(operator: Operator, cluster: ObjectRef): Promise<string> {
  const live = await read(operator, cluster);
  if (isNotServed(live)) throw new AppError("E_USAGE", describeNotInGit(live, "it has no credentials to revoke"));
  // The daemon fills in which version of the file this outranks.
  const value = `-/${nameInRecord(operator.user)}/${toTime(operator.nowMs)}`;
  const { metadata } = await patch(operator, cluster, annotate(annotationKeys.revoked, value));
  const isLeaving = metadata.annotations?.[annotationKeys.leave] !== undefined;
  const change = isFromGit(live)
    ? "change its file"
    : `remove its annotation ${annotationKeys.revoked}: no file declares it`;
  const next = isLeaving
    ? "Its offboarding does not wait for its agent."
    : `To admit it again, ${change}; install its agent again if it does not return.`;
  return `${describeRef(cluster)} is revoked. ${next}`;
}

/** Whether the daemon reports that it does not serve this Cluster, because no file declares it. */
function isNotServed(live: KubeObject): boolean {
  const { status } = live as Cluster & KubeObject;
  return !isFromGit(live) && status?.conditions?.some(({ reason }) => reason === "NotInGit") === true;
}

/**
 * Lets withheld removals of one commit through.
 * @returns a sentence
 * @throws E_APPROVAL when it would let nothing through; then nothing is written
 * @throws E_KUBE_NOT_FOUND
 */
export async function approveDeletions(
  operator: Operator,
  { repository: ref, ...request }: ApprovalRequest & { readonly repository: ObjectRef },
): Promise<string> {
  const repository = (await read(operator, ref)) as Repository & KubeObject;
  const { commit, message } = checkApproval(repository, request);
  // The time makes each approval one of its own: the same one again is not spent already.
  const value = `${commit} ${request.count} ${toTime(operator.nowMs)}`;
  await patch(operator, ref, annotate(annotationKeys.approvedDeletions, value));
  return message;
}

/** @throws E_KUBE_NOT_FOUND */
async function read({ hubApi, signal }: Operator, ref: ObjectRef): Promise<KubeObject> {
  const live = await hubApi.get(ref, { signal });
  if (!live) throw new AppError("E_KUBE_NOT_FOUND", `read ${describeRef(ref)}: it does not exist`);
  return live;
}

async function patch({ hubApi, signal }: Operator, ref: ObjectRef, body: JsonObject): Promise<KubeObject> {
  return hubApi.mergePatch(ref, body, { fieldManager: fieldManagers.operator, signal });
}

function annotate(key: string, value: string | null): JsonObject {
  return { metadata: { annotations: { [key]: value } } };
}

/** The user's name, in characters that stay one part of an annotation. */
function nameInRecord(user: string): string {
  return user.replaceAll(/[^A-Za-z0-9._-]/gu, "_");
}

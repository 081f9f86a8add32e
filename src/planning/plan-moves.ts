import { textAt } from "../core/read-json.ts";
import { isSuspended } from "../model/is-suspended.ts";
import type { ClusterName } from "../model/member-state.ts";
import { memberStateName, readMemberState } from "../model/member-state.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PredecessorCluster, Removal } from "../model/plan.ts";
import { isSuccessorOf, readPreviousName } from "../model/previous-name.ts";
import type { Problem } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import type { DesiredObject } from "./desired-objects.ts";
import type { Observed } from "./observed.ts";
import { isAppliedBy } from "./owned-fields.ts";
import { hasOffboardingBegun } from "./plan-object.ts";

/** A cluster that is renamed again before its agent followed: so often at most. */
const mostSteps = 20;

/** What a declared cluster's `previousName` comes to. All keys are `workspace/name`. */
export type Move =
  /** There is nothing to move any more: it was done, or the cluster joined by itself. */
  | { readonly kind: "none"; readonly warning?: Problem }
  /** The predecessor is marked already; the hub's controllers continue. */
  | { readonly kind: "under-way" }
  | {
      readonly kind: "wanted";
      readonly predecessorKey: string;
      readonly live: KubeObject;
      readonly removal: Removal;
      readonly former: PredecessorCluster;
    }
  /** Not possible now: the new cluster is not made, and its predecessor stays. */
  | { readonly kind: "refused"; readonly predecessorKey: string; readonly problem: Problem }
  /** No cluster has the previous name. Harmless, unless the intended one would be removed. */
  | { readonly kind: "lost"; readonly predecessorKey: string; readonly problem: Problem };

export interface MoveContext {
  readonly observed: Observed;
  readonly repositoryLabel: string;
}

/** Evaluates the previous names of the declared clusters, by the key of the declared one. */
export function planMoves(desired: readonly DesiredObject[], context: MoveContext): ReadonlyMap<string, Move> {
  const moves = new Map<string, Move>();
  for (const wanted of desired) {
    const previous = textAt(wanted.object, "spec", "previousName");
    if (wanted.ref.type !== resourceTypes.cluster || previous === undefined) continue;
    const former = readPreviousName(previous, wanted.ref.namespace ?? "");
    moves.set(`${wanted.ref.namespace}/${wanted.ref.name}`, evaluateMove(wanted, former, context));
  }
  return moves;
}

/**
 * True when this cluster continues as a declared one, or as one that is to be renamed itself (`moving`, keys): its
 * agent is moving there, so it is not removed.
 */
export function isMovedAway(live: KubeObject, { declared, moving, observed }: MoveScene): boolean {
  let passed: KubeObject | undefined = live;
  for (let step = 0; passed !== undefined && step < mostSteps; step++) {
    if (moving.has(`${passed.metadata.namespace}/${passed.metadata.name}`)) return true;
    const to: string | undefined = passed.metadata.annotations?.[annotationKeys.movedTo];
    if (to === undefined) return false;
    const successor = declared.get(to);
    if (successor !== undefined) return isSuccessor(successor, passed, observed);
    const { workspace, name } = readPreviousName(to, "");
    passed = observed.get({ type: resourceTypes.cluster, namespace: workspace, name });
  }
  return false;
}

export interface MoveScene {
  readonly declared: ReadonlyMap<string, DesiredObject>;
  readonly moving: ReadonlySet<string>;
  readonly observed: Observed;
}

function isSuccessor({ ref, object }: DesiredObject, { metadata }: KubeObject, observed: Observed): boolean {
  const previousName = textAt(object, "spec", "previousName");
  const { movedFrom } = memberStateOf(ref, observed) ?? {};
  const predecessor = { workspace: metadata.namespace ?? "", name: metadata.name };
  return isSuccessorOf({ workspace: ref.namespace ?? "", previousName, movedFrom }, predecessor);
}

function evaluateMove(wanted: DesiredObject, former: ClusterName, { observed, repositoryLabel }: MoveContext): Move {
  const predecessorKey = `${former.workspace}/${former.name}`;
  const to = `${wanted.ref.namespace}/${wanted.ref.name}`;
  const predecessorRef = { type: resourceTypes.cluster, namespace: former.workspace, name: former.name };
  const refuse = (reason: string, fix?: string, code: Problem["code"] = "E_REFERENCE"): Move => {
    const message = `spec.previousName: ${reason}`;
    const found = { code, severity: "error" as const, message, ...(fix === undefined ? {} : { fix }) };
    return { kind: "refused", predecessorKey, problem: problemAt(wanted, found) };
  };
  const live = observed.get(predecessorRef) as Cluster | undefined;
  const isHere = observed.get(wanted.ref) !== undefined;
  const successorState = memberStateOf(wanted.ref, observed);
  const predecessorState = memberStateOf(predecessorRef, observed);
  if (live === undefined) {
    if (isHere || successorState !== undefined) return { kind: "none" };
    const message = `spec.previousName: no cluster on the hub has the name ${predecessorKey}`;
    return {
      kind: "lost",
      predecessorKey,
      problem: problemAt(wanted, { code: "E_REFERENCE", severity: "error", message }),
    };
  }
  const { annotations = {}, labels = {}, uid = "", resourceVersion = "", deletionTimestamp } = live.metadata;
  const owner = labels[labelKeys.repository];
  if (owner !== repositoryLabel)
    return refuse(
      `${describeRef(predecessorRef)} belongs to ${owner ?? "no repository"}`,
      undefined,
      "E_OWNED_ELSEWHERE",
    );
  if (annotations[annotationKeys.movedTo] === to) return { kind: "under-way" };
  const successor = "One cluster can have one successor.";
  if (annotations[annotationKeys.movedTo] !== undefined)
    return refuse(`${predecessorKey} is becoming ${annotations[annotationKeys.movedTo]} already`, successor);
  const protocol = live.spec?.protocol ?? "rollcall";
  if (protocol !== "rollcall")
    return refuse(
      `${predecessorKey} joined by protocol ${protocol}, whose agents cannot be renamed or moved`,
      "Delete the field: the cluster leaves under its old name and joins under the new one.",
    );
  const wantedProtocol = textAt(wanted.object, "spec", "protocol") ?? "rollcall";
  if (wantedProtocol !== "rollcall" || predecessorState?.formerProtocol !== undefined)
    return refuse(
      `${predecessorKey} cannot change its name and its protocol at once`,
      "Do one after the other: the protocol first, and the name when the cluster has joined again.",
    );
  if (successorState?.keys !== undefined) {
    const reason = `${to} has an agent of its own, so that ${predecessorKey} cannot become it`;
    // Without an agent, the former name was made again by a commit from before the rename: it is removed as any other.
    const hasAgent = (predecessorState?.keys ?? live.status?.identity?.keys) !== undefined;
    if (hasAgent && isAppliedBy(live, fieldManagers.git)) return refuse(reason, "Delete the field.");
    const message = `spec.previousName: ${reason}`;
    const warning = problemAt(wanted, { code: "E_REFERENCE", severity: "warning", message, fix: "Delete the field." });
    return { kind: "none", warning };
  }
  if (hasOffboardingBegun(live) || deletionTimestamp !== undefined)
    return refuse(`${predecessorKey} is leaving already`, "When it has left, the cluster is made as a new one.");
  if (annotations[annotationKeys.revoked] !== undefined)
    return refuse(
      `${predecessorKey} is revoked, and a rename does not undo that`,
      "Delete the field, or undo it first.",
    );
  if (isSuspended(live)) return refuse(`${predecessorKey} is suspended`, `Run rollcall resume ${predecessorKey}.`);
  const isCalledBack = annotations[annotationKeys.leave] !== undefined;
  return {
    kind: "wanted",
    predecessorKey,
    live,
    removal: { kind: "move", cluster: predecessorKey, reason: `becomes ${to}`, uid },
    former: {
      ref: predecessorRef,
      uid,
      resourceVersion,
      patchAnnotations: {
        [annotationKeys.movedTo]: to,
        ...(isCalledBack ? { [annotationKeys.leave]: null } : {}),
      },
    },
  };
}

function memberStateOf({ namespace, name }: ObjectRef, observed: Observed): ReturnType<typeof readMemberState> {
  const memberStateRef = {
    type: resourceTypes.configMap,
    ...(namespace ? { namespace } : {}),
    name: memberStateName(name),
  };
  return readMemberState(observed.get(memberStateRef));
}

function problemAt(
  { position, ref }: DesiredObject,
  finding: Pick<Problem, "code" | "severity" | "message" | "fix">,
): Problem {
  const { file, line, column } = position;
  return { ...finding, file, line, column, object: describeRef(ref) };
}

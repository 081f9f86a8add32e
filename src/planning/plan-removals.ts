import { isSuspended } from "../model/is-suspended.ts";
import { belongsTo } from "../model/repository-label.ts";
import { namespacedName } from "../model/namespaced-name.ts";
import { sha256Hex } from "../core/digest.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import type { PredecessorCluster, PlannedChange, Removal, WithheldRemoval } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import type { DesiredObject } from "./desired-objects.ts";
import type { HoldInputs } from "./holds.ts";
import { holdReason, isDeclaredByBrokenFile } from "./holds.ts";
import type { Observed } from "./observed.ts";
import { diffGitFields, isAppliedBy } from "./owned-fields.ts";
import type { Move } from "./plan-moves.ts";
import { isMovedAway, planMoves } from "./plan-moves.ts";

export interface RemovalInputs {
  readonly repositoryLabel: string;
  readonly commit?: string;
  readonly holds: HoldInputs;
  readonly observed: Observed;
}

export interface RemovalCandidate {
  readonly removal: Removal;
  /** Absent where the removal is part of another change. */
  readonly change?: PlannedChange;
}

export interface RemovalPlan {
  /** Removals that are due unless the budget withholds them. */
  readonly allowed: readonly RemovalCandidate[];
  readonly held: readonly WithheldRemoval[];
  /** The predecessor of each declared cluster (`workspace/name`) that takes its place, as far as it is allowed. */
  readonly moves: ReadonlyMap<string, PredecessorCluster>;
  /** Declared clusters (`workspace/name`) that must not be made now: their predecessor could not become them later. */
  readonly blockedSuccessors: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  /** Ids of those held removals that the files do not ask for: a file with errors may declare the cluster, or rename it. */
  readonly unasked: ReadonlySet<string>;
}

/** Everything that takes a cluster, or a label of one, away: leaves, moves, changes of protocol, labels of rules. */
export function planRemovals(inputs: RemovalInputs, desired: readonly DesiredObject[]): RemovalPlan {
  const { observed, holds, repositoryLabel } = inputs;
  const clusters = desired.filter(({ ref }) => ref.type === resourceTypes.cluster);
  const byKey = new Map(clusters.map((item) => [namespacedName(item.object), item]));
  const evaluated = planMoves(clusters, { observed, repositoryLabel });
  const heldMoves = new Set(
    [...evaluated.values()].flatMap((move) => (move.kind === "refused" ? [move.predecessorKey] : [])),
  );
  const moving = new Set(
    [...evaluated.values()].flatMap((move) => (move.kind === "wanted" ? [move.predecessorKey] : [])),
  );

  const allowed: RemovalCandidate[] = [];
  const held: WithheldRemoval[] = [];
  const unasked = new Set<string>();
  for (const live of observed.list(resourceTypes.cluster)) {
    const key = namespacedName(live);
    if (!belongsTo(live, repositoryLabel)) continue;
    const wanted = byKey.get(key);
    if (!wanted && isMovedAway(live, { declared: byKey, moving, observed })) continue;
    const candidate = wanted ? changeOfWanted(live, wanted, holds) : offboardingOf(live, inputs.commit);
    if (!candidate) continue;
    const isHeld = heldMoves.has(key) && candidate.removal.kind === "leave";
    const because = holdReason(live, candidate.removal, holds, observed.isComplete);
    if (isHeld || isDeclaredByBrokenFile(live, holds)) unasked.add(removalId(candidate.removal));
    if (because || isHeld) held.push({ ...candidate.removal, because: because ?? "held-by-bad-file" });
    else allowed.push(candidate);
  }
  return { ...withMoves({ allowed, held }, evaluated, inputs), unasked };
}

function withMoves(
  { allowed, held }: { readonly allowed: readonly RemovalCandidate[]; readonly held: readonly WithheldRemoval[] },
  evaluated: ReadonlyMap<string, Move>,
  { holds, observed }: RemovalInputs,
): Omit<RemovalPlan, "unasked"> {
  const moves = new Map<string, PredecessorCluster>();
  const blockedSuccessors = new Set<string>();
  const problems: Problem[] = [];
  const moreAllowed: RemovalCandidate[] = [];
  const moreHeld: WithheldRemoval[] = [];
  const hasLost = [...evaluated.values()].some(({ kind }) => kind === "lost");
  const isOffboarding = ({ removal }: RemovalCandidate): boolean => removal.kind === "leave";
  // A previous name that no cluster has may be misspelt: then a cluster that would be removed now may be the intended
  // one.
  const isMisspelt = hasLost && allowed.some(isOffboarding);
  for (const [successorKey, move] of evaluated) {
    switch (move.kind) {
      case "none":
        if (move.warning) problems.push(move.warning);
        break;
      case "under-way":
        break;
      case "refused":
        problems.push(move.problem);
        blockedSuccessors.add(successorKey);
        break;
      case "lost":
        problems.push(isMisspelt ? misspelt(move.problem) : { ...move.problem, severity: "warning" });
        if (isMisspelt) blockedSuccessors.add(successorKey);
        break;
      case "wanted": {
        const because = holdReason(move.live, move.removal, holds, observed.isComplete);
        if (because) {
          moreHeld.push({ ...move.removal, because });
          blockedSuccessors.add(successorKey);
        } else {
          moreAllowed.push({ removal: move.removal });
          moves.set(successorKey, move.former);
        }
      }
    }
  }
  const heldLeaves = isMisspelt ? allowed.filter(isOffboarding) : [];
  return {
    allowed: [...(isMisspelt ? allowed.filter((candidate) => !isOffboarding(candidate)) : allowed), ...moreAllowed],
    held: [
      ...held,
      ...heldLeaves.map(({ removal }) => ({ ...removal, because: "held-by-bad-file" as const })),
      ...moreHeld,
    ],
    moves,
    blockedSuccessors,
    problems,
  };
}

function misspelt(problem: Problem): Problem {
  return { ...problem, fix: "Correct the name, or delete the field: until then nothing of this repository leaves." };
}

function offboardingOf(live: KubeObject, commit = ""): RemovalCandidate | undefined {
  const isLeaving =
    live.metadata.annotations?.[annotationKeys.leave] !== undefined || live.metadata.deletionTimestamp !== undefined;
  if (isLeaving || !isAppliedBy(live, fieldManagers.git)) return undefined;
  const file = live.metadata.annotations?.[annotationKeys.sourceFile] ?? "its file";
  const reason = `${file} no longer declares it`;
  const { uid = "", resourceVersion = "" } = live.metadata;
  return {
    removal: { kind: "leave", cluster: namespacedName(live), reason, ...identityOf(live) },
    change: { kind: "leave", ref: refOf(resourceTypes.cluster, live), commit, uid, resourceVersion, reason },
  };
}

/** A declared cluster that changes its protocol, or loses a label because a rule changed. A suspended one stays as it is. */
function changeOfWanted(live: KubeObject, wanted: DesiredObject, holds: HoldInputs): RemovalCandidate | undefined {
  if (isSuspended(live)) return undefined;
  const differences = diffGitFields(wanted.object, live);
  if (differences.length === 0) return undefined;
  const cluster = namespacedName(live);
  const from = protocolOf(live);
  const to = protocolOf(wanted.object);
  if (from !== to) {
    const reason = `protocol changes from ${from} to ${to}`;
    return { removal: { kind: "protocol", cluster, reason, ...identityOf(live) } };
  }
  if (holds.changedFiles.has(wanted.position.file)) return undefined;
  const contested = new Set(wanted.merged?.contestedKeys);
  const lost = differences
    .filter(({ path, to: value }) => path.startsWith("metadata.labels[") && value === undefined)
    .map(({ path }) => path.slice("metadata.labels[".length, -1))
    .filter((key) => !contested.has(key));
  if (lost.length === 0) return undefined;
  const reason = `rules take its label ${lost.join(", ")}`;
  return { removal: { kind: "label", cluster, reason, ...identityOf(live) } };
}

/**
 * A short digest that names a removal: of another object of that name, or of another label, it is another one. The same
 * removal has the same digest in every plan, whichever file declared the cluster.
 */
export function removalId({ kind, cluster, reason, uid = "" }: Removal): string {
  return sha256Hex(JSON.stringify([kind, cluster, uid, kind === "leave" ? "" : reason])).slice(0, 16);
}

function identityOf({ metadata: { uid, annotations } }: KubeObject): Pick<Removal, "uid" | "file"> {
  const file = annotations?.[annotationKeys.sourceFile];
  return { ...(uid === undefined ? {} : { uid }), ...(file === undefined ? {} : { file }) };
}

function protocolOf(object: KubeObject): string {
  return (object as Cluster).spec?.protocol ?? "rollcall";
}

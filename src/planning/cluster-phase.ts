import { isSuspended } from "../model/is-suspended.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { Condition } from "../model/kubernetes.ts";
import { annotationKeys } from "../model/well-known.ts";
import { findCondition } from "./conditions.ts";

/** The states of a cluster, with what each means. */
export const clusterPhases = {
  Declared: "The daemon has not reconciled it yet.",
  Revoked: "A user revoked it; the hub admits no agent for it until its file changes.",
  Rejected: "Its identity is lost, or the hub refuses what declares it; the hub admits no agent for it.",
  Joining: "No agent has its identity yet: the hub waits for one, or installs it.",
  AwaitingReport: "Its agent has a credential, and has not sent a heartbeat or report yet.",
  Ready: "It is accepted, joined and healthy.",
  Unhealthy: "Its agent reports a fault of the API server or the nodes.",
  Unresponsive: "Its agent has missed its heartbeats for a whole window.",
  Moving: "It gets another name or workspace as soon as its agent works there.",
  Leaving: "Its file is deleted: the hub removes the agent, revokes the credentials and deletes the objects.",
} as const;

export type ClusterPhase = keyof typeof clusterPhases;

/** Before the first and after the last state: there is no Cluster. */
export type NoCluster = "absent";

export interface PhaseChange {
  readonly from: readonly (ClusterPhase | NoCluster)[];
  readonly to: ClusterPhase | NoCluster;
  readonly because: string;
}

const all: readonly ClusterPhase[] = [
  "Declared",
  "Revoked",
  "Rejected",
  "Joining",
  "AwaitingReport",
  "Ready",
  "Unhealthy",
  "Unresponsive",
  "Moving",
  "Leaving",
];
const working: readonly ClusterPhase[] = ["AwaitingReport", "Ready", "Unhealthy", "Unresponsive"];
const except = (...phases: readonly ClusterPhase[]) => all.filter((phase) => !phases.includes(phase));

/** Every change from one state to another. The suites of test/contract/life compare each change that they see with it. */
export const phaseChanges: readonly PhaseChange[] = [
  {
    from: ["absent"],
    to: "Declared",
    because: "a file, a token, or a Cluster that is created again after a manual deletion",
  },
  { from: ["Declared"], to: "Joining", because: "no agent has registered" },
  { from: ["Declared", "Joining"], to: "AwaitingReport", because: "an agent works with its own credential" },
  {
    from: ["Declared", "Joining", "AwaitingReport", "Unhealthy", "Unresponsive"],
    to: "Ready",
    because: "heartbeats arrive, and the report has no fault",
  },
  {
    from: ["Declared", "AwaitingReport", "Ready", "Unresponsive"],
    to: "Unhealthy",
    because: "its API server or nodes report a fault",
  },
  { from: ["AwaitingReport", "Ready", "Unhealthy"], to: "Unresponsive", because: "no heartbeat for a whole window" },
  { from: working, to: "Joining", because: "another agent or protocol replaces its agent, or its report was deleted" },
  {
    from: except("Revoked", "Leaving", "Moving"),
    to: "Revoked",
    because: "a user revoked it",
  },
  {
    from: except("Rejected", "Leaving", "Moving"),
    to: "Rejected",
    because: "its member state was deleted, or the hub refuses what declares it",
  },
  { from: ["Revoked", "Rejected"], to: "Joining", because: "its file was changed" },
  { from: ["Rejected"], to: "Ready", because: "its member state was restored" },
  { from: except("Moving", "Leaving"), to: "Moving", because: "previousName of another file names it" },
  { from: ["Leaving"], to: "Moving", because: "its agent returns to its former name" },
  { from: ["Moving"], to: "absent", because: "its agent works under the new name" },
  { from: ["Moving"], to: "Joining", because: "cancelled before an agent registered" },
  { from: ["Moving"], to: "AwaitingReport", because: "cancelled" },
  { from: ["Moving"], to: "Ready", because: "cancelled" },
  { from: ["Moving"], to: "Unresponsive", because: "cancelled while its agent was unresponsive" },
  { from: except("Leaving"), to: "Leaving", because: "its file is deleted" },
  { from: ["Leaving"], to: "Joining", because: "cancelled within the grace period" },
  { from: ["Leaving"], to: "Ready", because: "cancelled within the grace period" },
  { from: ["Leaving"], to: "absent", because: "all of its objects are deleted" },
  { from: except("Leaving", "Moving"), to: "absent", because: "deleted manually; it is created again" },
];

/** Follows the state of a cluster that is suspended: `Ready,Suspended`. */
export const suspendedWord = "Suspended";

/** The state of a cluster, by its annotations and conditions. */
export function clusterPhase({ metadata, status }: Pick<Cluster, "metadata" | "status">): ClusterPhase {
  const { annotations = {} } = metadata;
  return phaseOf(status?.conditions ?? [], {
    isLeaving: annotations[annotationKeys.leave] !== undefined,
    isMoving: annotations[annotationKeys.movedTo] !== undefined,
  });
}

/** The state as the commands, the page and the status branch write it: `Ready`, or `Ready,Suspended`. */
export function clusterState(cluster: Pick<Cluster, "metadata" | "status">): string {
  return withSuspension(clusterPhase(cluster), isSuspended(cluster));
}

/** The same, by a record of the status branch. */
export function recordedState(record: Pick<ClusterRecord, "conditions" | "leave" | "suspended">): string {
  const { conditions = [], leave, suspended } = record;
  const isMoving = findCondition(conditions, "Ready")?.reason === "Moving";
  return withSuspension(phaseOf(conditions, { isLeaving: leave !== undefined, isMoving }), suspended === true);
}

function withSuspension(phase: ClusterPhase, isHeld: boolean): string {
  return isHeld ? `${phase},${suspendedWord}` : phase;
}

function phaseOf(
  conditions: readonly Condition[],
  { isLeaving, isMoving }: { readonly isLeaving: boolean; readonly isMoving: boolean },
): ClusterPhase {
  if (conditions.length === 0) return "Declared";
  if (isLeaving) return "Leaving";
  if (isMoving) return "Moving";
  if (findCondition(conditions, "Ready")?.status === "True") return "Ready";
  const accepted = findCondition(conditions, "Accepted");
  if (accepted?.status === "False") return accepted.reason === "Revoked" ? "Revoked" : "Rejected";
  if (findCondition(conditions, "Joined")?.status === "False") return "Joining";
  const healthy = findCondition(conditions, "Healthy");
  if (healthy?.status === "False") return "Unhealthy";
  return healthy?.reason === "HeartbeatMissed" ? "Unresponsive" : "AwaitingReport";
}

/** True when the state may change from one to the other. */
export function isPhaseChange(from: ClusterPhase | NoCluster, to: ClusterPhase | NoCluster): boolean {
  return phaseChanges.some((change) => change.to === to && change.from.includes(from));
}

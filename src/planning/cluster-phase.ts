import type { Cluster } from "../model/generated/cluster.ts";
import { annotationKeys } from "../model/well-known.ts";
import { findCondition } from "./conditions.ts";

/** Where a cluster is in its life, with what that means. */
export const clusterPhases = {
  Declared: "The hub has not looked at it yet.",
  Rejected: "Revoked, or nobody knows who it is any more; its agent is not let in.",
  Joining: "No agent works as it yet: one is awaited, or being installed.",
  Arriving: "Its agent is in, and was not heard of yet.",
  Ready: "Accepted, joined and healthy.",
  Unwell: "Its agent says that the cluster is ill.",
  Silent: "Its agent has missed its beats.",
  Moving: "It becomes a cluster of another name or workspace, once its agent works there.",
  Leaving: "Its file is gone: the agent is removed, its credentials are revoked, its objects go.",
} as const;

export type ClusterPhase = keyof typeof clusterPhases;

/** The beginning and the end of a life: there is no Cluster. */
export type NoCluster = "absent";

export interface PhaseChange {
  readonly from: readonly (ClusterPhase | NoCluster)[];
  readonly to: ClusterPhase | NoCluster;
  readonly because: string;
}

const all: readonly ClusterPhase[] = [
  "Declared",
  "Rejected",
  "Joining",
  "Arriving",
  "Ready",
  "Unwell",
  "Silent",
  "Moving",
  "Leaving",
];
const working: readonly ClusterPhase[] = ["Arriving", "Ready", "Unwell", "Silent"];
const except = (...phases: readonly ClusterPhase[]) => all.filter((phase) => !phases.includes(phase));

/** Every way from one phase to another. The suites of test/contract/life hold each step that they see to it. */
export const phaseChanges: readonly PhaseChange[] = [
  { from: ["absent"], to: "Declared", because: "a file, a token, or a Cluster made again that was deleted by hand" },
  { from: ["Declared"], to: "Joining", because: "no agent has come in" },
  { from: ["Declared", "Joining"], to: "Arriving", because: "an agent works with its own credential" },
  { from: ["Declared", "Joining", "Arriving", "Unwell", "Silent"], to: "Ready", because: "it beats and reports well" },
  { from: ["Declared", "Arriving", "Ready", "Silent"], to: "Unwell", because: "its API server or nodes are ill" },
  { from: ["Arriving", "Ready", "Unwell"], to: "Silent", because: "it missed its beats for a whole window" },
  { from: working, to: "Joining", because: "another agent or protocol takes its place, or its report was deleted" },
  { from: except("Rejected", "Leaving", "Moving"), to: "Rejected", because: "revoked, or its memory was lost" },
  { from: ["Rejected"], to: "Joining", because: "its file was changed" },
  { from: ["Rejected"], to: "Ready", because: "its memory was restored" },
  { from: except("Moving", "Leaving"), to: "Moving", because: "previousName of another file names it" },
  { from: ["Leaving"], to: "Moving", because: "its agent goes back to the name that it came from" },
  { from: ["Moving"], to: "absent", because: "its agent works under the new name" },
  { from: ["Moving"], to: "Joining", because: "called back before an agent came" },
  { from: ["Moving"], to: "Arriving", because: "called back" },
  { from: ["Moving"], to: "Ready", because: "called back" },
  { from: ["Moving"], to: "Silent", because: "called back while its agent was away" },
  { from: except("Leaving"), to: "Leaving", because: "its file is gone" },
  { from: ["Leaving"], to: "Joining", because: "called back within the grace period" },
  { from: ["Leaving"], to: "Ready", because: "called back within the grace period" },
  { from: ["Leaving"], to: "absent", because: "all of it is gone" },
  { from: except("Leaving", "Moving"), to: "absent", because: "deleted by hand; it is made again" },
];

/** Where a cluster is, by what the hub says of it. */
export function clusterPhase({ metadata, status }: Pick<Cluster, "metadata" | "status">): ClusterPhase {
  const { annotations = {} } = metadata;
  const statusOf = (type: string) => findCondition(status?.conditions, type)?.status;
  if (status?.conditions === undefined) return "Declared";
  if (annotations[annotationKeys.leave] !== undefined) return "Leaving";
  if (annotations[annotationKeys.movedTo] !== undefined) return "Moving";
  if (statusOf("Accepted") !== "True") return "Rejected";
  if (statusOf("Joined") !== "True") return "Joining";
  const healthy = findCondition(status.conditions, "Healthy");
  if (healthy?.status === "True") return "Ready";
  if (healthy?.status === "False") return "Unwell";
  return healthy?.reason === "HeartbeatMissed" ? "Silent" : "Arriving";
}

/** True when there is a way from one phase to the other. */
export function isPhaseChange(from: ClusterPhase | NoCluster, to: ClusterPhase | NoCluster): boolean {
  return phaseChanges.some((change) => change.to === to && change.from.includes(from));
}

import { appendAll } from "../core/append-all.ts";
import { isJsonObject } from "../core/json.ts";
import { longestDurationMs } from "../core/duration.ts";
import { parseGoDuration } from "../core/formats/go-duration.ts";
import { parseJson } from "../core/parse-json.ts";
import type { MemberState } from "../model/member-state.ts";
import { clusternetHeartbeatSeconds } from "../model/dialects/clusternet.ts";
import { fleetHeartbeatSeconds } from "../model/dialects/fleet.ts";
import { kubefleetHeartbeat } from "../model/dialects/kubefleet.ts";
import type { Cluster, ClusterStatus } from "../model/generated/cluster.ts";
import type { Condition } from "../model/kubernetes.ts";
import type { HubFacts, Member } from "../model/member.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { agentEndpoint } from "./agent-endpoint.ts";
import type { ConditionResult } from "./conditions.ts";
import { findCondition, toConditions } from "./conditions.ts";
import { describeEdits } from "./edits-by-hand.ts";
import { ownedLabelKeys } from "./owned-fields.ts";

/** What the health timer knows of a member's heartbeats. */
export type HeartbeatState =
  /** It sent a heartbeat within its window. */
  | { readonly kind: "alive" }
  /** A full window was watched and no heartbeat came. */
  | { readonly kind: "unresponsive"; readonly forMs: number }
  /** No full window was watched yet, and no heartbeat came meanwhile: the previous report stays. */
  | { readonly kind: "unwatched" };

/** What the protocol reads from the agent's objects. Structural twin of join's MemberFacts. */
export interface AgentFacts {
  readonly hasJoined: boolean;
  readonly health: { readonly isHealthy: boolean; readonly reason: string; readonly message: string } | undefined;
  readonly credentials: Omit<ConditionResult, "type">;
  readonly agent: Omit<ConditionResult, "type">;
  /** How far the agent's clock is ahead of the hub's, in seconds; undefined when that is not known. */
  readonly clockSkewSeconds?: number;
  readonly status: Readonly<Partial<ClusterStatus>>;
}

/** The state of the hub's own installation of the agent; absent when the hub installs nothing. */
export interface InstallState {
  readonly kind: "installed" | "pending" | "failed";
  readonly reason: string;
  readonly message: string;
}

/** Why the hub does nothing for a Cluster. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

export interface ClusterStatusInputs {
  readonly member: Member;
  readonly hub: HubFacts;
  readonly facts: AgentFacts;
  readonly heartbeat: HeartbeatState;
  /** Seconds between two heartbeats as the agent reports them. */
  readonly agentPeriodSeconds?: number;
  readonly install?: InstallState;
  readonly refusal?: Refusal;
  /** What the API server refuses to let the hub do for it. */
  readonly failure?: Refusal;
  /** Another writer keeps changing what the hub makes for it. */
  readonly fight?: Refusal;
  readonly leave?: NonNullable<ClusterStatus["leave"]>;
  /** The offboarding has revoked the credentials. Default false. */
  readonly isRevokedByOffboarding?: boolean;
}

/** Smallest skew of clocks that is shown. */
const shownSkewSeconds = 60;

/** Reasons of invalid credentials that mean: this member may not be part of the fleet now. */
const rejectingReasons: readonly string[] = ["IdentityLost", "Revoked"];

/** Cluster.status from all that is known; the same inputs give the same status. */
export function computeClusterStatus(inputs: ClusterStatusInputs): ClusterStatus {
  const { member, hub, facts, leave } = inputs;
  const { cluster, state } = member;
  const previous = cluster.status?.conditions;
  const results = evaluate(inputs, previous);
  const generation = cluster.metadata.generation;
  const source = sourceOf(cluster);
  return {
    ...facts.status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: toConditions(results, previous, {
      nowMs: hub.nowMs,
      ...(generation === undefined ? {} : { generation }),
    }),
    ...(source ? { source } : {}),
    ...(state?.join ? { join: joinOf(state.join) } : {}),
    ...labelOwnersOf(cluster, state),
    effective: effectiveSettings(inputs),
    ...(leave ? { leave } : {}),
  };
}

function evaluate(inputs: ClusterStatusInputs, previous: readonly Condition[] | undefined): ConditionResult[] {
  const { cluster } = inputs.member;
  const { credentials } = inputs.facts;
  const isRejected = credentials.status === "False" && rejectingReasons.includes(credentials.reason);
  const refusal = inputs.refusal ?? (isRejected ? credentials : undefined);
  const accepted: ConditionResult = refusal
    ? { reason: refusal.reason, message: refusal.message, type: "Accepted", status: "False" }
    : { type: "Accepted", status: "True", reason: "Accepted", message: "The cluster is declared and allowed." };
  const joined = evaluateJoined(inputs);
  const healthy = withoutAdvice(evaluateHealthy(inputs, joined, previous), {
    isAdmitted: !isRejected && inputs.isRevokedByOffboarding !== true,
  });
  const results: ConditionResult[] = [
    evaluateReady([accepted, joined, healthy], inputs),
    accepted,
    joined,
    healthy,
    { type: "AgentUpToDate", ...inputs.facts.agent },
    evaluateCredentials(inputs),
  ];
  appendAll(results, evaluateClock(inputs.facts));
  // A Cluster that no file declares is a manual change as a whole.
  if (refusal?.reason !== "NotInGit") appendAll(results, evaluateEdits(cluster));
  if (inputs.leave) {
    results.push({
      type: "Reconciling",
      status: "True",
      reason: "Leaving",
      message: `Leave phase: ${inputs.leave.phase}.`,
    });
  } else if (inputs.failure) {
    results.push({ type: "Stalled", status: "True", ...inputs.failure });
  } else if (inputs.install?.kind === "failed") {
    results.push({ type: "Stalled", status: "True", reason: inputs.install.reason, message: inputs.install.message });
  } else if (inputs.fight) {
    results.push({ type: "Stalled", status: "True", ...inputs.fight });
  } else if (joined.status !== "True" && inputs.install) {
    results.push({ type: "Reconciling", status: "True", reason: joined.reason, message: joined.message });
  }
  return results;
}

/** The agent's clock decides nothing; its skew is reported in minutes, so that the condition rarely changes. */
function evaluateClock({ clockSkewSeconds = 0 }: AgentFacts): ConditionResult[] {
  if (Math.abs(clockSkewSeconds) <= shownSkewSeconds) return [];
  const minutes = Math.round(Math.abs(clockSkewSeconds) / 60);
  const direction = clockSkewSeconds > 0 ? "ahead of" : "behind";
  const message = `The agent's clock is ${minutes} min ${direction} the hub's.`;
  return [{ type: "ClockSynced", status: "False", reason: "ClockSkew", message }];
}

/** Fields that a user added on the hub are not served: this condition lists them. */
function evaluateEdits(cluster: Cluster): ConditionResult[] {
  const message = describeEdits(cluster);
  return message === undefined ? [] : [{ type: "Declared", status: "False", reason: "EditedOnHub", message }];
}

function evaluateJoined({ facts, install, member }: ClusterStatusInputs): ConditionResult {
  const type = "Joined";
  if (facts.hasJoined) {
    const hasKeys = (member.cluster.spec?.protocol ?? "rollcall") === "rollcall";
    const message = hasKeys ? "The agent has joined with its own keys." : "The agent has joined.";
    return { type, status: "True", reason: "Joined", message };
  }
  if (install) {
    if (install.kind !== "installed")
      return { type, status: "False", reason: install.reason, message: install.message };
    return {
      type,
      status: "False",
      reason: "AgentInstalled",
      message:
        "The agent is installed and has not asked to join yet; check its Pod if this lasts longer than a minute.",
    };
  }
  return {
    type,
    status: "False",
    reason: "WaitingForAgent",
    message:
      `No agent has joined as ${member.workspace}/${member.name} yet. Install one with the values of a token that names ` +
      "this cluster, or give the Cluster a kubeConfigSecretRef.",
  };
}

function evaluateCredentials({ facts, isRevokedByOffboarding = false }: ClusterStatusInputs): ConditionResult {
  const type = "CredentialsValid";
  if (!isRevokedByOffboarding) return { type, ...facts.credentials };
  return {
    type,
    status: "False",
    reason: "Leaving",
    message: "The credentials are revoked: the cluster is being removed.",
  };
}

function evaluateHealthy(
  { facts, heartbeat, member, agentPeriodSeconds }: ClusterStatusInputs,
  joined: ConditionResult,
  previous: readonly Condition[] | undefined,
): ConditionResult {
  const type = "Healthy";
  if (joined.status !== "True")
    return { type, status: "Unknown", reason: "NotJoined", message: "No agent has joined yet." };
  const before = findCondition(previous, type);
  if (heartbeat.kind === "unwatched") {
    if (before && before.reason !== "NotJoined")
      return { type, status: before.status, reason: before.reason, message: before.message };
    return {
      type,
      status: "Unknown",
      reason: "WaitingForFirstBeat",
      message: "The agent has joined and has not sent a heartbeat yet.",
    };
  }
  if (heartbeat.kind === "unresponsive") {
    const { failureThreshold, periodSeconds } = heartbeatOf(member.cluster, agentPeriodSeconds);
    return {
      type,
      status: "Unknown",
      reason: "HeartbeatMissed",
      message:
        `The agent has missed ${failureThreshold} heartbeats of ${periodSeconds} s. Check its Pod, and whether its ` +
        `cluster can reach the hub.`,
    };
  }
  if (!facts.health)
    return {
      type,
      status: "Unknown",
      reason: "WaitingForReport",
      message: "The agent sends heartbeats and has not reported yet.",
    };
  const { isHealthy, reason, message } = facts.health;
  return { type, status: isHealthy ? "True" : "False", reason, message };
}

/** An agent that the hub does not admit sends no heartbeats: its Pod is not the cause. */
function withoutAdvice(healthy: ConditionResult, { isAdmitted }: { readonly isAdmitted: boolean }): ConditionResult {
  if (isAdmitted || healthy.reason !== "HeartbeatMissed") return healthy;
  return { ...healthy, message: "The hub does not admit its agent, so no heartbeats are expected." };
}

function evaluateReady(parts: readonly ConditionResult[], { leave, member }: ClusterStatusInputs): ConditionResult {
  const type = "Ready";
  if (leave) {
    return {
      type,
      status: "False",
      reason: "Leaving",
      message: `The cluster leaves the fleet since commit ${leave.commit ?? "unknown"}.`,
    };
  }
  const movedTo = member.cluster.metadata.annotations?.[annotationKeys.movedTo];
  if (movedTo !== undefined) {
    const message = `The cluster becomes ${movedTo}; this name is removed as soon as its agent works under the new one.`;
    return { type, status: "False", reason: "Moving", message };
  }
  const missing = parts.find((result) => result.status !== "True");
  if (missing) return { type, status: "False", reason: missing.reason, message: missing.message };
  return { type, status: "True", reason: "Ready", message: "The cluster is accepted, joined and healthy." };
}

/**
 * Period and threshold: those that the file declares, otherwise those that the agent reports, otherwise the defaults. A
 * manually installed agent of another project sends heartbeats at that project's pace. KubeFleet's agents take no longer
 * period than its API has, which defaults for many clusters may exceed.
 */
export function heartbeatOf(
  cluster: Cluster,
  agentPeriodSeconds?: number,
): { readonly periodSeconds: number; readonly failureThreshold: number } {
  const { protocol, heartbeat } = cluster.spec ?? {};
  const periodSeconds = heartbeat?.periodSeconds ?? agentPeriodSeconds ?? usualPeriodSeconds(cluster);
  return {
    periodSeconds: protocol === "kubefleet" ? Math.min(periodSeconds, kubefleetHeartbeat.maxSeconds) : periodSeconds,
    failureThreshold: heartbeat?.failureThreshold ?? 3,
  };
}

function usualPeriodSeconds(cluster: Cluster): number {
  if (joinModeOf(cluster) === "HubInitiated") return 60;
  switch (cluster.spec?.protocol) {
    case "fleet":
      return fleetHeartbeatSeconds;
    case "clusternet":
      return clusternetHeartbeatSeconds;
    default:
      return 60;
  }
}

/** HubInitiated when the Cluster names a kubeconfig. */
function joinModeOf(cluster: Cluster): "HubInitiated" | "AgentInitiated" {
  return cluster.spec?.kubeConfigSecretRef ? "HubInitiated" : "AgentInitiated";
}

/** The deletion policy in force: unset means Uninstall for an agent that the hub installed, otherwise Detach. */
export function deletionPolicyOf(cluster: Cluster): "Uninstall" | "Detach" {
  return cluster.spec?.deletionPolicy ?? (joinModeOf(cluster) === "HubInitiated" ? "Uninstall" : "Detach");
}

/** Whether what was placed on a cluster is removed from it when it leaves. */
export function isPlacedRemoved({ spec }: Cluster): boolean {
  return spec?.placedResources === "Remove";
}

/**
 * When (epoch ms) the first step of a leave may be taken: its grace period is over. NaN for a time that is none. A period that
 * is no duration is the longest one: nothing is removed by a slip.
 */
export function graceEndMs(cluster: Cluster, offboardingSince: string): number {
  return (
    Date.parse(offboardingSince) + (parseGoDuration(cluster.spec?.deletionGracePeriod ?? "0s") ?? longestDurationMs)
  );
}

/** The owner of each label: files and rules share a field manager, the annotation of rules distinguishes them. */
function labelOwnersOf(cluster: Cluster, state: MemberState | undefined): Pick<ClusterStatus, "labelOwners"> {
  const byGit = ownedLabelKeys(cluster, fieldManagers.git);
  const rules = readRules(cluster.metadata.annotations?.[annotationKeys.labelRules]);
  const owners: Record<string, string> = {};
  for (const [key, value] of Object.entries(cluster.metadata.labels ?? {})) {
    if (key.startsWith("rollcall.dev/")) continue;
    const rule = rules[key];
    if (byGit.has(key)) owners[key] = typeof rule === "string" ? `rule ${rule}` : "file";
    else if (state?.labels?.token?.[key] === value) owners[key] = `token ${state.join?.token ?? "unknown"}`;
    else if (state?.labels?.agent?.[key] === value) owners[key] = "agent";
  }
  return Object.keys(owners).length === 0 ? {} : { labelOwners: owners };
}

function readRules(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  const rules = parseJson(text);
  // The next run rewrites one that was changed manually.
  return isJsonObject(rules) ? rules : {};
}

function effectiveSettings({
  member,
  hub,
  agentPeriodSeconds,
}: ClusterStatusInputs): NonNullable<ClusterStatus["effective"]> {
  const { cluster, state } = member;
  const { periodSeconds, failureThreshold } = heartbeatOf(cluster, agentPeriodSeconds);
  const clientID = cluster.spec?.clientID ?? state?.clientID;
  return {
    protocol: cluster.spec?.protocol ?? "rollcall",
    joinMode: joinModeOf(cluster),
    ...(clientID === undefined ? {} : { clientID }),
    deletionPolicy: deletionPolicyOf(cluster),
    heartbeatPeriodSeconds: periodSeconds,
    failureThreshold,
    hubURL: agentEndpoint(member, hub).url,
  };
}

function joinOf(join: NonNullable<MemberState["join"]>): NonNullable<ClusterStatus["join"]> {
  return {
    ...(join.token === undefined ? {} : { token: join.token }),
    mode: join.initiated === "hub" ? "HubInitiated" : "AgentInitiated",
    time: join.time,
  };
}

function sourceOf(cluster: Cluster): ClusterStatus["source"] {
  const annotations = cluster.metadata.annotations ?? {};
  const file = annotations[annotationKeys.sourceFile];
  if (file === undefined) return undefined;
  const commit = annotations[annotationKeys.sourceCommit];
  const line = Number(annotations[annotationKeys.sourceLine] ?? "1");
  return { file, line, ...(commit === undefined ? {} : { commit }) };
}

import { appendAll } from "../core/append-all.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Condition } from "../model/kubernetes.ts";
import { annotationKeys } from "../model/well-known.ts";
import { heartbeatOf } from "./cluster-settings.ts";
import type { AgentFacts, ClusterStatusInputs } from "./cluster-status-inputs.ts";
import type { ConditionResult } from "./conditions.ts";
import { findCondition } from "./conditions.ts";
import { describeEdits } from "./edits-by-hand.ts";

/** Smallest skew of clocks that is shown. */
const shownSkewSeconds = 60;

/** Reasons of invalid credentials that mean: this member may not be part of the fleet now. */
const rejectingReasons: readonly string[] = ["IdentityLost", "Revoked", "KeyMismatch", "ClientIDMismatch"];

/** The conditions of a Cluster, from all that is known of it. `previous` are those that it has until now. */
export function clusterConditions(
  inputs: ClusterStatusInputs,
  previous: readonly Condition[] | undefined,
): ConditionResult[] {
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

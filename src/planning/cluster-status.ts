import { isJsonObject } from "../core/json.ts";
import { parseJson } from "../core/parse-json.ts";
import type { Cluster, ClusterStatus } from "../model/generated/cluster.ts";
import type { MemberState } from "../model/member-state.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { agentEndpoint } from "./agent-endpoint.ts";
import { clusterConditions } from "./cluster-conditions.ts";
import { deletionPolicyOf, heartbeatOf, joinModeOf } from "./cluster-settings.ts";
import type { ClusterStatusInputs } from "./cluster-status-inputs.ts";
import { toConditions } from "./conditions.ts";
import { ownedLabelKeys } from "./owned-fields.ts";

/** Cluster.status from all that is known; the same inputs give the same status. */
export function computeClusterStatus(inputs: ClusterStatusInputs): ClusterStatus {
  const { member, hub, facts, leave } = inputs;
  const { cluster, state } = member;
  const previous = cluster.status?.conditions;
  const results = clusterConditions(inputs, previous);
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

import { isTrueAt, numberAt, objectAt, textAt } from "../../../core/read-json.ts";
import { isJsonEqual, isJsonObject } from "../../../core/json.ts";
import {
  clusternetAgentNames,
  clusternetNodeLabelPrefix,
  clusternetReasons,
} from "../../../model/dialects/clusternet.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { findCondition, readConditions, toConditions } from "../../../planning/conditions.ts";
import { readAmounts } from "../../agent-amounts.ts";
import type { MemberFacts, StatusWrite } from "../../join.ts";
import { isRevoked, revokedCredentials } from "../../member-state.ts";
import { revokedAnswer } from "./answer.ts";
import { heartbeatIn, grantOf, hasHeartbeat, managedClusterOf, managedClusterRef, requestOf } from "./member-facts.ts";

/** What the field holds (int32): an API server refuses the whole status for more. */
const mostNodes = 2 ** 31 - 1;

/** The facts about a member that its agent reports. */
export function memberFacts(member: Member): MemberFacts {
  const managed = managedClusterOf(member);
  const hasJoined = hasHeartbeat(member);
  const version = textAt(managed, "status", "agentVersion");
  // In the status of every member: another text is a write for each of them at an upgrade.
  const versionText = version === undefined ? "does not say its version" : `says it is ${version.slice(0, 64)}`;
  return {
    hasJoined: hasJoined || textAt(requestOf(member), "status", "result") === "Approved",
    health: hasJoined && managed !== undefined ? healthOf(managed) : undefined,
    credentials: credentialsOf(member),
    agent: {
      status: "Unknown",
      reason: "NotManaged",
      message: `The agent ${versionText}; the hub changes no agent's version.`,
    },
    status: {
      ...(managed === undefined ? {} : clusterFacts(managed)),
      ...(member.state?.clientID === undefined ? {} : { identity: { clientID: member.state.clientID } }),
    },
  };
}

/** As the agent itself sums it up. Source: clusternet, pkg/controllers/clusters/clusterstatus. */
function healthOf(managed: KubeObject): NonNullable<MemberFacts["health"]> {
  const [healthz, livez, readyz] = ["healthz", "livez", "readyz"].map((key) => isTrueAt(managed, "status", key));
  const isHealthy = (livez === true && readyz === true) || healthz === true;
  const nodes = nodesOf(managed);
  const counted = nodes === undefined ? "" : ` ${nodes.ready} of ${nodes.total} nodes are ready.`;
  if (isHealthy) return { isHealthy, reason: "AgentBeats", message: `The cluster's API server is well.${counted}` };
  const message = `The agent reports of its API server: healthz ${healthz}, livez ${livez}, readyz ${readyz}.${counted}`;
  return { isHealthy, reason: "ApiServerNotReady", message };
}

function credentialsOf(member: Member): MemberFacts["credentials"] {
  if (isRevoked(member)) return revokedCredentials;
  if (grantOf(member) === undefined)
    return { status: "Unknown", reason: "NotIssued", message: "No agent was let in yet." };
  if (textAt(requestOf(member), "status", "result") !== "Approved" && !hasHeartbeat(member))
    return { status: "Unknown", reason: "Issuing", message: "The agent's answer is being made." };
  const message = "Clusternet's agents have a credential that does not end, and read it again at each start.";
  return { status: "True", reason: "NotRotatable", message };
}

/** Fields of Cluster.status from the agent's report; invalid values are dropped. */
function clusterFacts(managed: KubeObject): Partial<ClusterStatus> {
  const status = objectAt(managed, "status");
  const [version, platform, url] = ["k8sVersion", "platform", "apiserverURL"].map((key) => textAt(status, key) ?? "");
  const agentVersion = textAt(status, "agentVersion") ?? "";
  const nodes = nodesOf(managed);
  const amounts = (["capacity", "allocatable"] as const).flatMap((key) => {
    const versionText = readAmounts(status, key);
    return Object.keys(versionText).length === 0 ? [] : [[key, versionText] as const];
  });
  const properties = propertiesOf(managed);
  const [livez, readyz] = ["livez", "readyz"].map((key) => status?.[key]);
  return {
    agent: {
      namespace: clusternetAgentNames.namespace,
      ...(/^[!-~]{1,128}$/u.test(agentVersion) ? { version: agentVersion } : {}),
    },
    ...(/^v?\d{1,9}\.\d{1,9}[-+.\w]{0,56}$/u.test(version ?? "") ? { kubernetesVersion: version } : {}),
    ...(/^[-_.\w]{1,31}\/[-_.\w]{1,31}$/u.test(platform ?? "") ? { platform } : {}),
    ...(nodes === undefined ? {} : { nodes }),
    ...(amounts.length === 0 ? {} : { resources: Object.fromEntries(amounts) }),
    ...(typeof livez === "boolean" && typeof readyz === "boolean" ? { health: { livez, readyz } } : {}),
    ...(/^https?:\/\/[^\s?#@]{1,2000}$/u.test(url ?? "") ? { apiServer: { url } } : {}),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

function nodesOf(managed: KubeObject): ClusterStatus["nodes"] {
  const counts = objectAt(managed, "status", "nodeStatistics");
  if (counts === undefined) return undefined;
  const [ready = 0, notReady = 0, unknown = 0, lost = 0] = [
    "readyNodes",
    "notReadyNodes",
    "unknownNodes",
    "lostNodes",
  ].map((key) => Math.max(0, Math.trunc(numberAt(counts, key) ?? 0)));
  const count = (sum: number): number => Math.min(sum, mostNodes);
  return {
    total: count(ready + notReady + unknown + lost),
    ready: count(ready),
    notReady: count(notReady),
    unknown: count(unknown + lost),
  };
}

/** What only Clusternet has a field for, and the labels that the agent copied up from its nodes. */
function propertiesOf(managed: KubeObject): Record<string, string> {
  const status = objectAt(managed, "status");
  const texts = ["clusterCIDR", "serviceCIDR"].flatMap((key): [string, string][] => {
    const value = textAt(status, key) ?? "";
    return value === "" || value.length > 128 ? [] : [[`clusternet.io/${key}`, value]];
  });
  const labels = Object.entries(managed.metadata.labels ?? {}).filter(([key]) =>
    key.startsWith(clusternetNodeLabelPrefix),
  );
  return Object.fromEntries([...texts, ...labels.sort().slice(0, 64)]);
}

/**
 * Status that the hub writes into Clusternet's own objects besides the answer: for an unresponsive agent, the
 * conditions that Clusternet's readers expect. The agent writes the rest of a ManagedCluster's status.
 */
export function memberStatusWrites(member: Member, hub: HubFacts, status: ClusterStatus): StatusWrite[] {
  const managed = managedClusterOf(member);
  const healthy = findCondition(status.conditions, "Healthy");
  const isUnresponsive = healthy?.status === "Unknown" && healthy.reason === "HeartbeatMissed";
  const answers = isRevoked(member) ? revokedAnswer(member) : [];
  if (managed === undefined || !isUnresponsive) return answers;
  const reason = hasHeartbeat(member) ? clusternetReasons.unknown : clusternetReasons.neverUpdated;
  const result = { type: "Ready", status: "Unknown" as const, reason, message: healthy.message };
  const before = readConditions(managed);
  const conditions = toConditions([result], before, { nowMs: hub.nowMs });
  return [
    ...answers,
    { ref: managedClusterRef(member), status: { conditions, healthz: false, livez: false, readyz: false } },
  ];
}

/** The agent reports nothing new but the time. */
export function isOnlyClusternetHeartbeat(before: KubeObject | undefined, object: KubeObject | undefined): boolean {
  if (before === undefined || object === undefined) return false;
  if (before.metadata.generation !== object.metadata.generation) return false;
  if (!isJsonEqual(before.metadata.labels, object.metadata.labels)) return false;
  const [last, heartbeat] = [heartbeatIn(before), heartbeatIn(object)];
  if (last === undefined || heartbeat === undefined || heartbeat.marker === last.marker) return false;
  return isJsonEqual(withoutTimes(before["status"]), withoutTimes(object["status"]));
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isJsonObject(value)) return value;
  const times = ["lastObservedTime", "lastTransitionTime"];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !times.includes(key))
      .map(([key, item]) => [key, withoutTimes(item)]),
  );
}

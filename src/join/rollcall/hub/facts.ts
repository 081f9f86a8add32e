import { isTrueAt, numberAt, objectAt, textAt } from "../../../core/read-json.ts";
import type { ClusterStatus } from "../../../model/generated/cluster.ts";
import type { AgentHold, HubFacts, Member } from "../../../model/member.ts";
import { findCondition } from "../../../planning/conditions.ts";
import type { MemberFacts } from "../../join.ts";
import { keyDigest } from "../messages.ts";
import { isIdentityLost } from "./bootstrap.ts";
import {
  agentNamespaceOf,
  credentialInUse,
  hasConfirmed,
  isGranted,
  isRevoked,
  otherAgentNamed,
  reportOf,
} from "./member-facts.ts";
import { revokedCredentials } from "../../member-state.ts";
import { agentHoldOf, memberManifest, offeredManifest, versionOf } from "./member-manifest.ts";
import { clockSkewSeconds } from "./status-writes.ts";

const longestText = 256;
const mostEntries = 64;

/**
 * What is known of a member. Facts come from the report, which only its agent writes: they are checked for form and size
 * here and believed as facts alone. Who it is and what it may comes from the hub's state.
 */
export function memberFacts(member: Member, hub: HubFacts): MemberFacts {
  const skewSeconds = clockSkewSeconds(member);
  return {
    hasJoined: isGranted(member) && credentialInUse(member) > 0 && !isAwaited(member),
    health: healthOf(member),
    credentials: credentialsOf(member, hub),
    agent: agentOf(member, hub),
    ...(skewSeconds === undefined ? {} : { clockSkewSeconds: skewSeconds }),
    status: { ...rememberedStatus(member), ...reportedStatus(member) },
  };
}

/**
 * Until an agent that joins (again) works with its new credential, its report is outdated. The new credential has a
 * higher number than any of the previous name.
 */
function isAwaited(member: Member): boolean {
  const { credential, lastCredentialNumber = 0 } = member.state ?? {};
  const isFromBefore = lastCredentialNumber > (credential?.number ?? 0);
  return member.former !== undefined && (isFromBefore || !hasConfirmed(member));
}

function healthOf(member: Member): MemberFacts["health"] {
  const report = reportOf(member);
  const health = objectAt(report, "spec", "health");
  if (health === undefined) return undefined;
  if (!isTrueAt(health, "livez") || !isTrueAt(health, "readyz")) {
    const failing = isTrueAt(health, "livez") ? "/readyz" : "/livez";
    return {
      isHealthy: false,
      reason: "APIServerNotReady",
      message: `The API server of the cluster fails ${failing}.`,
    };
  }
  const total = numberAt(report, "spec", "nodes", "total") ?? 0;
  const ready = numberAt(report, "spec", "nodes", "ready") ?? 0;
  if (total > 0 && ready === 0)
    return { isHealthy: false, reason: "NoNodeReady", message: `None of ${total} nodes is ready.` };
  return { isHealthy: true, reason: "AgentReports", message: "The agent reports, and the API server is ready." };
}

function credentialsOf(member: Member, hub: HubFacts): MemberFacts["credentials"] {
  const { state } = member;
  if (isRevoked(member)) return revokedCredentials;
  if (isIdentityLost(member))
    return {
      status: "False",
      reason: "IdentityLost",
      message:
        "The hub does not remember who the cluster is; put its key (status.identity.keys) into spec.identity.keys, or restore the hub.",
    };
  if (!isGranted(member)) return { status: "Unknown", reason: "NotIssued", message: "No agent was let in yet." };
  const credential = state?.credential;
  const mismatch = otherAgentNamed(member);
  if (mismatch !== undefined) return { status: "False", reason: mismatch, message: mismatchMessages[mismatch] };
  if (credential === undefined)
    return { status: "Unknown", reason: "Issuing", message: "The first one is being made." };
  if (Date.parse(credential.expiresAt) <= hub.nowMs)
    return {
      status: "False",
      reason: "Expired",
      message: `The agent was away when credential ${credential.number} ended; it asks for the next when it is back.`,
    };
  return {
    status: "True",
    reason: "Rotating",
    message: `Credential ${credential.number} is valid until ${credential.expiresAt}; the agent renews it before.`,
  };
}

const mismatchMessages = {
  KeyMismatch:
    "spec.identity.keys of the file does not have the key of the agent that joined, which gets no further credential; add its key (status.identity.keys), or install the agent whose key is there.",
  ClientIDMismatch:
    "spec.clientID of the file is not that of the agent that joined, which gets no further credential; write its clientID (status.identity.clientID), or install the other agent.",
} as const;

function agentOf(member: Member, hub: HubFacts): MemberFacts["agent"] {
  const report = reportOf(member);
  const version = textAt(report, "spec", "agentVersion");
  if (version === undefined) return { status: "Unknown", reason: "NotReported", message: "No agent has reported yet." };
  if (member.cluster.spec?.paused)
    return { status: "Unknown", reason: "Paused", message: `The agent stays as it is (${bounded(version)}).` };
  const manifest = memberManifest(member, hub);
  const [wanted, { digest }] = [versionOf(manifest), manifest];
  if (textAt(report, "spec", "appliedManifestDigest") === digest)
    return isServed(version, hub.version)
      ? { status: "True", reason: "UpToDate", message: `The agent runs version ${bounded(version)} as wanted.` }
      : tooOld(version, hub.version);
  if (textAt(report, "spec", "refusedManifestDigest") === digest || member.state?.refusedVersion === wanted)
    return {
      status: "False",
      reason: "RolledBack",
      message: `Version ${wanted} did not become ready; ${bounded(version)} runs until version or redeployGeneration changes.`,
    };
  const hold = agentHoldOf(member, hub);
  if (hold !== undefined && offeredManifest(member, hub).digest !== digest)
    return { status: "False", ...shownHold(member, hold) };
  return { status: "False", reason: "Updating", message: `The agent runs ${bounded(version)}; ${wanted} is offered.` };
}

const holdReasons = new Set(["WaitingForWave", "RolloutStopped", "AgentSilent"]);

/** A start of the daemon does not replace a reason that the Cluster already has, only to write it again a moment later. */
function shownHold({ cluster }: Member, { reason, message, isPreliminary = false }: AgentHold) {
  const shown = findCondition(cluster.status?.conditions, "AgentUpToDate");
  return isPreliminary && shown !== undefined && holdReasons.has(shown.reason)
    ? { reason: shown.reason, message: shown.message ?? "" }
    : { reason, message };
}

/** Hubs serve agents of the two minor versions before their own. */
function isServed(agentVersion: string, hubVersion: string): boolean {
  const [agent, hub] = [agentVersion, hubVersion].map((text) => /^v?(\d+)\.(\d+)\./u.exec(text));
  if (!agent || !hub) return true; // a digest or a name is not comparable
  return agent[1] === hub[1] && Number(hub[2]) - Number(agent[2]) <= 2;
}

function tooOld(agentVersion: string, hubVersion: string): MemberFacts["agent"] {
  const message = `The agent runs version ${bounded(agentVersion)}, too old for this hub (${hubVersion}): set spec.agent.version.`;
  return { status: "False", reason: "VersionSkew", message };
}

function rememberedStatus(member: Member): Partial<ClusterStatus> {
  const { keys, clientID, join, credential } = member.state ?? {};
  // Only the recorded identity distinguishes a lost identity from none: it stays until a user declares the identity.
  const lost = isIdentityLost(member) ? member.cluster.status?.identity : undefined;
  if (keys === undefined) return lost === undefined ? {} : { identity: lost };
  return {
    identity: { ...(clientID === undefined ? {} : { clientID }), keys: [keyDigest(keys.signing)] },
    ...(join === undefined
      ? {}
      : {
          join: {
            ...(join.token === undefined ? {} : { token: join.token }),
            mode: join.initiated === "hub" ? "HubInitiated" : "AgentInitiated",
            time: join.time,
          },
        }),
    ...(credential === undefined
      ? {}
      : { credential: { number: credential.number, expires: credential.expiresAt, rotates: true } }),
  };
}

function reportedStatus(member: Member): Partial<ClusterStatus> {
  const spec = objectAt(reportOf(member), "spec");
  if (spec === undefined || textAt(spec, "agentVersion") === undefined) return {};
  const refusedVersion = textAt(spec, "refusedVersion");
  const nodes = nodeCounts(spec);
  const health = objectAt(spec, "health");
  const url = textAt(spec, "apiServer", "url");
  return {
    agent: {
      version: bounded(textAt(spec, "agentVersion") ?? ""),
      namespace: agentNamespaceOf(member),
      ...(refusedVersion === undefined ? {} : { refusedVersion: bounded(refusedVersion) }),
    },
    ...presentText("kubernetesVersion", textAt(spec, "kubernetesVersion")),
    ...presentText("platform", textAt(spec, "platform")),
    ...(nodes === undefined ? {} : { nodes }),
    ...presentMap("resources", {
      ...presentMap("capacity", quantities(spec, "capacity")),
      ...presentMap("allocatable", quantities(spec, "allocatable")),
      ...presentMap("available", quantities(spec, "available")),
    }),
    ...(health === undefined
      ? {}
      : { health: { livez: isTrueAt(health, "livez"), readyz: isTrueAt(health, "readyz") } }),
    ...(url !== undefined && /^https?:\/\/[^\s?#@]{1,2000}$/u.test(url) ? { apiServer: { url } } : {}),
    ...presentMap("properties", properties(spec)),
  };
}

function nodeCounts(spec: unknown): ClusterStatus["nodes"] {
  const count = (key: string) => {
    const value = numberAt(spec, "nodes", key);
    return value !== undefined && Number.isInteger(value) && value >= 0 && value < 2 ** 31 ? value : undefined;
  };
  const total = count("total");
  const ready = count("ready");
  if (total === undefined || ready === undefined) return undefined;
  const notReady = count("notReady");
  const unknown = count("unknown");
  return {
    total,
    ready,
    ...(notReady === undefined ? {} : { notReady }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function quantities(spec: unknown, kind: string): Record<string, string> {
  return boundedMap(objectAt(spec, "resources", kind), (value) => /^[0-9.]+[A-Za-z]{0,2}$/u.test(value));
}

function properties(spec: unknown): Record<string, string> {
  return boundedMap(objectAt(spec, "properties"), () => true);
}

function boundedMap(map: object | undefined, isAllowed: (value: string) => boolean): Record<string, string> {
  const texts = Object.entries(map ?? {})
    .filter((entry): entry is [string, string | number] => ["string", "number"].includes(typeof entry[1]))
    .map(([key, value]) => [key, String(value)] as const)
    .filter(([key, value]) => /^[-._/A-Za-z0-9]{1,253}$/u.test(key) && value.length <= longestText && isAllowed(value));
  return Object.fromEntries(texts.slice(0, mostEntries));
}

function presentText(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: bounded(value).slice(0, 64) };
}

function presentMap(key: string, map: object): Record<string, object> {
  return Object.keys(map).length === 0 ? {} : { [key]: map };
}

/** Text of an agent, for people and tables: short, and without anything that moves a cursor. */
function bounded(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, "?").slice(0, 128);
}

import { digestJson } from "../../../core/digest.ts";
import { clusternetImportLifeMs, tokenAccountName } from "../../../model/dialects/clusternet.ts";
import { isAdopting } from "../../../model/is-adopting.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import type { BootstrapValues } from "../../join.ts";
import { filledToken, hasImportEnded, isHubInitiated, isLeaving, isRevoked } from "../../member-state.ts";
import { accountTokenName } from "../../render-access.ts";
import { clusternetAgentManifest } from "../manifests/agent-manifest.ts";
import { grantOf, hasHeartbeat, isAnswerOpen } from "./member-facts.ts";

/** The hub must install the agent downstream, for the first time or because its Cluster changed. */
export function needsInstall(member: Member, hub: HubFacts, manifestOf = clusternetAgentManifest): boolean {
  const { cluster, state } = member;
  if (!isHubInitiated(member) || isLeaving(member) || isRevoked(member) || cluster.spec?.paused === true) return false;
  const { install } = state ?? {};
  const generation = cluster.spec?.agent?.redeployGeneration ?? 0;
  // Clusternet's approver admitted a working agent: it is not changed until a file asks for another.
  if (isTakenOver(member) && generation === (install?.redeployGeneration ?? 0)) return false;
  if (install === undefined || install.redeployGeneration !== generation) return true;
  return install.manifestDigest !== digestJson(manifestOf(member, hub));
}

/** No agent joined before its credential ended, and none can any more: it is installed with a new one. */
function hasEndedUnused(member: Member, { nowMs }: HubFacts): boolean {
  if (member.cluster.spec?.paused === true || grantOf(member) !== undefined || hasHeartbeat(member)) return false;
  if (!isHubInitiated(member) || isLeaving(member) || isRevoked(member)) return false;
  const account = tokenAccountName(member.name);
  return hasImportEnded(member, { nowMs, lifeMs: clusternetImportLifeMs, account });
}

function isTakenOver(member: Member): boolean {
  return isAdopting(member.cluster) && grantOf(member) === undefined && hasHeartbeat(member);
}

/** The credential that the hub made for this cluster alone may still be used: to be installed, to ask, to read the answer. */
export function isImportOpen(member: Member, hub: HubFacts): boolean {
  if (!isHubInitiated(member) || isLeaving(member) || isRevoked(member)) return false;
  if (needsInstall(member, hub) || hasEndedUnused(member, hub)) return true;
  const installedMs = Date.parse(member.state?.install?.time ?? "");
  if (Number.isNaN(installedMs) || hub.nowMs >= installedMs + clusternetImportLifeMs) return false;
  const grant = grantOf(member);
  const hasJoinedSince = grant !== undefined && grant.grantedMs >= installedMs;
  return !hasJoinedSince || isAnswerOpen(member, grant, hub);
}

/** What the agent is to be installed with, once the token of its account is there. */
export function pendingImport(
  member: Member,
  hub: HubFacts,
): { readonly number: number; readonly values: BootstrapValues } | undefined {
  if (!needsInstall(member, hub) && !hasEndedUnused(member, hub)) return undefined;
  const token = filledToken(member, accountTokenName(tokenAccountName(member.name)));
  if (token === undefined) return undefined;
  return { number: (member.state?.install?.bootstrap ?? 0) + 1, values: { regToken: token } };
}

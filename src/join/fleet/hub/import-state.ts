import { digestJson } from "../../../core/digest.ts";
import { numberAt } from "../../../core/read-json.ts";
import { fleetImportLifeMs, importTokenName } from "../../../model/dialects/fleet.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { agentEndpoint } from "../../../planning/agent-endpoint.ts";
import type { BootstrapValues } from "../../join.ts";
import { filledToken, hasImportEnded, isHubInitiated, isLeaving, isRevoked } from "../../member-state.ts";
import { fleetAgentManifest } from "../manifests/agent-manifest.ts";
import { bootstrapValues } from "../manifests/bootstrap-values.ts";
import { fleetClusterOf, grantOf, hasPreviousGrant, isAnswerOpen } from "./member-facts.ts";
import { accountTokenName } from "../../render-access.ts";

/** The hub must install the agent downstream, for the first time or because its Cluster changed. */
export function needsInstall(member: Member, hub: HubFacts): boolean {
  const { cluster, state } = member;
  if (!isHubInitiated(member) || isLeaving(member) || isRevoked(member) || cluster.spec?.paused === true) return false;
  const { install } = state ?? {};
  const generation = cluster.spec?.agent?.redeployGeneration ?? 0;
  // Fleet's controllers installed a working agent: it is not changed until a file asks for another.
  if (install === undefined && hasPreviousGrant(member))
    return (numberAt(fleetClusterOf(member), "status", "agentDeployedGeneration") ?? 0) !== generation;
  if (install === undefined || install.redeployGeneration !== generation) return true;
  if (hasEndedUnused(member, hub)) return true;
  return install.manifestDigest !== digestJson(fleetAgentManifest(member, hub));
}

/** No agent joined before its token ended, and none can any more: it is installed with a new one. */
function hasEndedUnused(member: Member, { nowMs }: HubFacts): boolean {
  const isUnused = grantOf(member) === undefined && !hasPreviousGrant(member);
  return (
    isUnused && hasImportEnded(member, { nowMs, lifeMs: fleetImportLifeMs, account: importTokenName(member.name) })
  );
}

/** The token that the hub made for this cluster alone may still be used: to be installed, to ask, to read the answer. */
export function isImportOpen(member: Member, hub: HubFacts): boolean {
  if (!isHubInitiated(member) || isLeaving(member) || isRevoked(member)) return false;
  if (needsInstall(member, hub)) return true;
  const endMs = importEndMs(member);
  if (endMs === undefined || hub.nowMs >= endMs) return false;
  const grant = grantOf(member);
  const hasJoinedSince = grant !== undefined && grant.grantedMs >= endMs - fleetImportLifeMs;
  return !hasJoinedSince || isAnswerOpen(grant, hub);
}

/** When the token that the hub installed the agent with ends (epoch ms); undefined before it was installed. */
export function importEndMs({ state }: Pick<Member, "state">): number | undefined {
  const installedMs = Date.parse(state?.install?.time ?? "");
  return Number.isNaN(installedMs) ? undefined : installedMs + fleetImportLifeMs;
}

/** What the agent is to be installed with, once the token of the import account is there. */
export function pendingImport(
  member: Member,
  hub: HubFacts,
): { readonly number: number; readonly values: BootstrapValues } | undefined {
  if (!needsInstall(member, hub)) return undefined;
  const tokenName = importTokenName(member.name);
  const token = filledToken(member, accountTokenName(tokenName));
  if (token === undefined) return undefined;
  const values = bootstrapValues({ workspace: member.workspace, tokenName, token, ...agentEndpoint(member, hub) });
  return { number: (member.state?.install?.bootstrap ?? 0) + 1, values };
}

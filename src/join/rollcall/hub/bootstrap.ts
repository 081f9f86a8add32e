import { textAt } from "../../../core/read-json.ts";
import { parseJson } from "../../../core/parse-json.ts";
import { bootstrapSecretName } from "../../../model/dialects/rollcall.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { readAgentValues } from "../agent-values.ts";
import type { AgentValues } from "../agent-values.ts";
import { isIssuedFor } from "./issued-for.ts";
import {
  childOf,
  hasConfirmed,
  successorKeyOf,
  isGranted,
  isHubInitiated,
  isLeaving,
  isRevoked,
} from "./member-facts.ts";

/**
 * The token that the hub makes for one cluster alone, when it installs the agent itself: one use, one hour, and no
 * ClusterRegistrationToken. Its values are in a Secret on the hub until the agent is in.
 */
export interface Bootstrap {
  readonly number: number;
  /** Absent while it is still to be issued. */
  readonly values?: AgentValues;
}

/** The member's bootstrap: to be issued, to be installed, or still needed by the agent to read its answer. */
export function currentBootstrap(member: Member, hub: HubFacts): Bootstrap | undefined {
  const { state } = member;
  if (isLeaving(member) || isRevoked(member) || isIdentityLost(member)) return undefined;
  const issued = state?.bootstrap;
  const isUsed = issued !== undefined && state?.join?.bootstrap === issued.number;
  const isLive = issued !== undefined && Date.parse(issued.expiresAt) > hub.nowMs;
  if (isLive && isUsed && !hasConfirmed(member)) return { number: issued.number, ...valuesOf(member, issued.number) };
  if (successorKeyOf(member) !== undefined) return undefined;
  if (!isHubInitiated(member) || member.cluster.spec?.paused) return undefined;
  if (isGranted(member) && state?.rejoin === undefined) return undefined;
  const stored = isLive && !isUsed ? valuesOf(member, issued.number) : {};
  if (issued !== undefined && stored.values !== undefined) return { number: issued.number, ...stored };
  return { number: (issued?.number ?? 0) + 1 };
}

/** Values that wait to be installed downstream by the hub; undefined when there is nothing to install for a join. */
export function pendingBootstrap(member: Member, hub: HubFacts): Required<Bootstrap> | undefined {
  const bootstrap = currentBootstrap(member, hub);
  if (bootstrap?.values === undefined) return undefined;
  const { join, install } = member.state ?? {};
  if (join?.bootstrap === bootstrap.number || install?.bootstrap === bootstrap.number) return undefined;
  return { number: bootstrap.number, values: bootstrap.values };
}

/**
 * The hub knew this member, and its state with its identity was deleted. No agent is admitted as it until git names its
 * keys or a restore brings the state back. Its objects stay unchanged.
 */
export function isIdentityLost(member: Member): boolean {
  return member.state?.keys === undefined && (member.cluster.status?.identity?.keys ?? []).length > 0;
}

function valuesOf(member: Member, number: number): { values?: AgentValues } {
  const encoded = textAt(
    childOf(member, resourceTypes.secret, bootstrapSecretName(member.name, number)),
    "data",
    "values",
  );
  if (encoded === undefined) return {};
  const values = readAgentValues(parseJson(Buffer.from(encoded, "base64").toString("utf8")));
  return "lack" in values || !isIssuedFor(values.token.credential, member) ? {} : { values };
}

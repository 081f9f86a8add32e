import type { ClusterStatus } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { HubFacts, Member } from "../model/member.ts";
import type { Refusal } from "./cluster-status-inputs.ts";
import { computeClusterStatus } from "./cluster-status.ts";
import { isMadeByHand, refusalNotInGit } from "./edits-by-hand.ts";

/** Why the hub does nothing for a Cluster or token of this protocol, and which option changes that. */
export function refusalNotServed(protocol: ProtocolName): Refusal {
  const message = `The daemon does not serve agents of protocol ${protocol}. ${describeServing(protocol)}`;
  return { reason: "NotServed", message };
}

/** The options that serve agents of a foreign protocol, as a sentence. */
export function describeServing(protocol: ProtocolName): string {
  const value = `serve${protocol.slice(0, 1).toUpperCase()}${protocol.slice(1)}`;
  return `Start it with --serve-${protocol}; in the chart, set options.${value}: true.`;
}

/** The status of a member whose protocol is not served. What its agent reported before stays, without its health. */
export function notServedStatus(member: Member, hub: HubFacts): ClusterStatus {
  const { cluster } = member;
  const refusal = refusalNotServed(cluster.spec?.protocol ?? "rollcall");
  const { conditions: _, leave: _leave, ...reported } = cluster.status ?? {};
  const unknown = { status: "Unknown", ...refusal } as const;
  return computeClusterStatus({
    member,
    hub,
    facts: { hasJoined: false, health: undefined, credentials: unknown, agent: unknown, status: reported },
    heartbeat: { kind: "unwatched" },
    install: { kind: "pending", ...refusal },
    failure: refusal,
    ...(isMadeByHand(member) ? { refusal: refusalNotInGit(cluster) } : {}),
  });
}

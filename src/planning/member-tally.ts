import { compact } from "../core/compact.ts";
import { compareText } from "../core/compare-text.ts";
import { isSuspended } from "../model/is-suspended.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import type { Member } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";
import { clusterPhase } from "./cluster-phase.ts";
import { findCondition } from "./conditions.ts";

/** What a record needs of a member. */
export type RecordedMember = Pick<Member, "workspace" | "name" | "cluster" | "state">;

/** What one member adds to a summary. */
interface Share {
  readonly ready: string;
  readonly state: string;
  readonly leaving: string | undefined;
  readonly protocol: string;
  readonly agentVersion: string | undefined;
  readonly kubernetesVersion: string | undefined;
  readonly isSuspended: boolean;
  readonly revocation: ReturnType<typeof revocationOf>;
}

const counted = ["ready", "state", "leaving", "protocol", "agentVersion", "kubernetesVersion"] as const;

/** The part of a summary that depends on members, kept while they come, change and go: no other member is visited for one. */
export class MemberTally {
  readonly #shares = new Map<string, Share>();
  readonly #counts = new Map<(typeof counted)[number], Map<string, number>>();
  readonly #suspended = new Set<string>();
  readonly #revoked = new Map<string, NonNullable<Share["revocation"]>>();

  /** Takes in a member (`workspace/name`); undefined: it is none any more. */
  set(key: string, member: RecordedMember | undefined): void {
    const before = this.#shares.get(key);
    if (before) this.#count(before, -1);
    this.#shares.delete(key);
    this.#suspended.delete(key);
    this.#revoked.delete(key);
    if (!member) return;
    const share = shareOf(member);
    this.#shares.set(key, share);
    this.#count(share, 1);
    if (share.isSuspended) this.#suspended.add(key);
    if (share.revocation) this.#revoked.set(key, share.revocation);
  }

  has(key: string): boolean {
    return this.#shares.has(key);
  }

  counts() {
    const ready = this.#counts.get("ready");
    return {
      clusters: this.#shares.size,
      ready: ready?.get("True") ?? 0,
      notReady: ready?.get("False") ?? 0,
      unknown: ready?.get("Unknown") ?? 0,
      leaving: this.#counts.get("leaving")?.get("leaving") ?? 0,
    };
  }

  /** How many members have each value; undefined when none has one. */
  countsBy(field: "state" | "protocol" | "agentVersion" | "kubernetesVersion"): Record<string, number> | undefined {
    const counts = this.#counts.get(field) ?? new Map<string, number>();
    return counts.size === 0 ? undefined : Object.fromEntries([...counts].sort(([a], [b]) => compareText(a, b)));
  }

  suspensions(): string[] {
    return [...this.#suspended].map((key) => `Cluster/${key}`).sort(compareText);
  }

  revocations(): NonNullable<FleetSummary["revocations"]> {
    return [...this.#revoked]
      .map(([key, revocation]) => ({ object: `Cluster/${key}`, ...revocation }))
      .sort((a, b) => compareText(a.object, b.object));
  }

  #count(share: Share, by: 1 | -1): void {
    for (const field of counted) {
      const value = share[field];
      if (value === undefined) continue;
      const counts = this.#counts.get(field) ?? new Map<string, number>();
      this.#counts.set(field, counts);
      const count = (counts.get(value) ?? 0) + by;
      if (count === 0) counts.delete(value);
      else counts.set(value, count);
    }
  }
}

function shareOf({ cluster }: RecordedMember): Share {
  const { annotations = {} } = cluster.metadata;
  const { conditions, agent, kubernetesVersion } = cluster.status ?? {};
  return {
    ready: findCondition(conditions, "Ready")?.status ?? "Unknown",
    state: clusterPhase(cluster),
    leaving: annotations[annotationKeys.leave] === undefined ? undefined : "leaving",
    protocol: cluster.spec?.protocol ?? "rollcall",
    agentVersion: agent?.version,
    kubernetesVersion,
    isSuspended: isSuspended(cluster),
    revocation: revocationOf(cluster),
  };
}

/** Who revoked a Cluster, when, and the file that this outranks; undefined when it is not revoked. */
export function revocationOf(cluster: Cluster): ClusterRecord["revoked"] {
  const text = cluster.metadata.annotations?.[annotationKeys.revoked];
  if (text === undefined) return undefined;
  const [blob, by, time] = text.split("/");
  return compact({ blob, by, time });
}

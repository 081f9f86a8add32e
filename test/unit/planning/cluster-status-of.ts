import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { HubFacts, Member } from "../../../src/model/member.ts";
import type { AgentFacts, ClusterStatusInputs } from "../../../src/planning/cluster-status-inputs.ts";
import { computeClusterStatus } from "../../../src/planning/cluster-status.ts";

const hub = { nowMs: Date.parse("2027-01-01T00:00:00Z"), endpoint: { url: "https://hub", caBundle: "ca" } } as HubFacts;
export const good = { status: "True", reason: "Issued", message: "It is valid." } as const;
export const well: AgentFacts = {
  hasJoined: true,
  health: { isHealthy: true, reason: "AgentHealthy", message: "It is well." },
  credentials: good,
  agent: { status: "True", reason: "UpToDate", message: "It runs 1.0." },
  status: {},
};
export const absent: AgentFacts = { ...well, hasJoined: false, health: undefined };
export const lost: AgentFacts = {
  ...well,
  credentials: { status: "False", reason: "IdentityLost", message: "Its keys are lost." },
};

export const leave = { phase: "Waiting", commit: "c0ffee" } as NonNullable<Given["leave"]>;

/** What is known of cluster eu-1 besides that it is well. */
export interface Given extends Partial<Omit<ClusterStatusInputs, "member" | "hub">> {
  readonly spec?: Cluster["spec"];
  readonly metadata?: Partial<Cluster["metadata"]>;
  readonly status?: Cluster["status"];
  readonly state?: MemberState;
}

export function statusOf({ spec, metadata, status, state, ...inputs }: Given = {}) {
  const cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "fleet", ...metadata },
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  } as Cluster;
  const member: Member = { workspace: "fleet", name: "eu-1", cluster, state, children: [] };
  return computeClusterStatus({ member, hub, facts: well, heartbeat: { kind: "alive" }, ...inputs });
}

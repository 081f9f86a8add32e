import { describe, expect, it } from "vitest";
import { renderClusterDetail } from "../../../src/cli/render/render-status.ts";
import { heartbeatTime } from "../../../src/daemon/read-heartbeat.ts";
import { foreignProtocols } from "../../../src/daemon/foreign-protocols.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { childByRef } from "../../../src/join/member-state.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import type { ClusterPhase } from "../../../src/planning/cluster-phase.ts";
import { clusterPhase } from "../../../src/planning/cluster-phase.ts";
import { computeClusterStatus } from "../../../src/planning/cluster-status.ts";
import type { HeartbeatState } from "../../../src/planning/cluster-status-inputs.ts";
import { clusterDetail } from "../../../src/planning/views/cluster-detail.ts";
import { clusterRow } from "../../../src/planning/views/cluster-row.ts";
import { forgeLinks } from "../../../src/planning/views/forge-links.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "./hub-scene.ts";
import { grantedMemory } from "./fleet/fleet-scene.ts";

const nowMs = startMs + 60_000;
const time = (atMs: number): string => new Date(atMs).toISOString().replace(/\.\d{3}Z$/u, "Z");
const beatTime = time(nowMs - 20_000);
const labels = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": workspace };
const clusternetId = "dc91021d-2361-4f6d-a404-7c33b9e01118";

/** A protocol with the state and the objects of a member whose agent has joined and sends heartbeats. */
interface Row {
  readonly protocol: JoinProtocol;
  readonly spec: NonNullable<Cluster["spec"]>;
  readonly state?: MemberState;
  readonly children: (member: Member) => readonly KubeObject[];
  /** What `rollcall status` shows of the joined member: joined, heartbeat, credential. */
  readonly joined: readonly [string, string, string];
}

function foreign(name: "fleet" | "kubefleet" | "clusternet"): JoinProtocol {
  const entry = foreignProtocols.get(name);
  if (entry === undefined) throw new Error(`no protocol ${name}`);
  return entry.protocol;
}

const agent = makeAgent();
const kubefleet = {
  protocol: foreign("kubefleet"),
  children: (): KubeObject[] => [
    {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "InternalMemberCluster",
      metadata: { name: "eu-1", namespace: "fleet-member-eu-1", labels, generation: 1 },
      status: {
        agentStatus: [
          {
            type: "MemberAgent",
            conditions: ["Joined", "Healthy"].map((type) => ({ type, status: "True", reason: type })),
            lastReceivedHeartbeat: beatTime,
          },
        ],
      },
    },
  ],
};
const rows: Readonly<Record<string, Row>> = {
  rollcall: {
    protocol: rollcallProtocol,
    spec: {},
    state: memberStateOf(agent, {
      credential: { number: 1, issuedAt: time(startMs), expiresAt: time(startMs + 3600_000) },
      liveCredentials: [1],
      join: { token: "edge", tokenUse: 1, time: time(startMs), registration: "request", initiated: "agent" },
    }),
    children: () => [
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "rollcall-eu-1", namespace: workspace },
        spec: { renewTime: beatTime },
      },
      {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "ClusterReport",
        metadata: { name: "eu-1", namespace: workspace, generation: 1 },
        spec: { credentialNumber: 1, agentVersion: "0.1.0", health: { livez: true, readyz: true } },
      },
    ],
    joined: ["60s ago, by token edge", "20s ago", `number 1, until ${time(startMs + 3600_000)}`],
  },
  fleet: {
    protocol: foreign("fleet"),
    spec: { protocol: "fleet" },
    state: grantedMemory(),
    children: () => [
      {
        apiVersion: "fleet.cattle.io/v1alpha1",
        kind: "Cluster",
        metadata: { name: "eu-1", namespace: workspace },
        status: { agent: { lastSeen: beatTime, namespace: "cattle-fleet-system" } },
      },
    ],
    joined: ["60s ago, by token edge", "20s ago", "valid, no end"],
  },
  "kubefleet without a kubeconfig": {
    ...kubefleet,
    spec: { protocol: "kubefleet" },
    joined: ["60s ago, without a token", "20s ago", "valid, no end"],
  },
  "kubefleet with a kubeconfig": {
    ...kubefleet,
    spec: { protocol: "kubefleet", kubeConfigSecretRef: { name: "k" } },
    state: { credential: { number: 2, issuedAt: time(startMs), expiresAt: time(startMs + 3600_000) } },
    joined: ["60s ago, installed by the hub", "20s ago", `number 2, until ${time(startMs + 3600_000)}`],
  },
  clusternet: {
    protocol: foreign("clusternet"),
    spec: { protocol: "clusternet" },
    state: {
      clientID: clusternetId,
      join: { time: time(startMs), registration: `clusternet-${clusternetId}`, initiated: "agent" },
      protocolFacts: { requestUid: "uid-1", clusterId: clusternetId },
    },
    children: (member) => [
      {
        apiVersion: "clusters.clusternet.io/v1beta1",
        kind: "ManagedCluster",
        metadata: {
          name: "eu-1",
          namespace: foreign("clusternet").heartbeatRef(member).namespace ?? "",
          labels,
        },
        status: { lastObservedTime: beatTime, healthz: true, livez: true, readyz: true },
      },
    ],
    joined: ["60s ago, without a token", "20s ago", "valid, no end"],
  },
};

type State =
  | "declared"
  | "joined"
  | "silent"
  | "revoked"
  | "revoked for long"
  | "leaving"
  | "leaving for long"
  | "moving";

/** By docs/cluster-states.md: the state, and what Accepted, Joined, Healthy and CredentialsValid are then. */
const phases: Readonly<Record<State, readonly [ClusterPhase, string, string, string, string]>> = {
  declared: ["Joining", "True", "False", "Unknown", "Unknown"],
  joined: ["Ready", "True", "True", "True", "True"],
  silent: ["Unresponsive", "True", "True", "Unknown", "True"],
  revoked: ["Revoked", "False", "True", "True", "False"],
  "revoked for long": ["Revoked", "False", "True", "Unknown", "False"],
  leaving: ["Leaving", "True", "True", "True", "False"],
  "leaving for long": ["Leaving", "True", "True", "Unknown", "False"],
  moving: ["Moving", "True", "True", "True", "True"],
};
const states = Object.keys(phases) as State[];

/** The member in this state. */
function memberIn({ spec, state, children }: Row, phase: State): Member {
  if (phase === "declared") return memberOf("eu-1", { spec });
  const annotations: Record<string, string> = {
    ...(phase.startsWith("revoked") ? { "rollcall.dev/revoked": "2027-01-01T00:00:00Z" } : {}),
    ...(phase.startsWith("leaving") ? { "rollcall.dev/leave": "c0ffee" } : {}),
    ...(phase === "moving" ? { "rollcall.dev/moved-to": "fleet/eu-2" } : {}),
  };
  const parts = { spec, annotations, ...(state === undefined ? {} : { state }) };
  return memberOf("eu-1", { ...parts, children: children(memberOf("eu-1", parts)) });
}

/** Everything that a user sees of it: conditions, page API, `rollcall status`. */
function viewsOf(row: Row, state: State) {
  const { protocol } = row;
  const member = memberIn(row, state);
  const hub = hubFacts({ nowMs });
  const isUnresponsive = state === "silent" || state.endsWith("for long");
  const heartbeat: HeartbeatState = isUnresponsive ? { kind: "unresponsive", forMs: 600_000 } : { kind: "alive" };
  const joinedAt = [
    { type: "Joined", status: "True" as const, reason: "Joined", message: "", lastTransitionTime: time(startMs) },
  ];
  const previous = {
    ...member,
    cluster: { ...member.cluster, status: { conditions: state === "declared" ? [] : joinedAt } },
  };
  const leave = { commit: "c0ffee", since: time(startMs), phase: "Removing" as const };
  const status = computeClusterStatus({
    member: previous,
    hub,
    facts: protocol.factsOf(member, hub),
    heartbeat,
    ...(state.startsWith("leaving") ? { leave, isRevokedByOffboarding: true } : {}),
  });
  const cluster: Cluster = { ...member.cluster, status };
  const last = heartbeatTime(protocol, childByRef(member, protocol.heartbeatRef(member)));
  const beats = { ...(last === undefined ? {} : { last }), seen: [] };
  const parts = { state: undefined, beats, links: forgeLinks(undefined), requests: [], history: [], nowMs };
  const detail = clusterDetail({ cluster, row: clusterRow(cluster, []), ...parts });
  const screen = renderClusterDetail(detail, { isColour: false, nowMs });
  const line = (title: string): string => new RegExp(`^ {2}${title} +(.*)$`, "mu").exec(screen)?.[1] ?? "no line";
  const condition = (type: string) => (status.conditions ?? []).find((one) => one.type === type);
  return { cluster, detail, condition, shown: [line("joined"), line("heartbeat"), line("credential")] };
}

describe.each(Object.entries(rows))("a member of protocol %s", (_name, row) => {
  it("shows nothing of an agent before one has joined", () => {
    const { shown, detail, condition } = viewsOf(row, "declared");
    expect(shown.slice(0, 2)).toEqual(["not yet", "none seen"]);
    expect(detail.join).toBeUndefined();
    expect(condition("Joined")?.status).toBe("False");
  });

  it("shows since when it has joined, its last heartbeat and its credential", () => {
    const { shown, detail, condition } = viewsOf(row, "joined");
    expect(shown).toEqual(row.joined);
    expect([detail.beats.last, detail.credential?.state]).toEqual([beatTime, "Valid"]);
    expect(Date.parse(detail.join?.time ?? "")).toBe(startMs);
    expect(condition("Healthy")?.status).toBe("True");
  });

  it("names keys of its own only where the protocol has them", () => {
    const message = viewsOf(row, "joined").condition("Joined")?.message ?? "";
    expect(message.includes("keys")).toBe(row.protocol.name === "rollcall");
  });

  it("keeps the last heartbeat of an agent that misses them", () => {
    const { shown, condition } = viewsOf(row, "silent");
    expect(shown).toEqual(row.joined);
    expect(condition("Healthy")?.reason).toBe("HeartbeatMissed");
  });

  it.each(["revoked", "leaving"] as const)("reports no valid credential when it is %s", (state) => {
    const { shown, detail, condition } = viewsOf(row, state);
    expect(condition("CredentialsValid")?.status).toBe("False");
    expect(shown[2]).toBe("revoked");
    expect(detail.credential?.state).toBe("Revoked");
  });

  it.each(states)("is in the state that the docs describe when it is %s, and each condition agrees", (state) => {
    const { cluster, condition } = viewsOf(row, state);
    const found = ["Accepted", "Joined", "Healthy", "CredentialsValid"].map((type) => condition(type)?.status);
    expect([clusterPhase(cluster), ...found]).toEqual(phases[state]);
    expect(condition("Ready")?.status).toBe(phases[state][0] === "Ready" ? "True" : "False");
  });

  it.each(states)("gives no advice that does not help when it is %s", (state) => {
    const { condition, detail } = viewsOf(row, state);
    const messages = detail.conditions.map(({ message }) => message).join("\n");
    const isAdmitted = !state.startsWith("revoked") && !state.startsWith("leaving");
    if (!isAdmitted) expect(messages).not.toContain("Check its Pod");
    if (state.startsWith("revoked")) {
      expect(condition("Ready")?.reason).toBe("Revoked");
      expect(messages).toContain("must be installed again");
      expect(messages).not.toContain("undo");
    }
  });
});

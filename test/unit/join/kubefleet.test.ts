import { describe, expect, it } from "vitest";
import { objectAt } from "../../../src/core/read-json.ts";
import { memberEvents } from "../../../src/join/kubefleet/hub/member-events.ts";
import { kubefleetProtocol as protocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { Cluster, ClusterStatus } from "../../../src/model/generated/cluster.ts";
import type { Condition, KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { hubFacts, memberOf, startMs, workspace } from "./hub-scene.ts";

const hourMs = 3600_000;
const toTime = (atMs: number) => new Date(atMs).toISOString().replace(/\.\d{3}Z$/u, "Z");
const outside = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": workspace };
const home = "fleet-member-eu-1";
const hubInitiated: Cluster["spec"] = { protocol: "kubefleet", kubeConfigSecretRef: { name: "kube" } };

function internal(beatMs: number, more: Record<string, unknown> = {}): KubeObject {
  const at = { lastTransitionTime: toTime(startMs), message: "" };
  return {
    apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
    kind: "InternalMemberCluster",
    metadata: { name: "eu-1", namespace: home, labels: outside, generation: 1 },
    spec: { state: "Join" },
    status: {
      agentStatus: [
        {
          type: "MemberAgent",
          conditions: [
            { type: "Joined", status: "True", reason: "InternalMemberClusterJoined", ...at },
            { type: "Healthy", status: "True", reason: "InternalMemberClusterHealthy", ...at },
          ],
          lastReceivedHeartbeat: toTime(beatMs),
        },
      ],
      properties: { "kubernetes-fleet.io/node-count": { value: "3", observationTime: toTime(beatMs) } },
      ...more,
    },
  };
}

/** Every object that the protocol wants, as it is once it was made. */
function settled(parts: { spec?: Cluster["spec"]; state?: MemberState; more?: KubeObject[] }): Member {
  let children: KubeObject[] = parts.more ?? [];
  const made = () => memberOf("eu-1", { spec: parts.spec ?? {}, state: parts.state, children });
  for (let round = 0; round < 2; round++) {
    const there = new Set(children.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    const wanted = protocol.desiredObjects(made());
    children = [...children, ...wanted.filter(({ kind, metadata }) => !there.has(`${kind}/${metadata.name}`))];
  }
  return made();
}

function credentialSecret(number: number): KubeObject {
  const token = Buffer.from(`token ${number}`, "utf8").toString("base64");
  const metadata = { name: `rollcall-eu-1.${number}`, namespace: workspace };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { token } };
}

describe("KubeFleet's rights", () => {
  it("are bound to what the file names, with the API group that a User or a Group needs", () => {
    const identity = { kind: "Group", name: "agents", apiGroup: "" } as const;
    const member = settled({ spec: { protocol: "kubefleet", kubefleet: { identity } } });
    const binding = member.children.find(({ kind }) => kind === "RoleBinding");
    expect(binding?.["subjects"]).toEqual([{ kind: "Group", name: "agents", apiGroup: "rbac.authorization.k8s.io" }]);
    expect(member.children.some(({ kind }) => kind === "ServiceAccount" || kind === "Secret")).toBe(false);
  });

  it("have the API group of the account that the file names, where it names one", () => {
    const identity = { kind: "User", name: "agent", apiGroup: "accounts.example.com" } as const;
    const { children } = settled({ spec: { protocol: "kubefleet", kubefleet: { identity } } });
    const binding = children.find(({ kind }) => kind === "RoleBinding");
    expect(binding?.["subjects"]).toEqual([{ kind: "User", name: "agent", apiGroup: "accounts.example.com" }]);
    expect(children.find(({ kind }) => kind === "MemberCluster")?.["spec"]).toMatchObject({ identity });
  });

  it("end when the member is revoked, and the objects that its agent reads stay", () => {
    const annotations = { "rollcall.dev/revoked": "-/me/now" };
    const { children } = settled({});
    const kinds = protocol.desiredObjects(memberOf("eu-1", { annotations, children })).map(({ kind }) => kind);
    expect(kinds).toEqual(["MemberCluster", "Namespace", "Role", "InternalMemberCluster"]);
  });

  it("issue nothing for an account that the hub did not make", () => {
    const identity = { kind: "ServiceAccount", name: "eu-1-hub-cluster-access", namespace: "fleet-system" } as const;
    const spec = { ...hubInitiated, kubefleet: { identity } };
    const member = settled({ spec });
    expect(protocol.credentialsDue({ kind: "member", member }, hubFacts())).toEqual([]);
    expect(protocol.pendingBootstrap(member, hubFacts())).toBeUndefined();
    expect(protocol.factsOf(member, hubFacts()).credentials).toMatchObject({ status: "True", reason: "NotRotatable" });
  });
});

describe("KubeFleet's tokens", () => {
  const credential = { number: 2, issuedAt: toTime(startMs), expiresAt: toTime(startMs + 24 * hourMs) };
  const state: MemberState = { credential, liveCredentials: [1, 2], lastCredentialNumber: 2 };
  const install = { manifestDigest: "x", kubeconfigDigest: "y", redeployGeneration: 0, bootstrap: 2 };
  const more = [credentialSecret(1), credentialSecret(2)];
  const names = (member: Member, nowMs: number) =>
    protocol.keptObjects({ kind: "member", member }, hubFacts({ nowMs })).map(({ name }) => name);

  it("are renewed at half of the life that the API server granted", () => {
    const member = settled({ spec: hubInitiated, state, more });
    const due = (nowMs: number) => protocol.credentialsDue({ kind: "member", member }, hubFacts({ nowMs })).length;
    expect([due(startMs), due(startMs + 12 * hourMs - 1), due(startMs + 12 * hourMs)]).toEqual([0, 0, 1]);
  });

  it("A8: keep their predecessors until the new one was brought, and ten minutes longer", () => {
    const waiting = settled({ spec: hubInitiated, state, more });
    expect(names(waiting, startMs + hourMs)).toContain("rollcall-eu-1.1");
    const brought = { ...state, install: { ...install, time: toTime(startMs) } };
    const member = settled({ spec: hubInitiated, state: brought, more });
    expect(names(member, startMs + 9 * 60_000)).toContain("rollcall-eu-1.1");
    expect(names(member, startMs + 10 * 60_000)).not.toContain("rollcall-eu-1.1");
    expect(names(member, startMs + 10 * 60_000)).toContain("rollcall-eu-1.2");
  });

  it("overlap by more than the twelve hours that KubeFleet's sidecar sleeps", () => {
    const spec = { ...hubInitiated, kubefleet: { refreshTokenImage: "registry.example.com/refresh-token:1" } };
    const brought = { ...state, install: { ...install, time: toTime(startMs) } };
    const member = settled({ spec, state: brought, more });
    expect(names(member, startMs + 12.5 * hourMs)).toContain("rollcall-eu-1.1");
    const deployment = protocol.agentManifest(member, hubFacts()).find(({ kind }) => kind === "Deployment");
    expect(JSON.stringify(deployment)).toContain(
      '"args":["secret","--name=hub-kubeconfig-secret","--namespace=fleet-system","--v=2"]',
    );
  });

  it("leave nothing of the agent behind when a paused member leaves", () => {
    const install = { manifestDigest: "m", kubeconfigDigest: "d", redeployGeneration: 0, time: toTime(startMs) };
    const uninstalled = (paused: boolean): unknown => {
      const spec = { ...hubInitiated, paused, agent: { namespace: "agents" } };
      const state = { install: { ...install, namespace: "agents" } };
      const member = memberOf("eu-1", { spec, state, annotations: { "rollcall.dev/leave": "c0ffee" } });
      return protocol.offboardingSteps(member, hubFacts()).find(({ kind }) => kind === "uninstall");
    };
    expect(uninstalled(true)).toEqual(uninstalled(false));
  });

  it("are brought to a paused member without its Deployment", () => {
    const renewed = { ...state, install: { ...install, bootstrap: 1, time: toTime(startMs) } };
    const member = settled({ spec: { ...hubInitiated, paused: true }, state: renewed, more });
    const pending = protocol.pendingBootstrap(member, hubFacts());
    expect(pending).toEqual({ number: 2, values: { token: "token 2" } });
    expect(protocol.agentManifest(member, hubFacts(), pending?.values).map(({ kind }) => kind)).toEqual([
      "Namespace",
      "Secret",
    ]);
  });

  it("are reported as ended when the hub could bring no other", () => {
    const member = settled({ spec: hubInitiated, state, more });
    const { credentials } = protocol.factsOf(member, hubFacts({ nowMs: startMs + 25 * hourMs }));
    expect(credentials).toMatchObject({ status: "False", reason: "Expired" });
  });
});

describe("KubeFleet's MemberCluster", () => {
  it("declares how it is deleted, where the file does", () => {
    const optionsOf = (kubefleet: NonNullable<Cluster["spec"]>["kubefleet"]) => {
      const { children } = settled({ spec: { protocol: "kubefleet", ...(kubefleet ? { kubefleet } : {}) } });
      return objectAt(
        children.find(({ kind }) => kind === "MemberCluster"),
        "spec",
        "deleteOptions",
      );
    };
    expect(optionsOf({ deleteOptions: { validationMode: "Skip" } })).toEqual({ validationMode: "Skip" });
    expect(optionsOf(undefined)).toBeUndefined();
  });

  const well: ClusterStatus = {
    conditions: [
      { type: "Healthy", status: "True", reason: "x", message: "The cluster is well.", lastTransitionTime: toTime(0) },
    ],
  };
  const statusOf = (member: Member, status = well) =>
    protocol.statusWrites(member, hubFacts(), status)[0]?.status ?? {};
  const shown = (first: KubeObject): KubeObject[] => {
    const member = settled({ more: [first] });
    const status = statusOf(member);
    return member.children.map((child) => (child.kind === "MemberCluster" ? { ...child, status } : child));
  };
  const withBeat = (children: readonly KubeObject[], next: KubeObject) =>
    memberOf("eu-1", { children: children.map((child) => (child.kind === next.kind ? next : child)) });
  const heartbeatOfStatus = (status: unknown) =>
    JSON.stringify(status).match(/"lastReceivedHeartbeat":"([^"]+)"/u)?.[1];

  it("shows a new heartbeat when it is much newer, or when something else is new", () => {
    const children = shown(internal(startMs));
    expect(heartbeatOfStatus(statusOf(withBeat(children, internal(startMs + 60_000))))).toBe(toTime(startMs));
    expect(heartbeatOfStatus(statusOf(withBeat(children, internal(startMs + 90_000))))).toBe(toTime(startMs + 90_000));
    const other = internal(startMs + 60_000, { resourceUsage: { capacity: { cpu: "8" } } });
    expect(heartbeatOfStatus(statusOf(withBeat(children, other)))).toBe(toTime(startMs + 60_000));
  });

  it("shows the last heartbeat of an agent that has become unresponsive", () => {
    const silent: ClusterStatus = {
      conditions: [
        { type: "Healthy", status: "Unknown", reason: "HeartbeatMissed", message: "m", lastTransitionTime: toTime(0) },
      ],
    };
    const after = withBeat(shown(internal(startMs)), internal(startMs + 20_000));
    expect(heartbeatOfStatus(statusOf(after))).toBe(toTime(startMs));
    expect(heartbeatOfStatus(statusOf(after, silent))).toBe(toTime(startMs + 20_000));
  });

  it("is unwell, unresponsive or unknown in KubeFleet's words", () => {
    const member = settled({ more: [internal(startMs)] });
    const healthyBy = (status: "False" | "Unknown", reason: string, of = member) => {
      const conditions = [{ type: "Healthy", status, reason, message: "m", lastTransitionTime: toTime(0) }];
      return JSON.stringify(statusOf(of, { conditions }));
    };
    expect(healthyBy("False", "x")).toContain("MemberClusterAPIServerUnhealthy");
    expect(healthyBy("Unknown", "HeartbeatMissed")).toContain("MemberAgentHeartbeatLost");
    expect(healthyBy("Unknown", "WaitingForFirstBeat")).toContain("MemberAgentReportedNoHealthInfo");
    expect(healthyBy("Unknown", "NotJoined", settled({}))).toContain("MemberAgentReportedNoStatus");
  });

  it("has the Events of KubeFleet's hub agent, each when its condition turns", () => {
    const at = { reason: "x", message: "", lastTransitionTime: toTime(0) };
    const conditions = (ready: Condition["status"], joined: Condition["status"]): Condition[] => [
      { type: "ReadyToJoin", status: ready, ...at },
      { type: "Joined", status: joined, ...at },
    ];
    const reasons = (before: readonly Condition[], now: readonly Condition[]) =>
      memberEvents(before, now).map(({ reason }) => reason);
    const objects = ["NamespaceCreated", "RoleCreated", "RoleBindingCreated", "InternalMemberClusterCreated"];
    expect(reasons([], conditions("True", "Unknown"))).toEqual([...objects, "MemberClusterReadyToJoin"]);
    expect(reasons([], conditions("False", "Unknown"))).toEqual([]);
    expect(reasons(conditions("True", "Unknown"), conditions("True", "True"))).toEqual(["MemberClusterJoined"]);
    expect(reasons(conditions("True", "True"), conditions("True", "True"))).toEqual([]);
    expect(reasons(conditions("True", "True"), conditions("True", "Unknown"))).toEqual([
      "MemberClusterJoinStateUnknown",
    ]);
    expect(reasons(conditions("True", "True"), conditions("False", "False"))).toEqual(["MemberClusterLeft"]);
  });

  it("reports of joining what KubeFleet's hub agent reports", () => {
    const agent = (type: string, ...statuses: string[]) => ({
      type,
      conditions: statuses.map((status) => ({ type: "Joined", status, reason: "x", message: "" })),
    });
    const saidOf = (...agentStatus: unknown[]) => {
      const { conditions } = statusOf(settled({ more: [internal(startMs, { agentStatus })] })) as {
        conditions: Record<string, unknown>[];
      };
      return ["ReadyToJoin", "Joined"].map((type) => {
        const found = conditions.find((condition) => condition["type"] === type);
        return [found?.["status"], found?.["reason"], found?.["message"]];
      });
    };
    const ready = ["True", "MemberClusterReadyToJoin", "Member cluster is ready to join the fleet"];
    const unknown = (message: string) => [ready, ["Unknown", "MemberClusterJoinStateUnknown", message]];
    const joined = ["True", "MemberClusterJoined", "Member cluster has successfully joined the fleet"];
    expect(saidOf()).toEqual(
      unknown("Member cluster eu-1 has not reported all the expected agents, expected 1, got 0"),
    );
    expect(saidOf(agent("MemberAgent"))).toEqual(
      unknown("Member cluster eu-1 has not reported the join condition for agent MemberAgent"),
    );
    expect(saidOf(agent("MemberAgent", "Unknown"))).toEqual(unknown("Member agents are not in a consistent state"));
    expect(saidOf(agent("MemberAgent", "True"))).toEqual([ready, joined]);
    expect(saidOf(agent("ServiceExportImportAgent", "False"), agent("MemberAgent", "True"))).toEqual([ready, joined]);
    expect(saidOf(agent("MemberAgent", "False"))).toEqual([
      ["False", "MemberClusterNotReadyToJoin", "Member cluster is not ready to join the fleet"],
      ["False", "MemberClusterLeft", "Member cluster has left the fleet"],
    ]);
  });

  it("shows what the agent reports, under its own generation, and what a property provider reports", () => {
    const at = { lastTransitionTime: toTime(startMs), message: "", observedGeneration: 1 };
    const collected = {
      type: "ClusterPropertyCollectionSucceeded",
      status: "True",
      reason: "PropertiesCollected",
      ...at,
    };
    const namespaces = { web: "web-work", own: "" };
    const said = internal(startMs, { namespaces, conditions: [collected, { ...collected, type: "Other" }] });
    const children = settled({ more: [said] }).children.map((child) =>
      child.kind === "MemberCluster" ? { ...child, metadata: { ...child.metadata, generation: 7 } } : child,
    );
    const status = statusOf(memberOf("eu-1", { children })) as Record<string, Record<string, unknown>[]>;
    expect(status["namespaces"]).toEqual(namespaces);
    expect(status["conditions"]?.map(({ type }) => type)).toEqual([
      "ReadyToJoin",
      "Joined",
      "Healthy",
      "ClusterPropertyCollectionSucceeded",
    ]);
    const shownConditions = status["agentStatus"]?.[0]?.["conditions"] as Record<string, unknown>[];
    expect(shownConditions.map(({ observedGeneration }) => observedGeneration)).toEqual([7, 7]);
  });

  it("A100 leaves out a condition whose reason resembles a token, and is none without it", () => {
    const reason = `eyJhbGciOi${"x".repeat(20)}`;
    const type = "ClusterPropertyCollectionSucceeded";
    const collected = { type, status: "True", reason, lastTransitionTime: toTime(startMs), message: "" };
    const status = statusOf(settled({ more: [internal(startMs, { conditions: [collected] })] }));
    expect(JSON.stringify(status)).not.toContain('"reason":"***"');
    expect(JSON.stringify(status)).not.toContain(type);
  });

  it.each(["type", "reason"])("A100 leaves out a condition of its agent whose %s resembles a token", (key) => {
    const named = { type: "Joined", reason: "InternalMemberClusterJoined", [key]: `eyJhbGciOi${"x".repeat(20)}` };
    const condition = { ...named, status: "True", lastTransitionTime: toTime(startMs), message: "" };
    const agentStatus = [{ type: "MemberAgent", conditions: [condition], lastReceivedHeartbeat: toTime(startMs) }];
    const status = statusOf(settled({ more: [internal(startMs, { agentStatus })] }));
    expect(status).toMatchObject({ agentStatus: [{ type: "MemberAgent", conditions: [] }] });
  });

  it("is reconciled only when an agent reports more than that it is alive", () => {
    const before = internal(startMs);
    expect(protocol.isOnlyHeartbeat(before, internal(startMs + 60_000))).toBe(true);
    expect(protocol.isOnlyHeartbeat(before, internal(startMs))).toBe(false);
    const fuller = internal(startMs + 60_000, { resourceUsage: { capacity: { cpu: "8" } } });
    expect(protocol.isOnlyHeartbeat(before, fuller)).toBe(false);
    expect(protocol.isOnlyHeartbeat(undefined, before)).toBe(false);
  });

  it("is not swayed by odd facts of an agent", () => {
    const odd = {
      properties: {
        "not a key!": { value: "x" },
        ok: { value: "y".repeat(2000) },
        "k8s.io/k8s-version": { value: "v1.34.4" },
      },
      resourceUsage: { capacity: { cpu: "-1", memory: "8Gi" } },
    };
    const { status } = protocol.factsOf(settled({ more: [internal(startMs, odd)] }), hubFacts());
    expect(status).toEqual({
      resources: { capacity: { memory: "8Gi" } },
      properties: { "k8s.io/k8s-version": "v1.34.4" },
      kubernetesVersion: "v1.34.4",
    });
  });
});

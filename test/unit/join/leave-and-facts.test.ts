import { describe, expect, it } from "vitest";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { OffboardingStep } from "../../../src/join/join.ts";
import { memberStateObject } from "../../../src/model/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";
import {
  hubFacts,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  startMs,
  workspace,
} from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";
import { tinyHub } from "./tiny-hub.ts";

const commit = "c0ffee";
const agent = makeAgent();

/** A member that joined, with everything it has on the hub. */
async function joined(parts: MemberParts): Promise<Member> {
  const hub = tinyHub("eu-1");
  hub.register(registrationOf(agent, { tokenName: "edge", proofKey, clusterName: "eu-1" }));
  await hub.settle();
  hub.put({ ...(hub.get("ClusterReport", "eu-1") ?? {}), spec: { credentialNumber: 1 } } as KubeObject);
  hub.parts = parts;
  return hub.member;
}

function outline(steps: readonly OffboardingStep[]): unknown[] {
  return steps.map((step) => {
    switch (step.kind) {
      case "delete":
        return { [step.purpose]: step.refs.map(({ type, name }) => `${type.kind}/${name}`) };
      case "uninstall":
        return {
          uninstall: step.refs.map(({ type, name, namespace }) =>
            [type.kind, namespace, name].filter(Boolean).join("/"),
          ),
        };
      case "wait":
        return { wait: step.untilMs };
      case "release":
        return { release: step.refs.map(({ type, name }) => `${type.kind}/${name}`) };
      case "notify-agent":
        return { tell: step.objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`), isDone: step.isDone };
      case "remove-placed":
        return { placed: step.kind };
      case "ask-agent":
        return { ask: step.write.status["leave"], isDone: step.isDone };
    }
  });
}

const leaving = { annotations: { "rollcall.dev/leave": commit } };
const revoke = {
  revoke: [
    "ServiceAccount/rollcall-eu-1",
    "ServiceAccount/rollcall-eu-1.recovery",
    `Secret/rollcall-eu-1.recovery.${agent.digest.slice(7, 23)}`,
    "Secret/rollcall-eu-1.1",
    "RoleBinding/rollcall-eu-1",
    "RoleBinding/rollcall-eu-1.recovery",
    "Role/rollcall-eu-1",
    "Role/rollcall-eu-1.recovery",
  ],
};

describe("offboardingSteps", () => {
  it("revokes and forgets a member that is detached", async () => {
    const member = await joined(leaving);
    const registration = registrationOf(agent, { tokenName: "edge", proofKey }).metadata.name;
    expect(outline(protocol.offboardingSteps(member, hubFacts()))).toEqual([
      revoke,
      {
        forget: [
          "ClusterReport/eu-1",
          "Lease/rollcall-eu-1",
          "ConfigMap/rollcall-agent-eu-1",
          `ClusterRegistration/${registration}`,
          "ConfigMap/rollcall-cluster-eu-1",
        ],
      },
    ]);
  });

  it("first removes the agent of a member whose kubeconfig it has", async () => {
    const member = await joined({ ...leaving, spec: { kubeConfigSecretRef: { name: "k" } } });
    const [first, second] = outline(protocol.offboardingSteps(member, hubFacts()));
    expect(first).toEqual({
      uninstall: [
        "Deployment/rollcall-agent/rollcall-agent",
        "Lease/rollcall-agent/rollcall-agent",
        "Secret/rollcall-agent/rollcall-agent-identity",
        "RoleBinding/rollcall-agent/rollcall-agent",
        "Role/rollcall-agent/rollcall-agent",
        "ClusterRoleBinding/rollcall-agent.rollcall-agent",
        "ClusterRole/rollcall-agent.rollcall-agent",
        "ServiceAccount/rollcall-agent/rollcall-agent",
        "Secret/rollcall-agent/rollcall-agent-values",
        "Namespace/rollcall-agent",
      ],
    });
    expect(second).toEqual(revoke);
  });

  it("F24: resumes where it was interrupted", async () => {
    const member = await joined({ ...leaving, spec: { kubeConfigSecretRef: { name: "k" } } });
    const uninstalled: Member = {
      ...member,
      state: { ...member.state, leave: { commit, since: "2027-01-15T08:00:00Z", isUninstalled: true } },
      children: member.children.filter(({ kind }) => kind !== "ServiceAccount" && kind !== "Secret"),
    };
    const steps = outline(protocol.offboardingSteps(uninstalled, hubFacts()));
    expect(steps).toHaveLength(2);
    expect(steps[0]).toEqual({ revoke: revoke.revoke.slice(4) });
    expect(protocol.offboardingSteps({ ...uninstalled, children: [] }, hubFacts())).toEqual([]);
  });

  it("asks an agent that it cannot reach to remove itself, and waits for its word on this very leave", async () => {
    const member = await joined({ ...leaving, spec: { deletionPolicy: "Uninstall" } });
    const ask = { ask: { commit, policy: "Uninstall", epoch: 1 }, isDone: false };
    expect(outline(protocol.offboardingSteps(member, hubFacts()))[0]).toEqual(ask);
    const saying = (leave: unknown): Member => ({
      ...member,
      children: member.children.map((child) =>
        child.kind === "ClusterReport" ? { ...child, spec: { credentialNumber: 1, leave } } : child,
      ),
    });
    const isDone = (leave: unknown) => outline(protocol.offboardingSteps(saying(leave), hubFacts()))[0];
    expect(isDone({ commit: "another", done: true })).toEqual(ask);
    expect(isDone({ commit, done: false })).toEqual(ask);
    expect(isDone({ commit, done: true })).toEqual({ ...ask, isDone: true });
    const message = "Left downstream: ClusterRole/agent: forbidden\u001b[31m";
    const [step] = protocol.offboardingSteps(saying({ commit, done: true, message }), hubFacts());
    expect(step).toMatchObject({ isDone: true, left: "ClusterRole/agent: forbidden [31m" });
  });

  it("has nothing to remove where no agent ever was", () => {
    const spec = { kubeConfigSecretRef: { name: "k" } };
    expect(protocol.offboardingSteps(memberOf("eu-1", { ...leaving, spec }), hubFacts())).toEqual([]);
  });

  it("keeps what it did not make, whatever its labels are", async () => {
    const member = await joined(leaving);
    const foreign = [
      { apiVersion: "v1", kind: "Secret", metadata: { name: "eu-1-kubeconfig", namespace: workspace } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "rollcall-eu-10.1", namespace: workspace } },
      { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata: { name: "eu-2", namespace: workspace } },
    ];
    const steps = protocol.offboardingSteps({ ...member, children: [...member.children, ...foreign] }, hubFacts());
    const text = JSON.stringify(outline(steps));
    for (const { metadata } of foreign) expect(text).not.toContain(`/${metadata.name}"`);
  });
});

describe("factsOf", () => {
  const report = (spec: unknown, more: Record<string, unknown> = {}): KubeObject => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterReport",
    metadata: { name: "eu-1", namespace: workspace },
    spec,
    ...more,
  });
  const state = memberStateOf(agent, {
    credential: { number: 1, issuedAt: "2027-01-15T08:00:00Z", expiresAt: "2027-01-16T08:00:00Z" },
  });
  const factsWith = (spec: unknown, parts: MemberParts = {}) =>
    protocol.factsOf(memberOf("eu-1", { state, children: [report(spec)], ...parts }), hubFacts());

  it("copies what a sound report contains", () => {
    const spec = {
      agentVersion: "0.1.0",
      agentNamespace: "rollcall-agent",
      refusedVersion: "0.2.0",
      credentialNumber: 1,
      kubernetesVersion: "v1.34.4",
      platform: "linux/amd64",
      nodes: { total: 3, ready: 2, notReady: 1 },
      resources: { capacity: { cpu: "8", memory: "32Gi" }, allocatable: { cpu: 7 }, available: { cpu: 5 } },
      health: { livez: true, readyz: true },
      apiServer: { url: "https://10.0.0.1:6443" },
      properties: { region: "eu" },
    };
    expect(factsWith(spec)).toMatchObject({
      hasJoined: true,
      health: { isHealthy: true },
      credentials: { status: "True", reason: "Rotating" },
      status: {
        agent: { version: "0.1.0", namespace: "rollcall-agent", refusedVersion: "0.2.0" },
        identity: { clientID: "uid-1", keys: [agent.digest] },
        join: { token: "edge", mode: "AgentInitiated" },
        credential: { number: 1, expires: "2027-01-16T08:00:00Z", rotates: true },
        kubernetesVersion: "v1.34.4",
        platform: "linux/amd64",
        nodes: { total: 3, ready: 2, notReady: 1 },
        resources: { capacity: { cpu: "8", memory: "32Gi" }, allocatable: { cpu: "7" }, available: { cpu: "5" } },
        health: { livez: true, readyz: true },
        apiServer: { url: "https://10.0.0.1:6443" },
        properties: { region: "eu" },
      },
    });
  });

  it("A1: takes no decision from a report: identity, join and credential are the hub's own", () => {
    const { status } = factsWith({
      agentVersion: "0.1.0",
      clientID: "mine",
      identity: { clientID: "mine", keys: [] },
      join: { token: "gold" },
      credential: { number: 99 },
      conditions: [{ type: "Accepted", status: "True" }],
      labels: { tier: "gold" },
    });
    expect(Object.keys(status).sort()).toEqual(["agent", "credential", "identity", "join"]);
    expect(status).toMatchObject({
      identity: { clientID: "uid-1" },
      join: { token: "edge" },
      credential: { number: 1 },
    });
  });

  it.each([
    ["a text as spec", "spec"],
    ["lists where maps belong", { agentVersion: "1", nodes: [], resources: [], health: [], properties: [] }],
    ["numbers that are none", { agentVersion: "1", nodes: { total: -1, ready: 1.5 } }],
    ["counts beyond all bounds", { agentVersion: "1", nodes: { total: 1e20, ready: 0 } }],
  ])("leaves out %s", (_case, spec) => {
    expect(Object.keys(factsWith(spec).status)).not.toContain("nodes");
  });

  it("bounds what an agent can make the hub store and show", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key-${index}`, "x".repeat(200)]));
    const { status } = factsWith({
      agentVersion: `1\u001b[2J\n${"9".repeat(500)}`,
      kubernetesVersion: "v".repeat(500),
      platform: "<script>",
      properties: { ...many, "bad key\n": "x", long: "x".repeat(5000) },
      resources: { capacity: { cpu: "rm -rf", memory: "1Gi" } },
      apiServer: { url: "javascript:alert(1)" },
    });
    expect(status.agent?.version).toMatch(/^1\?\[2J\?9+$/u);
    expect(status.agent?.version?.length).toBeLessThanOrEqual(128);
    expect(status.kubernetesVersion?.length).toBe(64);
    expect(Object.keys(status.properties ?? {})).toHaveLength(64);
    expect(status.resources).toEqual({ capacity: { memory: "1Gi" } });
    expect(status).not.toHaveProperty("apiServer");
  });

  it("has not joined before the agent uses a credential", () => {
    expect(factsWith({ agentVersion: "0.1.0" }).hasJoined).toBe(false);
    expect(
      protocol.factsOf(memberOf("eu-1", { children: [report({ credentialNumber: 1 })] }), hubFacts()).hasJoined,
    ).toBe(false);
  });

  it.each([
    ["works with a credential from before it moved", 5, 5, false],
    ["was given another one", 7, 5, false],
    ["works with that", 7, 7, true],
  ])("has come back from the name that it moved to when its agent %s: %#", (_what, number, inUse, hasJoined) => {
    const credential = { number, issuedAt: "2027-01-15T08:00:00Z", expiresAt: "2027-01-16T08:00:00Z" };
    const returned = { ...state, credential, lastCredentialNumber: 6 };
    const member = memberOf("eu-1", { state: returned, children: [report({ credentialNumber: inUse })] });
    expect(protocol.factsOf({ ...member, former: memberOf("eu-2") }, hubFacts()).hasJoined).toBe(hasJoined);
  });

  it("follows the report's name, not labels that an agent can set", () => {
    const foreign = {
      ...report({ agentVersion: "9", credentialNumber: 1 }),
      metadata: { name: "eu-2", namespace: workspace },
    };
    expect(protocol.factsOf(memberOf("eu-1", { state, children: [foreign] }), hubFacts()).hasJoined).toBe(false);
  });

  it.each([
    ["livez fails", { health: { livez: false, readyz: true } }, "APIServerNotReady"],
    ["readyz fails", { health: { livez: true, readyz: false } }, "APIServerNotReady"],
    ["no node is ready", { health: { livez: true, readyz: true }, nodes: { total: 2, ready: 0 } }, "NoNodeReady"],
  ])("is unwell when %s", (_case, spec, reason) => {
    expect(factsWith(spec).health).toMatchObject({ isHealthy: false, reason });
  });

  it("F7: measures the agent's clock by the time at which its write was taken", () => {
    const managedFields = [{ manager: "rollcall-agent", operation: "Update" as const, time: "2027-01-15T08:00:00Z" }];
    const spoken = report({ time: "2027-01-15T08:02:30Z" });
    const child = { ...spoken, metadata: { ...spoken.metadata, managedFields } };
    const member = memberOf("eu-1", { state, children: [child] });
    expect(protocol.factsOf(member, hubFacts()).clockSkewSeconds).toBe(150);
    expect(protocol.statusWrites(member, hubFacts())[0]?.status["clockSkewSeconds"]).toBe(150);
    const near = { ...child, spec: { time: "2027-01-15T08:00:59Z" } };
    expect(
      protocol.statusWrites(memberOf("eu-1", { state, children: [near] }), hubFacts())[0]?.status,
    ).not.toHaveProperty("clockSkewSeconds");
  });

  it.each([
    ["9999-12-31T23:59:59Z", 2 ** 31 - 1],
    ["0001-01-01T00:00:00Z", 1 - 2 ** 31],
  ])("A58 keeps the skew of a report of %s in what its status can hold", (time, seconds) => {
    const managedFields = [{ manager: "rollcall-agent", operation: "Update" as const, time: "2027-01-15T08:00:00Z" }];
    const spoken = report({ time });
    const child = { ...spoken, metadata: { ...spoken.metadata, managedFields } };
    const member = memberOf("eu-1", { state, children: [child] });
    expect(protocol.statusWrites(member, hubFacts())[0]?.status["clockSkewSeconds"]).toBe(seconds);
  });

  it("reports how the agent's version compares", () => {
    const [digest] = protocol
      .statusWrites(memberOf("eu-1", { state, children: [report({})] }), hubFacts())
      .map(({ status }) => (status["manifest"] as { digest: string }).digest);
    expect(factsWith({}).agent.reason).toBe("NotReported");
    expect(factsWith({ agentVersion: "0.0.9" }).agent).toMatchObject({ status: "False", reason: "Updating" });
    expect(factsWith({ agentVersion: "0.1.0", appliedManifestDigest: digest }).agent).toMatchObject({ status: "True" });
    expect(factsWith({ agentVersion: "0.0.9", refusedManifestDigest: digest }).agent.reason).toBe("RolledBack");
    expect(factsWith({ agentVersion: "0.0.9" }, { state, spec: { paused: true } }).agent.reason).toBe("Paused");
  });
});

describe("beatOf", () => {
  const lease = (name: string, spec: unknown): KubeObject => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: workspace, labels: { "rollcall.dev/cluster": "another" } },
    spec,
  });

  it("is the renewal of a cluster's lease, by its name alone", () => {
    expect(protocol.heartbeatIn(lease("rollcall-eu-1", { renewTime: "t" }))).toEqual({
      workspace,
      cluster: "eu-1",
      marker: "t",
    });
    expect(protocol.heartbeatIn(lease("rollcall-eu-1", {}))).toBeUndefined();
    expect(protocol.heartbeatIn(lease("rollcall-eu-1.recovery", { renewTime: "t" }))).toBeUndefined();
    expect(protocol.heartbeatIn(lease("something", { renewTime: "t" }))).toBeUndefined();
    expect(protocol.heartbeatIn({ ...lease("rollcall-eu-1", { renewTime: "t" }), kind: "ConfigMap" })).toBeUndefined();
  });
});

describe("expired", () => {
  const decidedAt = (name: string, decision: string, ageMs: number): KubeObject => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { name, namespace: workspace, creationTimestamp: new Date(startMs - ageMs).toISOString() },
    spec: { tokenName: "edge" },
    status: { decision, decidedTime: new Date(startMs - ageMs).toISOString() },
  });
  const namesOf = (registrations: KubeObject[], members: Member[] = []) =>
    protocol.registrations.expired(registrations, indexMembers(members), hubFacts()).map(({ name }) => name);
  const minute = 60_000;
  const undecided = (ageMs: number, name = "a"): KubeObject => ({ ...decidedAt(name, "Refused", ageMs), status: {} });

  it("takes refused ones after ten minutes, and undecided ones after an hour", () => {
    expect(namesOf([decidedAt("a", "Refused", 11 * minute), decidedAt("b", "Refused", 9 * minute)])).toEqual(["a"]);
    expect(namesOf([undecided(59 * minute)])).toEqual([]);
    expect(namesOf([undecided(61 * minute)])).toEqual(["a"]);
  });

  it("A7 keeps fifty of one token's that wait at most, and all that came within a minute", () => {
    const flood = (name: string, ageMs: number): KubeObject[] =>
      Array.from({ length: 200 }, (_, index) => undecided(ageMs + index, `${name}-${index}`));
    const taken = namesOf([...flood("f", 2 * minute), ...flood("n", 0)]);
    expect(taken).toHaveLength(150);
    expect(taken).not.toContain("f-0");
  });

  it("takes a granted one when its agent has its credential, and keeps an answer that no agent fetched", async () => {
    const member = await joined({});
    const registration = member.state?.join?.registration ?? "";
    const granted = decidedAt(registration, "Granted", 2 * minute);
    expect(namesOf([granted], [member])).toEqual([registration]);
    const silent = { ...member, children: [memberStateObject(workspace, "eu-1", member.state ?? {})] };
    expect(namesOf([granted], [silent])).toEqual([]);
    expect(namesOf([decidedAt(registration, "Granted", 8 * 24 * 60 * minute)], [silent])).toEqual([registration]);
  });

  it("keeps fifty of one token's others at most, the newest", () => {
    const flood = Array.from({ length: 10_000 }, (_, index) => decidedAt(`f-${index}`, "Refused", index));
    const taken = namesOf(flood);
    expect(taken).toHaveLength(9_950);
    expect(taken).not.toContain("f-0");
    expect(taken[0]).toBe("f-9999");
  });

  it("keeps fifty at most of those that name no token, whatever they name", () => {
    const flood = Array.from({ length: 200 }, (_, index) => {
      const stray = decidedAt(`f-${index}`, "Refused", index);
      const status = { ...(stray["status"] as object), reason: "UnknownToken" };
      return { ...stray, spec: { tokenName: `token-${index}` }, status };
    });
    const honest = decidedAt("honest", "Refused", 9 * minute);
    expect(namesOf([...flood, honest])).toHaveLength(150);
    expect(namesOf([...flood, honest])).not.toContain("honest");
  });
});

import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { HubFacts, Member } from "../../../src/model/member.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { AgentFacts, ClusterStatusInputs } from "../../../src/planning/cluster-status.ts";
import { computeClusterStatus } from "../../../src/planning/cluster-status.ts";

const hub = { nowMs: Date.parse("2027-01-01T00:00:00Z"), endpoint: { url: "https://hub", caBundle: "ca" } } as HubFacts;
const good = { status: "True", reason: "Issued", message: "It is valid." } as const;
const well: AgentFacts = {
  hasJoined: true,
  health: { isHealthy: true, reason: "AgentHealthy", message: "It is well." },
  credentials: good,
  agent: { status: "True", reason: "UpToDate", message: "It runs 1.0." },
  status: {},
};
const absent: AgentFacts = { ...well, hasJoined: false, health: undefined };
const lost: AgentFacts = {
  ...well,
  credentials: { status: "False", reason: "IdentityLost", message: "Its keys are lost." },
};

interface Given extends Partial<Omit<ClusterStatusInputs, "member" | "hub">> {
  readonly spec?: Cluster["spec"];
  readonly metadata?: Partial<Cluster["metadata"]>;
  readonly status?: Cluster["status"];
  readonly state?: MemberState;
}

function statusOf({ spec, metadata, status, state, ...inputs }: Given = {}) {
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

/** The status and reason of each condition. */
function conditionsOf(given: Given): Record<string, string> {
  const { conditions = [] } = statusOf(given);
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

function messageOf(type: string, given: Given): string | undefined {
  return statusOf(given).conditions?.find((condition) => condition.type === type)?.message;
}

const calm = {
  Ready: "True Ready",
  Accepted: "True Accepted",
  Joined: "True Joined",
  Healthy: "True AgentHealthy",
  AgentUpToDate: "True UpToDate",
  CredentialsValid: "True Issued",
};
const refusal = { reason: "NotServed", message: "It is not served." };
const install = (kind: "installed" | "pending" | "failed") => ({
  kind,
  reason: `Is${kind}`,
  message: `It is ${kind}.`,
});
const waiting = { Ready: "False WaitingForAgent", Joined: "False WaitingForAgent", Healthy: "Unknown NotJoined" };
const unwell = { ...well, health: { isHealthy: false, reason: "PodFails", message: "A Pod fails." } };
const leave = { phase: "Waiting", commit: "c0ffee" } as NonNullable<Given["leave"]>;
const silent = { heartbeat: { kind: "unresponsive", forMs: 1 } } as const;
const missed = { Ready: "False HeartbeatMissed", Healthy: "Unknown HeartbeatMissed" };

describe("the conditions of a Cluster", () => {
  it.each<{ when: string; given: Given; is: Record<string, string> }>([
    { when: "all is well", given: {}, is: {} },
    { when: "no agent joined", given: { facts: absent }, is: waiting },
    {
      when: "the hub installs",
      given: { facts: absent, install: install("pending") },
      is: {
        Ready: "False Ispending",
        Joined: "False Ispending",
        Healthy: "Unknown NotJoined",
        Reconciling: "True Ispending",
      },
    },
    {
      when: "the hub installed",
      given: { facts: absent, install: install("installed") },
      is: {
        Ready: "False AgentInstalled",
        Joined: "False AgentInstalled",
        Healthy: "Unknown NotJoined",
        Reconciling: "True AgentInstalled",
      },
    },
    {
      when: "the hub could not install",
      given: { facts: absent, install: install("failed"), fight: refusal },
      is: { Ready: "False Isfailed", Joined: "False Isfailed", Healthy: "Unknown NotJoined", Stalled: "True Isfailed" },
    },
    { when: "an installed agent joined", given: { install: install("installed") }, is: {} },
    { when: "it is refused", given: { refusal }, is: { Ready: "False NotServed", Accepted: "False NotServed" } },
    {
      when: "its keys are lost",
      given: { facts: lost },
      is: { Ready: "False IdentityLost", Accepted: "False IdentityLost", CredentialsValid: "False IdentityLost" },
    },
    {
      when: "its credential is late",
      given: { facts: { ...well, credentials: { ...good, status: "False", reason: "Expired" } } },
      is: { CredentialsValid: "False Expired" },
    },
    {
      when: "its credential has a rejecting reason and is valid",
      given: { facts: { ...well, credentials: { ...good, reason: "Revoked" } } },
      is: { CredentialsValid: "True Revoked" },
    },
    { when: "it is unwell", given: { facts: unwell }, is: { Ready: "False PodFails", Healthy: "False PodFails" } },
    {
      when: "it reported nothing",
      given: { facts: { ...well, health: undefined } },
      is: { Ready: "False WaitingForReport", Healthy: "Unknown WaitingForReport" },
    },
    { when: "it is silent", given: silent, is: missed },
    {
      when: "it fails to be written",
      given: { failure: refusal, fight: leave as never },
      is: { Stalled: "True NotServed" },
    },
    { when: "another writer fights", given: { fight: refusal }, is: { Stalled: "True NotServed" } },
    {
      when: "it leaves",
      given: { leave, failure: refusal },
      is: { Ready: "False Leaving", Reconciling: "True Leaving" },
    },
    {
      when: "its leave has revoked it",
      given: { leave, isRevokedByOffboarding: true },
      is: { Ready: "False Leaving", Reconciling: "True Leaving", CredentialsValid: "False Leaving" },
    },
    {
      when: "it moves",
      given: { metadata: { annotations: { [annotationKeys.movedTo]: "fleet/eu-2" } } },
      is: { Ready: "False Moving" },
    },
    {
      when: "its clock is 61 s ahead",
      given: { facts: { ...well, clockSkewSeconds: 61 } },
      is: { ClockSynced: "False ClockSkew" },
    },
    { when: "its clock is 60 s behind", given: { facts: { ...well, clockSkewSeconds: -60 } }, is: {} },
  ])("when $when", ({ given, is }) => {
    expect(conditionsOf(given)).toEqual({ ...calm, ...is });
  });

  it.each([
    { reason: "AgentHealthy", status: "True", stays: true },
    { reason: "NotJoined", status: "Unknown", stays: false },
  ] as const)("stay $stays as they were after $reason while no window was watched", ({ reason, status, stays }) => {
    const before = { type: "Healthy", status, reason, message: "Before.", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const given: Given = { status: { conditions: [before] }, heartbeat: { kind: "unwatched" }, facts: unwell };
    const expected = stays ? `${status} ${reason}` : "Unknown WaitingForFirstBeat";
    expect(conditionsOf(given)["Healthy"]).toBe(expected);
    expect(messageOf("Healthy", given) === "Before.").toBe(stays);
    expect(conditionsOf({ heartbeat: { kind: "unwatched" } })["Healthy"]).toBe("Unknown WaitingForFirstBeat");
  });

  it("name what a user added on the hub, of a Cluster that a file declares", () => {
    const managedFields = [
      { manager: "rollcall-git", operation: "Apply", fieldsV1: { "f:spec": { "f:clientID": {} } } },
      { manager: "kubectl-edit", operation: "Update", fieldsV1: { "f:spec": { "f:deletionPolicy": {} } } },
    ];
    const given: Given = { metadata: { managedFields } as never, spec: { clientID: "a", deletionPolicy: "Detach" } };
    const notInGit = { refusal: { reason: "NotInGit", message: "No file declares it." } };
    expect(conditionsOf(given)["Declared"]).toBe("False EditedOnHub");
    expect(conditionsOf({ ...given, refusal })["Declared"]).toBe("False EditedOnHub");
    expect(conditionsOf({ ...given, ...notInGit })["Declared"]).toBeUndefined();
  });
});

describe("the messages of a Cluster", () => {
  const clock = (clockSkewSeconds: number): Given => ({ facts: { ...well, clockSkewSeconds } });
  const period = { spec: { heartbeat: { periodSeconds: 7, failureThreshold: 2 } } };
  const noAdvice = "The hub does not admit its agent, so no heartbeats are expected.";
  it.each<[string, Given, string | RegExp]>([
    ["Joined", {}, "The agent has joined with its own keys."],
    ["Joined", { spec: {} }, "The agent has joined with its own keys."],
    ["Joined", { spec: { protocol: "fleet" } }, "The agent has joined."],
    ["Joined", { facts: absent }, /^No agent has joined as fleet\/eu-1 yet\./u],
    ["ClockSynced", clock(150), "The agent's clock is 3 min ahead of the hub's."],
    ["ClockSynced", clock(-150), "The agent's clock is 3 min behind the hub's."],
    ["Healthy", silent, /^The agent has missed 3 heartbeats of 60 s\./u],
    ["Healthy", { ...silent, ...period, agentPeriodSeconds: 5 }, /missed 2 heartbeats of 7 s/u],
    ["Healthy", { ...silent, spec: {}, agentPeriodSeconds: 5 }, /missed 3 heartbeats of 5 s/u],
    ["Healthy", { ...silent, facts: lost }, noAdvice],
    ["Healthy", { ...silent, isRevokedByOffboarding: true }, noAdvice],
    ["Healthy", { facts: { ...lost, health: unwell.health } }, "A Pod fails."],
    ["Ready", { leave }, "The cluster leaves the fleet since commit c0ffee."],
    ["Ready", { leave: { phase: "Waiting" } as never }, "The cluster leaves the fleet since commit unknown."],
    ["Accepted", { refusal, facts: lost }, "It is not served."],
    ["Accepted", { facts: lost }, "Its keys are lost."],
  ])("report in %s of %j: %s", (type, given, message) => {
    expect(messageOf(type, given)).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });
});

describe("the settings in force", () => {
  it.each<[Given, Record<string, unknown>]>([
    [{}, { protocol: "rollcall", joinMode: "AgentInitiated", deletionPolicy: "Detach", heartbeatPeriodSeconds: 60 }],
    [{ spec: { protocol: "fleet" } }, { protocol: "fleet", heartbeatPeriodSeconds: 900 }],
    [{ spec: { protocol: "clusternet" } }, { protocol: "clusternet", heartbeatPeriodSeconds: 180 }],
    [
      { spec: { protocol: "fleet", kubeConfigSecretRef: { name: "k" } } },
      { joinMode: "HubInitiated", deletionPolicy: "Uninstall", heartbeatPeriodSeconds: 60, failureThreshold: 3 },
    ],
    // Defaults for many clusters may name a longer period than KubeFleet's agents are configured with.
    [{ spec: { protocol: "kubefleet", heartbeat: { periodSeconds: 3600 } } }, { heartbeatPeriodSeconds: 600 }],
    [{ spec: { protocol: "kubefleet", heartbeat: { periodSeconds: 30 } } }, { heartbeatPeriodSeconds: 30 }],
    [{ spec: { heartbeat: { periodSeconds: 3600 } } }, { heartbeatPeriodSeconds: 3600 }],
    [{ spec: { hubEndpoint: { url: "https://other" } } }, { hubURL: "https://other" }],
    [{ spec: { clientID: "file" }, state: { clientID: "state" } }, { clientID: "file" }],
    [{ state: { clientID: "state" } }, { clientID: "state" }],
  ])("of %j have %j", (given, is) => {
    expect(statusOf(given).effective).toMatchObject({ hubURL: "https://hub", ...is });
  });

  it("have no clientID where none is known", () => {
    expect(statusOf().effective).not.toHaveProperty("clientID");
  });
});

describe("the rest of the status", () => {
  it("leaves out what is not known", () => {
    expect(Object.keys(statusOf())).toEqual(["conditions", "effective"]);
  });

  it("has the generation, the offboarding, the file and what the agent reports", () => {
    const annotations = {
      [annotationKeys.sourceFile]: "a.yaml",
      [annotationKeys.sourceLine]: "4",
      [annotationKeys.sourceCommit]: "c0ffee",
    };
    const facts = { ...well, status: { kubernetesVersion: "v1.35.0" } };
    const seen = statusOf({ metadata: { generation: 2, annotations }, facts, leave });
    expect(seen).toMatchObject({
      kubernetesVersion: "v1.35.0",
      observedGeneration: 2,
      leave,
      source: { file: "a.yaml", line: 4, commit: "c0ffee" },
    });
    expect(seen.conditions?.[0]?.observedGeneration).toBe(2);
    const { source } = statusOf({ metadata: { annotations: { [annotationKeys.sourceFile]: "a.yaml" } } });
    expect(source).toEqual({ file: "a.yaml", line: 1 });
  });

  it.each([
    [
      { token: "edge", initiated: "agent" as const },
      { token: "edge", mode: "AgentInitiated", time: "t" },
    ],
    [{ initiated: "hub" as const }, { mode: "HubInitiated", time: "t" }],
  ])("has the join %j as %j", (join, is) => {
    expect(statusOf({ state: { join: { registration: "r", time: "t", ...join } } }).join).toEqual(is);
  });

  it("names the owner of each label that has one", () => {
    const labels = { file: "1", rule: "1", token: "1", agent: "1", old: "new", none: "1", "rollcall.dev/x": "1" };
    const fieldsV1 = { "f:metadata": { "f:labels": { "f:file": {}, "f:rule": {}, "f:rollcall.dev/x": {} } } };
    const managedFields = [{ manager: "rollcall-git", operation: "Apply", fieldsV1 }];
    const annotations = { [annotationKeys.labelRules]: JSON.stringify({ rule: "eu", file: 7 }) };
    const join = { token: "edge", registration: "r", time: "t", initiated: "agent" as const };
    const given: Given = {
      metadata: { labels, annotations, managedFields } as never,
      state: { join, labels: { token: { token: "1", old: "old" }, agent: { agent: "1", old: "old" } } },
    };
    const owners = { file: "file", rule: "rule eu", token: "token edge", agent: "agent" };
    expect(statusOf(given).labelOwners).toEqual(owners);
    const unknown = { ...given, state: { labels: { token: { token: "1" } } } };
    expect(statusOf(unknown).labelOwners).toEqual({ file: "file", rule: "rule eu", token: "token unknown" });
    const broken = { labels, managedFields, annotations: { [annotationKeys.labelRules]: "[" } };
    expect(statusOf({ metadata: broken as never }).labelOwners).toEqual({ file: "file", rule: "file" });
    expect(statusOf({ metadata: { labels } })).not.toHaveProperty("labelOwners");
    expect(statusOf({ metadata: { labels }, state: {} })).not.toHaveProperty("labelOwners");
  });
});

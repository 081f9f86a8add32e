import { describe, expect, it } from "vitest";
import { clusternetProtocol as protocol } from "../../../../src/join/clusternet/hub/clusternet-protocol.ts";
import type { MemberState } from "../../../../src/model/member-state.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../src/model/member.ts";
import { indexMembers } from "../../../../src/planning/member-index.ts";
import { hubFacts, memberOf, startMs, tokenSubject, result, workspace } from "../hub-scene.ts";
import { copiedMembers } from "../copied-members.ts";

const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const otherId = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";
const hourMs = 3600_000;

function request(
  spec: Record<string, unknown> = {},
  { uid = "uid-1", ...metadata }: Partial<KubeObject["metadata"]> = {},
  status?: object,
): KubeObject {
  const clusterLabels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door" };
  return {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ClusterRegistrationRequest",
    metadata: {
      name: `clusternet-${typeof spec["clusterId"] === "string" ? spec["clusterId"] : id}`,
      uid,
      ...metadata,
    },
    spec: { clusterId: id, clusterName: "eu-1", clusterLabels, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

const door = (spec: object = {}) => tokenSubject("door", { protocol: "clusternet", clusterNames: ["eu-1"], ...spec });
const declared: Cluster["spec"] = { protocol: "clusternet" };

function state(more: Partial<MemberState> = {}, atMs = startMs): MemberState {
  const time = new Date(atMs).toISOString();
  return {
    clientID: id,
    join: { token: "door", tokenUse: 1, time, registration: `clusternet-${id}`, initiated: "agent" },
    protocolFacts: {
      requestUid: "uid-1",
      clusterId: id,
      clusterType: "",
      syncMode: "Pull",
      door: "door",
    },
    ...more,
  };
}

function decide(asked: KubeObject, members: readonly Member[] = [], token = door(), nowMs = startMs): string {
  const scene = { token, members: copiedMembers(members), tokens: () => [token] };
  const decision = protocol.registrations.decide(asked, scene, hubFacts({ nowMs }));
  return result(decision);
}

/** Every object that the protocol wants, as it is once it was made. */
function settled(parts: { spec?: Cluster["spec"]; state?: MemberState; annotations?: Record<string, string> }): Member {
  let children: KubeObject[] = [];
  const made = () => memberOf("eu-1", { spec: declared, ...parts, children });
  for (let round = 0; round < 2; round++) {
    const known = new Set(children.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    const wanted = protocol.desiredObjects(made(), hubFacts());
    children = [...children, ...wanted.filter(({ kind, metadata }) => !known.has(`${kind}/${metadata.name}`))];
  }
  return made();
}

const withChildren = (member: Member, ...more: KubeObject[]): Member => ({
  ...member,
  children: [...member.children, ...more],
});
const tokenSecret = (): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: `clusternet-agent.${id}-token`, namespace: workspace },
  data: { token: Buffer.from("t").toString("base64") },
});
/** The Secret of the agent's account is desired without its token; the API server fills it. */
const filled = (member: Member): Member => ({
  ...member,
  children: [
    ...member.children.filter(({ metadata }) => metadata.name !== `clusternet-agent.${id}-token`),
    tokenSecret(),
  ],
});

describe("the result on a request", () => {
  it.each([
    { reason: "a new cluster that its token names", asked: request(), members: [], is: "granted eu-1 (new)" },
    { reason: "a declared one", asked: request(), members: [memberOf("eu-1", { spec: declared })], is: "granted eu-1" },
    {
      reason: "one that is declared with this id",
      asked: request(),
      members: [memberOf("eu-1", { spec: { ...declared, clientID: id } })],
      is: "granted eu-1",
    },
    { reason: "no id", asked: request({ clusterId: "nonsense" }), members: [], is: "refused Malformed" },
    {
      reason: "a name that is not its id's",
      asked: request({}, { name: "clusternet-x" }),
      members: [],
      is: "refused Malformed",
    },
    { reason: "a name with a dot", asked: request({ clusterName: "a.b" }), members: [], is: "refused Malformed" },
    {
      reason: "a name that the token does not have",
      asked: request({ clusterName: "eu-2" }),
      members: [],
      is: "refused NameNotAllowed",
    },
    { reason: "no workspace", asked: request({ clusterLabels: {} }), members: [], is: "refused Malformed" },
    {
      reason: "no token, nothing installed",
      asked: request({ clusterLabels: { "rollcall.dev/workspace": workspace } }),
      members: [],
      is: "refused NoToken",
    },
    {
      reason: "another protocol",
      asked: request(),
      members: [memberOf("eu-1", { spec: { protocol: "fleet" } })],
      is: "refused ProtocolMismatch",
    },
    {
      reason: "another id in its file",
      asked: request(),
      members: [memberOf("eu-1", { spec: { ...declared, clientID: otherId } })],
      is: "refused NameTaken",
    },
    {
      reason: "an id that another cluster has",
      asked: request(),
      members: [memberOf("eu-9", { spec: declared, state: state() })],
      is: "refused ClientIDTaken",
    },
    {
      reason: "a cluster that leaves",
      asked: request(),
      members: [memberOf("eu-1", { spec: declared, annotations: { "rollcall.dev/leave": "c" } })],
      is: "refused ClusterLeaving",
    },
    {
      reason: "a cluster that is revoked",
      asked: request(),
      members: [memberOf("eu-1", { spec: declared, annotations: { "rollcall.dev/revoked": "x" } })],
      is: "refused ClusterRevoked",
    },
    {
      reason: "what is answered",
      asked: request(),
      members: [memberOf("eu-1", { spec: declared, state: state() })],
      is: "none",
    },
    {
      reason: "the same id under a new request",
      asked: request({}, { uid: "uid-2" }),
      members: [memberOf("eu-1", { spec: declared, state: state() })],
      is: "granted eu-1",
    },
  ])("$is: $reason", ({ asked, members, is }) => {
    expect(decide(asked, members)).toBe(is);
  });

  it.each([
    { reason: "all uses are taken", token: door({ maxRegistrations: 1 }), is: "refused TokenUsedUp" },
    { reason: "it waits for a file", token: door({ approval: "PullRequest" }), is: "proposal eu-1" },
    { reason: "it is of another protocol", token: door({ protocol: "fleet" }), is: "refused UnknownToken" },
    { reason: "it has ended", token: door({ ttl: "10m" }), nowMs: startMs + hourMs, is: "refused TokenClosed" },
  ])("$is by a token: $reason", ({ token, nowMs, is }) => {
    const other = memberOf("eu-5", { spec: declared, state: state({ clientID: otherId }) });
    expect(decide(request(), [other], token, nowMs)).toBe(is);
  });

  it("is the same again for one that is in, whatever became of its token", () => {
    const member = memberOf("eu-1", { spec: declared, state: state() });
    expect(decide(request({}, { uid: "uid-2" }), [member], door({ ttl: "10m" }), startMs + hourMs)).toBe(
      "granted eu-1",
    );
  });

  it("is taken anew when a revoked cluster is trusted again, not while its answer is being made", () => {
    const member = memberOf("eu-1", { spec: declared, state: state() });
    const denied = request({}, {}, { result: "Denied" });
    expect(decide(denied, [member], door(), startMs + 1000)).toBe("none");
    expect(decide(denied, [member], door(), startMs + 61_000)).toBe("granted eu-1");
  });

  it("keeps the token's use of one that is in, and its labels", () => {
    const known = { ...state(), labels: { token: { tier: "edge" } } };
    const member = memberOf("eu-1", { spec: declared, state: known });
    const scene = { token: door(), members: copiedMembers([member]), tokens: () => [] };
    const decision = protocol.registrations.decide(request({}, { uid: "uid-2" }), scene, hubFacts());
    expect(decision).toMatchObject({
      kind: "granted",
      state: { labels: known.labels, join: { token: "door", tokenUse: 1 }, protocolFacts: { requestUid: "uid-2" } },
    });
  });

  it("lets the agent that asked last read the answer, by whichever token", () => {
    const again = tokenSubject("again", { protocol: "clusternet", clusterNames: ["eu-1"] });
    const clusterLabels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "again" };
    const members = indexMembers([memberOf("eu-1", { spec: declared, state: state() })]);
    const scene = { token: again, members, tokens: () => [] };
    const decision = protocol.registrations.decide(request({ clusterLabels }, { uid: "uid-2" }), scene, hubFacts());
    if (decision.kind !== "granted") throw new Error(decision.kind);
    expect(decision.state.join?.token).toBe("door");
    const bindings = settled({ state: decision.state }).children.filter(({ kind }) => kind === "ClusterRoleBinding");
    expect(JSON.stringify(bindings)).toContain('"clusternet.again.eu-1"');
    expect(JSON.stringify(bindings)).not.toContain('"clusternet.door.eu-1"');
  });

  it("takes over labels that an agent may propose, never those that are reserved", () => {
    const clusterLabels = {
      "rollcall.dev/workspace": workspace,
      "rollcall.dev/token": "door",
      env: "dev",
      "clusters.clusternet.io/cluster-id": otherId,
    };
    const scene = { token: door(), members: copiedMembers([]), tokens: () => [] };
    const decision = protocol.registrations.decide(request({ clusterLabels }), scene, hubFacts());
    expect(decision).toMatchObject({ kind: "granted", state: { labels: { agent: { env: "dev" } } } });
    expect(decision).toMatchObject({ notes: [expect.stringContaining("reserved")] });
  });
});

describe("the answer", () => {
  const due = (member: Member) => protocol.credentialsDue({ kind: "member", member }, hubFacts());

  it("is due when all that an agent needs is there, and is not there yet", () => {
    const member = settled({ state: state() });
    expect(due(withChildren(member, request()))).toHaveLength(1);
    expect(due({ ...member, children: [request()] })).toEqual([]);
    expect(due(withChildren(member, request({}, { uid: "another" })))).toEqual([]);
  });

  it("is made again when a part of it was removed, and not while it is whole", async () => {
    const member = filled(settled({ state: state() }));
    const [mint] = due(withChildren(member, request()));
    if (mint === undefined) throw new Error("nothing is due");
    const credential = { due: mint, token: "t", issuedAt: "2027-01-01T00:00:00Z", random: new Uint8Array() };
    const subject = { kind: "member", member: withChildren(member, request()) } as const;
    const { statusWrites } = await protocol.deliver(subject, credential, hubFacts());
    const status = { ...statusWrites[0]?.status };
    expect(status).toMatchObject({ result: "Approved", token: Buffer.from("t").toString("base64") });
    expect(due(withChildren(member, request({}, {}, status)))).toEqual([]);
    expect(due(withChildren(member, request({}, {}, { ...status, token: undefined })))).toHaveLength(1);
    expect(due(withChildren(member, request({}, {}, { ...status, caCertificate: "x" })))).toHaveLength(1);
  });

  it("is not given to a revoked cluster, whose account is deleted", () => {
    const revoked = settled({ state: state(), annotations: { "rollcall.dev/revoked": "x" } });
    expect(due(withChildren(revoked, request()))).toEqual([]);
    expect(revoked.children.map(({ kind }) => kind).sort()).toEqual(["ManagedCluster", "Namespace"]);
    const status = { conditions: [] };
    const answered = withChildren(revoked, request({}, {}, { result: "Approved", token: "dA==" }));
    expect(protocol.statusWrites(answered, hubFacts(), status)).toMatchObject([
      { ref: { name: `clusternet-${id}` }, status: { result: "Denied" } },
    ]);
  });
});

describe("who may read an answer", () => {
  const subjectsAt = (member: Member, nowMs: number) => {
    const binding = protocol
      .desiredObjects(member, hubFacts({ nowMs }))
      .find(({ kind }) => kind === "ClusterRoleBinding");
    return (binding?.["subjects"] as { name: string }[]).map(({ name }) => name);
  };
  const agent = `clusternet-agent.${id}`;

  it("is the agent, and the account of the token until ten minutes after the answer", () => {
    const member = settled({ state: state() });
    const heard = {
      ...member,
      children: member.children.map((child) =>
        child.kind === "ManagedCluster" ? { ...child, status: { lastObservedTime: "2027-01-01T00:00:00Z" } } : child,
      ),
    };
    expect(subjectsAt(heard, startMs + 9 * 60_000)).toEqual([agent, "clusternet.door.eu-1"]);
    expect(subjectsAt(heard, startMs + 11 * 60_000)).toEqual([agent]);
    expect(subjectsAt(member, startMs + 11 * 60_000)).toEqual([agent, "clusternet.door.eu-1"]);
    expect(subjectsAt(member, startMs + 25 * hourMs)).toEqual([agent]);
    expect(protocol.dueAtMs({ kind: "member", member: heard }, hubFacts())).toBe(startMs + 10 * 60_000);
  });

  it("names no wildcard, and its own request alone", () => {
    const rights = settled({ state: state() }).children.filter(({ kind }) => kind === "ClusterRole");
    expect(rights.map((role) => role["rules"])).toEqual([
      [
        { apiGroups: ["clusters.clusternet.io"], resources: ["clusterregistrationrequests"], verbs: ["create"] },
        {
          apiGroups: ["clusters.clusternet.io"],
          resources: ["clusterregistrationrequests"],
          resourceNames: [`clusternet-${id}`],
          verbs: ["get"],
        },
      ],
    ]);
  });
});

describe("a leave", () => {
  it("revokes before it forgets, and forgets its state last", () => {
    const steps = protocol.offboardingSteps(withChildren(settled({ state: state() }), request()), hubFacts());
    expect(steps.map((step) => (step.kind === "delete" ? step.purpose : step.kind))).toEqual(["revoke", "forget"]);
    const [revoke] = steps;
    expect(revoke?.kind === "delete" ? revoke.refs[0]?.type.kind : "").toBe("ClusterRoleBinding");
  });

  it("names what stays downstream where the hub removes nothing", () => {
    const kubeConfigSecretRef = { name: "kube" };
    expect(protocol.whatStaysDownstream(memberOf("eu-1", { spec: declared }))).toMatch(
      /Remove there: Deployment clusternet-system\/clusternet-agent/u,
    );
    expect(
      protocol.whatStaysDownstream(memberOf("eu-1", { spec: { ...declared, kubeConfigSecretRef } })),
    ).toBeUndefined();
  });

  it("leaves a namespace that a file took over", () => {
    const spec = { ...declared, clusternet: { clusterNamespace: "theirs" } };
    const removed = (annotations: Record<string, string>) => {
      const steps = protocol.offboardingSteps(settled({ spec, state: state(), annotations }), hubFacts());
      return steps.flatMap((step) => (step.kind === "delete" ? step.refs : [])).map(({ name }) => name);
    };
    expect(removed({})).toContain("theirs");
    expect(removed({ "rollcall.dev/adopt": "true" })).not.toContain("theirs");
  });
});

describe("requests that have served their time", () => {
  it("are those that were answered and belong to no member, and those in vain for a month", () => {
    const member = memberOf("eu-1", { spec: declared, state: state() });
    const old = { creationTimestamp: new Date(startMs - 31 * 24 * hourMs).toISOString() };
    const young = { creationTimestamp: new Date(startMs - hourMs).toISOString() };
    const requests = [
      request({}, { name: "kept" }, { result: "Approved" }),
      request({}, { name: "gone", uid: "uid-9" }, { result: "Approved" }),
      request({}, { name: "in-vain", uid: "uid-8", ...old }, { result: "Denied" }),
      request({}, { name: "waiting", uid: "uid-7", ...young }),
    ];
    const collected = protocol.registrations.expired(requests, indexMembers([member]), hubFacts());
    expect(collected.map(({ name }) => name)).toEqual(["gone", "in-vain"]);
  });
});

describe("a heartbeat", () => {
  const managed = (status: object, labels: Record<string, string> = {}): KubeObject => ({
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ManagedCluster",
    metadata: {
      name: "eu-1",
      namespace: "clusternet-eu-1",
      generation: 1,
      labels: { "rollcall.dev/owner-workspace": workspace, ...labels },
    },
    status,
  });
  const at = (second: number, more: object = {}) => ({ lastObservedTime: `2027-01-01T00:00:0${second}Z`, ...more });

  it.each([
    { reason: "nothing but the time", before: managed(at(1)), after: managed(at(2)), isHeartbeat: true },
    { reason: "the same again", before: managed(at(1)), after: managed(at(1)), isHeartbeat: false },
    {
      reason: "a health that changed",
      before: managed(at(1)),
      after: managed(at(2, { readyz: false })),
      isHeartbeat: false,
    },
    {
      reason: "a label",
      before: managed(at(1)),
      after: managed(at(2), { "node.clusternet.io/zone": "a" }),
      isHeartbeat: false,
    },
    { reason: "the first one", before: managed({}), after: managed(at(1)), isHeartbeat: false },
  ])("is nothing else: $reason", ({ before, after, isHeartbeat }) => {
    expect(protocol.isOnlyHeartbeat(before, after)).toBe(isHeartbeat);
  });

  it("comes at the pace that the agent reports, within bounds", () => {
    const place = settled({ state: state() });
    const saying = (heartbeatFrequencySeconds: unknown): Member => ({
      ...place,
      children: place.children.map((child) =>
        child.kind === "ManagedCluster" ? { ...child, status: { heartbeatFrequencySeconds } } : child,
      ),
    });
    expect(protocol.agentPeriodSeconds(saying(30))).toBe(30);
    expect(protocol.agentPeriodSeconds(saying(1e9))).toBe(3600);
    for (const bad of [0, -1, 1.5, "30", undefined]) expect(protocol.agentPeriodSeconds(saying(bad))).toBeUndefined();
  });
});

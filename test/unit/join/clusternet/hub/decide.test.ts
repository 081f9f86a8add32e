import { describe, expect, it } from "vitest";
import { decideRegistration } from "../../../../../src/join/clusternet/hub/decide.ts";
import type { RegistrationDecision } from "../../../../../src/join/join.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../../../src/model/member.ts";
import { copiedMembers } from "../../copied-members.ts";
import { hubFacts, result, startMs, workspace } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  doorOf,
  granted,
  id,
  leave,
  managedOf,
  otherId,
  requestOf,
  revoked,
  time,
  withKubeconfig,
} from "../clusternet-scene.ts";

function decide(
  asked: KubeObject,
  members: readonly Member[] = [],
  { token = doorOf(), laterMs = 0 }: { readonly token?: TokenSubject; readonly laterMs?: number } = {},
): RegistrationDecision {
  const scene = { token, members: copiedMembers(members), tokens: () => [token] };
  return decideRegistration(asked, scene, hubFacts({ nowMs: startMs + laterMs }));
}
const stateOf = (decision: RegistrationDecision): MemberState => {
  if (decision.kind !== "granted") throw new Error(result(decision));
  return decision.state;
};
const unnamed = { "rollcall.dev/workspace": workspace };
const again = requestOf({ metadata: { uid: "uid-2" } });
const former = granted({ clientID: otherId, protocolFacts: { requestUid: "uid-0", clusterId: otherId } });
const inside = clusternetMemberOf({ state: granted() });

describe("decide: who is admitted as a Clusternet agent", () => {
  it.each<[string, KubeObject, readonly Member[], string]>([
    [
      "the id is another cluster's",
      requestOf(),
      [clusternetMemberOf({ spec: { clientID: id } }, "eu-9")],
      "refused ClientIDTaken",
    ],
    [
      "the id is that of a cluster with another protocol",
      requestOf(),
      [clusternetMemberOf({ spec: { clientID: id, protocol: "rollcall" } }, "eu-9")],
      "granted eu-1 (new)",
    ],
    ["the agent that is in has another id", requestOf(), [clusternetMemberOf({ state: former })], "refused NameTaken"],
    [
      "the object of their approver has another id",
      requestOf(),
      [clusternetMemberOf({ children: [{ ...managedOf(), spec: { clusterId: otherId } }] })],
      "refused NameTaken",
    ],
    [
      "one that is in leaves",
      again,
      [clusternetMemberOf({ state: granted(), annotations: leave })],
      "refused ClusterLeaving",
    ],
    [
      "one that is in is revoked",
      again,
      [clusternetMemberOf({ state: granted(), annotations: revoked })],
      "refused ClusterRevoked",
    ],
    [
      "one that is in changes its protocol",
      again,
      [clusternetMemberOf({ state: granted(), spec: { protocol: "fleet" } })],
      "refused ProtocolMismatch",
    ],
    [
      "it declares no protocol, which is another",
      requestOf(),
      [clusternetMemberOf({ spec: { protocol: undefined } })],
      "refused ProtocolMismatch",
    ],
    [
      "it was admitted under another id before, and its file declares the new one",
      requestOf(),
      [
        clusternetMemberOf({
          spec: { clientID: id },
          state: granted({ clientID: otherId, protocolFacts: { requestUid: "uid-0", clusterId: otherId } }),
        }),
      ],
      "granted eu-1",
    ],
  ])("when %s", (_when, asked, members, expected) => {
    expect(result(decide(asked, members))).toBe(expected);
  });

  it("names the other cluster, and what to change, in a refusal", () => {
    const [taken, other] = [
      decide(requestOf(), [clusternetMemberOf({ spec: { clientID: id } }, "eu-9")]),
      decide(requestOf(), [clusternetMemberOf({ spec: { clientID: otherId } })]),
    ];
    expect(taken.kind === "refused" ? taken.message : "").toBe(`id ${id} is that of cluster eu-9 already`);
    expect(other.kind === "refused" ? other.message : "").toContain(`set spec.clientID: ${id} in its file`);
    expect(other).toMatchObject({ write: { ref: { name: `clusternet-${id}` }, status: { result: "Denied" } } });
  });

  it("counts no second use of a token for one that was in, and takes none that is used up for a new one", () => {
    const token = doorOf({ maxRegistrations: 1 });
    const used = clusternetMemberOf({ state: granted() }, "eu-5");
    const same = clusternetMemberOf({ spec: { clientID: otherId }, state: granted() });
    const asked = requestOf({ metadata: { name: `clusternet-${otherId}` }, spec: { clusterId: otherId } });
    expect(result(decide(asked, [used], { token }))).toBe("refused TokenUsedUp");
    expect(result(decide(asked, [used, clusternetMemberOf({ spec: { clientID: otherId } })], { token }))).toBe(
      "refused TokenUsedUp",
    );
    expect(result(decide(asked, [same], { token }))).toBe("granted eu-1");
  });

  it("waits for a file with its id where the token requires it, and not for one that is in", () => {
    const token = doorOf({ approval: "PullRequest" });
    expect(result(decide(requestOf(), [clusternetMemberOf()], { token }))).toBe("proposal eu-1");
    expect(result(decide(requestOf(), [clusternetMemberOf({ spec: { clientID: id } })], { token }))).toBe(
      "granted eu-1",
    );
    expect(result(decide(again, [inside], { token }))).toBe("granted eu-1");
  });

  it("takes the agent that the hub installs whatever id was known, unless the file declares another", () => {
    const asked = requestOf({ labels: unnamed });
    const known = { clientID: otherId };
    expect(result(decide(asked, [clusternetMemberOf({ spec: withKubeconfig, state: known })]))).toBe("granted eu-1");
    expect(result(decide(asked, [clusternetMemberOf({ spec: { ...withKubeconfig, ...known } })]))).toBe(
      "refused NameTaken",
    );
    expect(result(decide(asked, [clusternetMemberOf({ state: known })]))).toBe("refused NameTaken");
  });

  it("reads an answered request again only once it was refused for more than a minute", () => {
    const denied = requestOf({ status: { result: "Denied" } });
    expect(result(decide(denied, [inside], { laterMs: 60_000 }))).toBe("none");
    expect(result(decide(denied, [inside], { laterMs: 60_001 }))).toBe("granted eu-1");
    expect(result(decide(requestOf({ status: { result: "Approved" } }), [inside], { laterMs: 60_001 }))).toBe("none");
  });
});

describe("decide: what is remembered of a Clusternet agent", () => {
  it("is the token, its use and what the agent is", () => {
    const spec = { clusterType: "EdgeCluster", syncMode: "Dual" };
    const token = doorOf({ clusterLabels: { from: "token" } });
    const decision = decide(requestOf({ spec }), [], { token, laterMs: 5000 });
    expect(stateOf(decision)).toEqual({
      clientID: id,
      join: {
        token: "door",
        tokenUse: 1,
        initiated: "agent",
        time: time(5000).replace(".000", ""),
        registration: `clusternet-${id}`,
      },
      labels: { token: { from: "token" }, agent: {} },
      protocolFacts: { requestUid: "uid-1", clusterId: id, clusterType: "EdgeCluster", syncMode: "Dual", door: "door" },
    });
    expect(decision).toMatchObject({
      cluster: { metadata: { name: "eu-1", namespace: workspace }, spec: { protocol: "clusternet", clientID: id } },
    });
  });

  it("is that the hub installed it, and no token", () => {
    const { join, protocolFacts } = stateOf(
      decide(requestOf({ labels: unnamed }), [clusternetMemberOf({ spec: withKubeconfig })]),
    );
    expect(join).not.toHaveProperty("token");
    expect([join?.initiated, protocolFacts?.["door"]]).toEqual(["hub", ""]);
  });

  it("is the first use, for the same agent that asks again, and a new one for another agent", () => {
    expect(stateOf(decide(again, [inside])).join).toMatchObject({ token: "door", tokenUse: 1, initiated: "agent" });
    const replaced = decide(requestOf(), [clusternetMemberOf({ spec: { clientID: id }, state: former })]);
    expect(stateOf(replaced).join).toMatchObject({ token: "door", tokenUse: 2 });
    const declared = decide(requestOf(), [clusternetMemberOf({ state: { clientID: id } })]);
    expect(stateOf(declared).join).toMatchObject({ token: "door", tokenUse: 1 });
  });

  it("is no label of an agent for a cluster that a file declares", () => {
    const labels = { ...unnamed, "rollcall.dev/token": "door", env: "dev" };
    expect(stateOf(decide(requestOf({ labels }), [clusternetMemberOf()])).labels).toBeUndefined();
    expect(stateOf(decide(requestOf({ labels }))).labels).toEqual({ token: {}, agent: { env: "dev" } });
  });
});

describe("decide: the file that is proposed for a Clusternet agent", () => {
  const token = doorOf({ approval: "PullRequest", agentLabels: ["env"] });
  const labels = { ...unnamed, "rollcall.dev/token": "door", env: "dev", zone: "a" };

  it("has its id, the labels that the token allows and what stood in the file", () => {
    const member = clusternetMemberOf({ spec: { displayName: "One" } });
    const labeled = {
      ...member,
      cluster: { ...member.cluster, metadata: { ...member.cluster.metadata, labels: { own: "x" } } },
    };
    expect(decide(requestOf({ labels }), [labeled], { token })).toMatchObject({
      kind: "proposal",
      cluster: {
        metadata: { name: "eu-1", namespace: workspace, labels: { env: "dev", own: "x" } },
        spec: { protocol: "clusternet", clientID: id, displayName: "One" },
      },
      write: { status: { errorMessage: expect.stringContaining(`spec.clientID: ${id}`) as string } },
    });
  });

  it("has no labels where there are none", () => {
    const decision = decide(requestOf(), [], { token });
    expect(decision.kind === "proposal" ? decision.cluster.metadata : {}).not.toHaveProperty("labels");
  });
});

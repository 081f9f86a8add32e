import { describe, expect, it } from "vitest";
import type { MemberState } from "../../../src/model/member-state.ts";
import {
  decide,
  hubFacts,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  result,
  startMs,
  tokenSubject,
} from "./hub-scene.ts";

const agent = makeAgent();
const other = makeAgent();
const token = tokenSubject("edge", { clusterNames: ["eu-1"] });
const ask = { tokenName: "edge", proofKey, clusterName: "eu-1" };
const registration = registrationOf(agent, ask);
const joined = { token: "edge", tokenUse: 1, time: "2027-01-01T00:00:00Z", initiated: "agent" as const };
const answered = { join: { ...joined, registration: registration.metadata.name } };

function resultFor(state: MemberState, annotations: Record<string, string> = {}): string {
  return result(decide(registration, { token, members: [memberOf("eu-1", { state, annotations })] }));
}

describe("decide: the same request again", () => {
  it("has no second answer while its agent is the member", () => {
    expect(resultFor(memberStateOf(agent, answered))).toBe("none");
  });

  const others: readonly (readonly [string, MemberState, string])[] = [
    ["another request was granted", memberStateOf(agent), "granted eu-1"],
    ["another agent is the member now", memberStateOf(other, answered), "refused ClientIDTaken"],
    [
      "the member has another key to seal for",
      memberStateOf(agent, { ...answered, keys: { signing: agent.signingKey, sealing: other.sealingKey } }),
      "granted eu-1",
    ],
    ["the member has another clientID", memberStateOf(agent, { ...answered, clientID: "uid-2" }), "refused NameTaken"],
    ["the member has lost its keys", { clientID: "uid-1", ...answered }, "granted eu-1"],
  ];
  it.each(others)("is decided again when %s", (_, state, expected) => {
    expect(resultFor(state)).toBe(expected);
  });

  it("is refused when the member was revoked or leaves, and has no successor", () => {
    const state = memberStateOf(agent, answered);
    expect(resultFor(state, { "rollcall.dev/revoked": "blob/who/when" })).toBe("refused ClusterRevoked");
    expect(resultFor(state, { "rollcall.dev/leave": "c0" })).toBe("refused ClusterLeaving");
  });

  it("keeps the use of the token that was counted, also where another token lets the agent in", () => {
    const state = memberStateOf(agent, { join: { ...joined, token: "first", tokenUse: 7, registration: "first-1" } });
    const decision = decide(registration, { token, members: [memberOf("eu-1", { state })] });
    expect(decision).toMatchObject({
      kind: "granted",
      state: { join: { token: "first", tokenUse: 7, registration: registration.metadata.name, initiated: "agent" } },
    });
    const byHub = memberStateOf(agent, {
      join: { bootstrap: 3, time: joined.time, registration: "hub-1", initiated: "hub" },
    });
    const again = decide(registration, { token, members: [memberOf("eu-1", { state: byHub })] });
    expect(again).toMatchObject({ kind: "granted", state: { join: { bootstrap: 3, initiated: "hub" } } });
    expect(again).not.toHaveProperty("state.join.token");
    expect(again).not.toHaveProperty("state.join.tokenUse");
  });

  it("waits while the cluster parts from its former protocol", () => {
    const leave = { commit: "c1", since: "2027-01-01T00:00:00Z" };
    const state: MemberState = { formerProtocol: { spec: { protocol: "fleet" }, leave } };
    const named = { clientID: "uid-1", identity: { keys: [agent.digest] } };
    for (const protocol of [{}, { protocol: "rollcall" as const }]) {
      const member = memberOf("eu-1", { state, spec: { ...named, ...protocol } });
      expect(decide(registration, { token, members: [member] })).toEqual({ kind: "none", recheckAfterMs: 5000 });
    }
    const onward = memberOf("eu-1", { state, spec: { ...named, protocol: "kubefleet" } });
    expect(result(decide(registration, { token, members: [onward] }))).toBe("refused ProtocolMismatch");
  });
});

describe("decide: approval by pull request", () => {
  const needy = tokenSubject("edge", { approval: "PullRequest", clusterNames: ["eu-1"] });
  const resultOf = (member: ReturnType<typeof memberOf>): string =>
    result(decide(registration, { token: needy, members: [member] }));

  it("proposes another key of a cluster, and nothing for one that is revoked, leaves or has another clientID", () => {
    expect(resultOf(memberOf("eu-1", { spec: { identity: { keys: [other.digest] } } }))).toBe("proposal eu-1");
    expect(resultOf(memberOf("eu-1", { state: memberStateOf(other) }))).toBe("proposal eu-1");
    const revoked = memberOf("eu-1", { annotations: { "rollcall.dev/revoked": "blob/who/when" } });
    expect(resultOf(revoked)).toBe("refused ClusterRevoked");
    const leaving = memberOf("eu-1", { annotations: { "rollcall.dev/leave": "c0" } });
    expect(resultOf(leaving)).toBe("refused ClusterLeaving");
    expect(resultOf(memberOf("eu-1", { spec: { clientID: "uid-2" } }))).toBe("refused ClientIDMismatch");
  });
});

describe("decide: the time of a refusal", () => {
  const stranger = registrationOf(agent, { ...ask, proofKey: Buffer.alloc(32) });
  const timeAfter = (status: Record<string, unknown>): unknown => {
    const decision = decide({ ...stranger, status }, { token }, hubFacts({ nowMs: startMs + 60_000 }));
    return decision.kind === "refused" ? decision.write.status["decidedTime"] : decision.kind;
  };
  const first = decide(stranger, { token });
  const status = first.kind === "refused" ? { ...first.write.status } : {};

  it("stays while nothing of it changes", () => {
    expect(timeAfter(status)).toBe("2027-01-15T08:00:00Z");
  });

  it.each([
    ["decision", "Granted"],
    ["reason", "UnknownToken"],
    ["message", "another"],
    ["decidedTime", undefined],
  ])("is new when %s was another", (field, value) => {
    expect(timeAfter({ ...status, [field]: value })).toBe("2027-01-15T08:01:00Z");
  });
});

describe("decide: the name of a cluster whose agent asks for none", () => {
  const nameless = registrationOf(agent, { tokenName: "edge", proofKey });
  it.each([
    [["eu-1"], "granted eu-1 (new)"],
    [["eu-1", "eu-2"], "refused NameNeeded"],
    [["eu-*"], "refused NameNeeded"],
    [["*"], "granted cluster-uid-1 (new)"],
    [undefined, "granted cluster-uid-1 (new)"],
  ])("is the one name of the token, if it has one: clusterNames %j", (clusterNames, expected) => {
    const named = tokenSubject("edge", clusterNames === undefined ? {} : { clusterNames });
    expect(result(decide(nameless, { token: named }))).toBe(expected);
  });
});

import { describe, expect, it } from "vitest";
import { isRegistrationProven } from "../../../src/join/rollcall/hub/decide.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";
import {
  fromGit,
  decide,
  hubFacts,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  startMs,
  tokenSubject,
  result,
} from "./hub-scene.ts";

const agent = makeAgent();
const other = makeAgent();
const ask = { tokenName: "edge", proofKey };
const later = (durationMs: number) => hubFacts({ nowMs: startMs + durationMs });

describe("isRegistrationProven", () => {
  const token = tokenSubject("edge", {});
  const scene = (subject = token) => ({
    token: subject,
    members: indexMembers([]),
    tokens: () => [],
    unowned: () => [],
  });

  it("A119 believes the name of a token where the request was made with its values", () => {
    const forged = registrationOf(agent, { tokenName: "edge", proofKey: new Uint8Array(32).fill(9) });
    const stray = registrationOf(agent, { tokenName: "none", proofKey });
    const proven = registrationOf(agent, ask);
    const proofs = [proven, forged, stray, { ...proven, spec: {} }].map((request) =>
      isRegistrationProven(request, scene(), hubFacts()),
    );
    expect(proofs).toEqual([true, false, false, false]);
    expect(isRegistrationProven(forged, scene({ ...token, children: [] }), hubFacts())).toBe(true);
  });
});

describe("decide: the proof selects the rule", () => {
  const token = tokenSubject("edge", {});

  it("lets an agent in whose proof fits, as the cluster that it asks for", () => {
    const decision = decide(registrationOf(agent, { ...ask, clusterName: "edge-7" }), { token });
    expect(decision).toEqual({
      kind: "granted",
      clusterName: "edge-7",
      cluster: {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { name: "edge-7", namespace: "fleet" },
      },
      state: {
        clientID: "uid-1",
        keys: { signing: agent.signingKey, sealing: agent.sealingKey },
        credential: { number: 1, issuedAt: "2027-01-15T08:00:00Z", expiresAt: "2027-01-16T08:00:00Z" },
        liveCredentials: [1],
        lastCredentialNumber: 1,
        join: {
          token: "edge",
          tokenUse: 1,
          time: "2027-01-15T08:00:00Z",
          registration: registrationOf(agent, ask).metadata.name,
          initiated: "agent",
        },
        labels: { token: {}, agent: {} },
      },
      notes: [],
    });
  });

  it("refuses a proof by another key", () => {
    const registration = registrationOf(agent, { ...ask, proofKey: Buffer.alloc(32, 8) });
    expect(result(decide(registration, { token }))).toBe("refused ProofInvalid");
  });

  it.each([
    ["clientID", { clientID: "uid-of-another" }],
    ["clusterName", { clusterName: "another" }],
    ["labels", { labels: { tier: "gold" } }],
    ["sealingKey", { sealingKey: other.sealingKey }],
    ["proof", { proof: "0".repeat(64) }],
  ])("A7: refuses a registration whose %s was changed on the way", (_field, change) => {
    const registration = registrationOf(agent, { ...ask, clusterName: "edge-7" }, change);
    expect(result(decide(registration, { token }))).toBe("refused ProofInvalid");
  });

  it("A7: refuses another's registration under a new name: the name belongs to the key", () => {
    const stolen = registrationOf(agent, ask);
    const renamed = { ...stolen, metadata: { ...stolen.metadata, name: "edge-0000000000000000" } };
    expect(result(decide(renamed, { token }))).toBe("refused WrongName");
  });

  it("refuses the key of another agent in a registration", () => {
    const registration = registrationOf(agent, ask, { signingKey: other.signingKey });
    expect(result(decide(registration, { token }))).toBe("refused WrongName");
  });

  it("A7: refuses a proof that was made for another token, workspace or hub", () => {
    const stranger = registrationOf(agent, { ...ask, tokenName: "other" });
    expect(result(decide(stranger, { token }))).toBe("refused UnknownToken");
    const elsewhere = registrationOf(agent, ask);
    const moved = { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: "team-b" } };
    expect(result(decide(moved, { token }))).toBe("refused ProofInvalid");
    const otherHub = hubFacts({ hubId: `sha256:${"0".repeat(64)}` });
    expect(result(decide(registrationOf(agent, ask), { token }, otherHub))).toBe("refused ProofInvalid");
  });

  it.each([
    ["no spec", undefined],
    ["a text as spec", "spec"],
    ["an empty spec", {}],
    ["another version", { protocolVersion: 2 }],
  ])("refuses %s without failing", (_case, spec) => {
    const registration: KubeObject = { ...registrationOf(agent, ask), spec };
    expect(result(decide(registration, { token }))).toBe("refused UnsupportedVersion");
  });

  it.each([
    ["tokenName", 7],
    ["clientID", ""],
    ["clientID", "a b"],
    ["clientID", "x".repeat(254)],
    ["signingKey", "AAAA"],
    ["sealingKey", "AAAA"],
    ["proof", undefined],
  ])("refuses a malformed %s (%j)", (field, value) => {
    expect(result(decide(registrationOf(agent, ask, { [field]: value }), { token }))).toBe("refused Malformed");
  });

  it("waits for a token whose values are not issued yet", () => {
    const unminted = { ...token, children: [] };
    expect(decide(registrationOf(agent, ask), { token: unminted })).toEqual({ kind: "none", recheckAfterMs: 5000 });
  });

  it("refuses the same twice without a difference", () => {
    const registration = registrationOf(agent, { ...ask, proofKey: Buffer.alloc(32) });
    const first = decide(registration, { token });
    if (first.kind !== "refused") throw new Error("not refused");
    const again = decide({ ...registration, status: first.write.status }, { token }, later(60_000));
    expect(again).toEqual(first);
  });
});

describe("decide: the token's rule", () => {
  it("A7: refuses a token that has expired, and one that never does not", () => {
    const token = tokenSubject("edge", { ttl: "1h" });
    const registration = registrationOf(agent, ask);
    expect(result(decide(registration, { token }, later(3_599_000)))).toBe("granted cluster-uid-1 (new)");
    expect(result(decide(registration, { token }, later(3_600_000)))).toBe("refused TokenClosed");
    for (const ttl of [undefined, null, "0", "0s"]) {
      const endless = tokenSubject("edge", { ttl });
      expect(result(decide(registration, { token: endless }, later(10 ** 12)))).toBe("granted cluster-uid-1 (new)");
    }
  });

  it("A7: refuses a token that was revoked or is being deleted", () => {
    const base = tokenSubject("edge");
    for (const change of [
      { annotations: { "rollcall.dev/revoked": "blob/someone/time" } },
      { deletionTimestamp: "2027-01-01T00:00:00Z" },
    ]) {
      const token = { ...base, token: { ...base.token, metadata: { ...base.token.metadata, ...change } } };
      expect(result(decide(registrationOf(agent, ask), { token }))).toBe("refused TokenClosed");
    }
  });

  it("A7: refuses a token that was used as often as it may be, by status or by state", () => {
    const single = tokenSubject("edge", { maxRegistrations: 1 });
    const inMemory = memberOf("first", { state: memberStateOf(other, { clientID: "uid-0" }) });
    const registration = registrationOf(agent, ask);
    expect(result(decide(registration, { token: single }))).toBe("granted cluster-uid-1 (new)");
    expect(result(decide(registration, { token: single, members: [inMemory] }))).toBe("refused TokenUsedUp");
    const byStatus = { ...single, token: { ...single.token, status: { uses: 1 } } };
    expect(result(decide(registration, { token: byStatus }))).toBe("refused TokenUsedUp");
  });

  it("does not count an agent twice that asks again", () => {
    const token = tokenSubject("edge", { maxRegistrations: 1 });
    const members = [memberOf("edge-7", { state: memberStateOf(agent) })];
    const decision = decide(registrationOf(agent, ask), { token, members });
    expect(decision).toMatchObject({ kind: "granted", clusterName: "edge-7", state: { join: { tokenUse: 1 } } });
  });

  it("numbers the uses, so that a leave gives none back", () => {
    const token = tokenSubject("edge", { maxRegistrations: 3 }, { status: { uses: 2 } });
    expect(decide(registrationOf(agent, ask), { token })).toMatchObject({ state: { join: { tokenUse: 3 } } });
  });

  it.each([
    ["any name without clusterNames", undefined, "edge-7", "granted edge-7 (new)"],
    ["a name that a glob matches", ["edge-*"], "edge-7", "granted edge-7 (new)"],
    ["a name that is written out", ["eu-1"], "eu-1", "granted eu-1 (new)"],
    ["no name that nothing matches", ["edge-*", "eu-1"], "us-1", "refused NameNotAllowed"],
    ["no name that is none", undefined, "Edge_7", "refused NameInvalid"],
    ["no name that is too long", undefined, "e".repeat(64), "refused NameInvalid"],
    ["the one name it can mean", ["eu-1"], undefined, "granted eu-1 (new)"],
    ["a name made of the clientID", undefined, undefined, "granted cluster-uid-1 (new)"],
    ["no made name that nothing matches", ["edge-*"], undefined, "refused NameNeeded"],
  ])("creates %s", (_case, clusterNames, clusterName, expected) => {
    const token = tokenSubject("edge", { clusterNames });
    expect(result(decide(registrationOf(agent, { ...ask, clusterName }), { token }))).toBe(expected);
  });

  it("A2: takes from an agent only labels that the token lets it propose, and never reserved ones", () => {
    const agentLabels = ["site", "example.com/rack", "rollcall.dev/repository", "team.cattle.io/x"];
    const token = tokenSubject("edge", { agentLabels, clusterLabels: { tier: "edge" } });
    const labels = {
      site: "berlin",
      "example.com/rack": "r1",
      tier: "gold",
      env: "prod",
      "rollcall.dev/repository": "mine",
      "team.cattle.io/x": "y",
    };
    const decision = decide(registrationOf(agent, { ...ask, labels }), { token });
    expect(decision).toMatchObject({
      state: {
        labels: { token: { tier: "edge" }, agent: { site: "berlin", "example.com/rack": "r1" } },
      },
      notes: [
        "label tier is not among the token's agentLabels",
        "label env is not among the token's agentLabels",
        "label rollcall.dev/repository has a reserved prefix",
        "label team.cattle.io/x has a reserved prefix",
      ],
    });
  });
});

describe("decide: a clientID belongs to its keys", () => {
  const broad = tokenSubject("edge", {});
  const literal = tokenSubject("edge", { clusterNames: ["eu-1"] });
  const registration = registrationOf(agent, ask);
  const named = registrationOf(agent, { ...ask, clusterName: "eu-1" });

  it("A1: refuses an agent that claims another member's clientID", () => {
    const members = [memberOf("eu-1", { state: memberStateOf(other) })];
    expect(result(decide(registration, { token: broad, members }))).toBe("refused ClientIDTaken");
    expect(result(decide(registration, { token: literal, members }))).toBe("refused ClientIDTaken");
  });

  it("A1: refuses the first claim of a declared cluster by a token that does not write its name out", () => {
    const members = [memberOf("eu-1", { spec: { clientID: "uid-1" } })];
    const byGlob = tokenSubject("edge", { clusterNames: ["eu-*", "*"] });
    expect(result(decide(registration, { token: broad, members }))).toBe("refused ClaimNotNamed");
    expect(result(decide(registration, { token: byGlob, members }))).toBe("refused ClaimNotNamed");
    expect(result(decide(registration, { token: literal, members }))).toBe("granted eu-1");
  });

  it("A1: refuses a declared cluster to an agent with another clientID", () => {
    const members = [memberOf("eu-1", { spec: { clientID: "uid-2" } })];
    expect(result(decide(named, { token: literal, members }))).toBe("refused ClientIDMismatch");
  });

  it("lets the first agent in as a declared cluster that its token names, whatever its clientID", () => {
    expect(result(decide(named, { token: literal, members: [memberOf("eu-1")] }))).toBe("granted eu-1");
  });

  it("admits by keys from git, by any token, and no other agent", () => {
    const members = [memberOf("eu-1", { spec: { identity: { keys: [agent.digest] } } })];
    expect(result(decide(named, { token: broad, members }))).toBe("granted eu-1");
    const stranger = registrationOf(other, { ...ask, clusterName: "eu-1" });
    expect(result(decide(stranger, { token: literal, members }))).toBe("refused KeyMismatch");
  });

  it("knows an agent again that asks once more, and keeps what is remembered of it", () => {
    const state = memberStateOf(agent, { credential: { number: 3, issuedAt: "a", expiresAt: "b" }, answeredNonce: 5 });
    const decision = decide(registration, { token: broad, members: [memberOf("eu-1", { state })] });
    expect(decision).toMatchObject({
      clusterName: "eu-1",
      state: { credential: { number: 3 }, answeredNonce: 5, join: { registration: registration.metadata.name } },
    });
  });

  it("has nothing to do for a registration that it granted", () => {
    const state = memberStateOf(agent, {
      join: { token: "edge", time: "", registration: registration.metadata.name, initiated: "agent" },
    });
    expect(result(decide(registration, { token: broad, members: [memberOf("eu-1", { state })] }))).toBe("none");
  });

  it("F22: refuses a cluster that was installed anew under the same name until git names its key", () => {
    const state = memberStateOf(other, {
      clientID: "uid-of-the-former",
      credential: { number: 3, issuedAt: "a", expiresAt: "b" },
      liveCredentials: [2, 3],
      answeredNonce: 9,
    });
    const members = [memberOf("eu-1", { state })];
    expect(result(decide(named, { token: literal, members }))).toBe("refused NameTaken");
    const approved = [memberOf("eu-1", { state, spec: { identity: { keys: [agent.digest] } } })];
    const decision = decide(named, { token: broad, members: approved });
    expect(decision).toMatchObject({ kind: "granted", clusterName: "eu-1" });
    if (decision.kind !== "granted") return;
    expect(decision.state).toMatchObject({
      clientID: "uid-1",
      credential: { number: 4 },
      liveCredentials: [4],
      lastCredentialNumber: 4,
    });
    expect(decision.state).not.toHaveProperty("answeredNonce");
  });

  it("F22: takes a new clientID in git as a new first claim", () => {
    const state = memberStateOf(other, { clientID: "uid-of-the-former" });
    const members = [memberOf("eu-1", { state, spec: { clientID: "uid-1" } })];
    expect(result(decide(named, { token: broad, members }))).toBe("refused ClaimNotNamed");
    expect(result(decide(named, { token: literal, members }))).toBe("granted eu-1");
  });

  it("refuses a cluster that the hub knew and forgot", () => {
    const members = [memberOf("eu-1", { status: { identity: { keys: [other.digest] } } })];
    expect(result(decide(named, { token: literal, members }))).toBe("refused IdentityLost");
  });

  it.each([
    ["NameTaken", { state: memberStateOf(other, { clientID: "uid-of-the-former" }) }],
    ["ClientIDTaken", { state: memberStateOf(other, { clientID: "uid-1" }) }],
    ["KeyMismatch", { spec: { identity: { keys: [other.digest] } } }],
    ["IdentityLost", { status: { identity: { keys: [other.digest] } } }],
  ])("%s: names the key that the cluster's file must have to let the agent in", (reason, parts) => {
    const decision = decide(named, { token: literal, members: [memberOf("eu-1", parts)] });
    expect(result(decision)).toBe(`refused ${reason}`);
    if (decision.kind !== "refused") return;
    expect(decision.write.status["message"]).toContain(`key ${agent.digest} into spec.identity.keys`);
  });

  it("refuses a clientID that two files declare", () => {
    const spec = { clientID: "uid-1" };
    const members = [memberOf("eu-1", { spec }), memberOf("eu-2", { spec })];
    expect(result(decide(registration, { token: literal, members }))).toBe("refused ClientIDAmbiguous");
  });

  it("A103: admits the cluster whose file has the clientID, though another agent joined with it before", () => {
    const state = memberStateOf(other, { clientID: "uid-1" });
    const declared = fromGit(memberOf("eu-1", { spec: { clientID: "uid-1" } }));
    for (const members of [
      [memberOf("taken", { state }), declared],
      [declared, memberOf("taken", { state })],
    ]) {
      expect(result(decide(registration, { token: literal, members }))).toBe("granted eu-1");
      expect(result(decide(registrationOf(other, ask), { token: broad, members }))).toBe("refused ClaimNotNamed");
    }
  });

  it.each([
    ["ProtocolMismatch", { spec: { protocol: "fleet" as const } }],
    ["ClusterLeaving", { annotations: { "rollcall.dev/leave": "abc" } }],
    ["ClusterRevoked", { annotations: { "rollcall.dev/revoked": "blob/who/when" } }],
  ])("refuses with %s", (reason, parts) => {
    const members = [memberOf("eu-1", parts)];
    expect(result(decide(named, { token: literal, members }))).toBe(`refused ${reason}`);
    const known = [memberOf("eu-1", { ...parts, state: memberStateOf(agent) })];
    expect(result(decide(named, { token: literal, members: known }))).toBe(`refused ${reason}`);
  });

  it.each([
    ["ClusterLeaving", { annotations: { "rollcall.dev/leave": "abc" } }],
    ["ClusterRevoked", { annotations: { "rollcall.dev/revoked": "blob/who/when" } }],
  ])("notifies the agent that was admitted by this very request, and asks again: %s", (reason, parts) => {
    const join = { time: "2027-01-01T00:00:00Z", registration: named.metadata.name, initiated: "agent" as const };
    const state = memberStateOf(agent, { join });
    const membersWith = (extra: typeof parts | object) => [memberOf("eu-1", { ...extra, state })];
    expect(result(decide(named, { token: literal, members: membersWith({}) }))).toBe("none");
    expect(result(decide(named, { token: literal, members: membersWith(parts) }))).toBe(`refused ${reason}`);
    // One that becomes another cluster: its agent learns from its report where it continues.
    const annotations = { ...parts.annotations, "rollcall.dev/moved-to": "fleet/eu-2" };
    expect(result(decide(named, { token: literal, members: membersWith({ annotations }) }))).toBe("none");
  });
});

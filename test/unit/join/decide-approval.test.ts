import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/join/rollcall/messages.ts";
import { bootstrapSecretName, internalTokenName } from "../../../src/model/dialects/rollcall.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import {
  decide,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  tokenSubject,
  result,
} from "./hub-scene.ts";

const agent = makeAgent();
const other = makeAgent();
const ask = { tokenName: "edge", proofKey };

describe("decide: approval by pull request", () => {
  const token = tokenSubject("edge", {
    approval: "PullRequest",
    agentLabels: ["site"],
    clusterNames: ["edge-*", "eu-1"],
  });

  it("proposes the file of a new cluster, with the agent's key and allowed labels", () => {
    const registration = registrationOf(agent, { ...ask, clusterName: "edge-7", labels: { site: "b", env: "prod" } });
    expect(decide(registration, { token })).toEqual({
      kind: "proposal",
      cluster: {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { name: "edge-7", namespace: "fleet", labels: { site: "b" } },
        spec: { clientID: "uid-1", identity: { keys: [agent.digest] } },
      },
      write: {
        ref: {
          type: resourceTypes.clusterRegistration,
          namespace: "fleet",
          name: registration.metadata.name,
        },
        status: {
          observedGeneration: 1,
          decision: "Proposed",
          reason: "AwaitingMerge",
          message: `A file of cluster edge-7 is proposed; the agent comes in when one with its key ${agent.digest} is merged.`,
          clusterName: "edge-7",
          decidedTime: "2027-01-15T08:00:00Z",
        },
      },
    });
  });

  it("lets the agent in when the proposed file was merged", () => {
    const registration = registrationOf(agent, { ...ask, clusterName: "edge-7" });
    const merged = memberOf("edge-7", { spec: { clientID: "uid-1", identity: { keys: [agent.digest] } } });
    expect(result(decide(registration, { token, members: [merged] }))).toBe("granted edge-7");
  });

  it("proposes new keys only for a cluster that the token writes out", () => {
    const members = [memberOf("eu-1", { state: memberStateOf(other) })];
    expect(result(decide(registrationOf(agent, ask), { token, members }))).toBe("proposal eu-1");
    const edge = [memberOf("edge-7", { state: memberStateOf(other) })];
    expect(result(decide(registrationOf(agent, ask), { token, members: edge }))).toBe("refused ClientIDTaken");
  });

  it("does not propose what the name's rule forbids", () => {
    expect(result(decide(registrationOf(agent, { ...ask, clusterName: "us-1" }), { token }))).toBe(
      "refused NameNotAllowed",
    );
  });
});

describe("decide: a token that the hub made for one cluster alone", () => {
  const internal = { tokenName: internalTokenName("eu-1"), proofKey };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: bootstrapSecretName("eu-1", 1), namespace: "fleet" },
    data: { proofKey: toBase64(proofKey) },
  };
  const bootstrap = { number: 1, issuedAt: "2027-01-15T08:00:00Z", expiresAt: "2027-01-15T09:00:00Z" };
  const eu1 = memberOf("eu-1", { state: { bootstrap }, children: [secret] });

  it("lets the agent in as that cluster alone, whatever name it asks for", () => {
    const registration = registrationOf(agent, { ...internal, clusterName: "eu-2" });
    expect(result(decide(registration, { members: [eu1, memberOf("eu-2")] }))).toBe("granted eu-1");
    expect(decide(registration, { members: [eu1] })).toMatchObject({
      state: { join: { bootstrap: 1, initiated: "hub" }, bootstrap },
    });
  });

  it("A7: lets one agent in only", () => {
    const used = { ...eu1, state: memberStateOf(other, { clientID: "uid-0", bootstrap, join: joinBy(1) }) };
    expect(result(decide(registrationOf(agent, internal), { members: [used] }))).toBe("refused NameTaken");
  });

  it("replaces the former agent when the hub installed another one", () => {
    const again = {
      ...eu1,
      state: memberStateOf(other, { clientID: "uid-0", bootstrap, join: joinBy(0), rejoin: "AgentLost" }),
    };
    const decision = decide(registrationOf(agent, internal), { members: [again] });
    expect(decision).toMatchObject({ kind: "granted", clusterName: "eu-1", state: { join: { bootstrap: 1 } } });
    if (decision.kind === "granted") expect(decision.state).not.toHaveProperty("rejoin");
  });

  it("refuses it when its Secret is deleted, and for a cluster that is none", () => {
    const revoked = { ...eu1, children: [] };
    expect(result(decide(registrationOf(agent, internal), { members: [revoked] }))).toBe("refused TokenClosed");
    expect(result(decide(registrationOf(agent, internal), { members: [] }))).toBe("refused UnknownToken");
  });

  it("A1: refuses a clientID that another cluster has", () => {
    const owner = memberOf("eu-9", { state: memberStateOf(other) });
    expect(result(decide(registrationOf(agent, internal), { members: [eu1, owner] }))).toBe("refused ClientIDTaken");
  });

  it("is none of the names that a token can have", () => {
    const token = tokenSubject("eu-1");
    expect(result(decide(registrationOf(agent, internal), { token, members: [] }))).toBe("refused UnknownToken");
  });

  function joinBy(number: number) {
    return { bootstrap: number, time: "", registration: "eu-1.bootstrap-0011", initiated: "hub" as const };
  }
});

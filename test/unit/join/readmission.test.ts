import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { withAnswer } from "../../../src/join/rollcall/downstream/membership.ts";
import { withReadmission } from "../../../src/join/rollcall/downstream/readmission.ts";
import { readmitObject } from "../../../src/join/rollcall/hub/readmit.ts";
import { signedHubInfo } from "../../../src/join/rollcall/hub/hub-info.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import { sealReadmission } from "../../../src/join/rollcall/hub/seal-readmission.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { recoverySecretName } from "../../../src/model/dialects/rollcall.ts";
import type { HubFacts } from "../../../src/model/member.ts";
import { hubFacts, memberOf, workspace } from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";

const facts = hubFacts();
const epoch = (number: number): HubFacts => hubFacts({ trust: { ...facts.trust, epoch: number } });
const agent = joined(7);
const digest = keyDigest(agent.keys.signing.public);
const entropy = { bytes: (count: number) => Buffer.alloc(count, 9) };

function joined(seed: number): AgentIdentity {
  const values = { hub: { url: "https://hub", caBundle: "", id: facts.hubId }, workspace };
  return withAnswer(
    makeIdentity(values, "uid-1", Buffer.alloc(64, seed)),
    {
      clusterName: "eu-1",
      credential: { number: 4, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" },
      recoveryToken: "former",
      hubInfo: signedHubInfo(facts),
      heartbeatPeriodSeconds: 60,
    },
    0,
  );
}

/** The member as a restore makes it: its keys, and a new recovery account. */
function restored(parts: MemberParts = {}) {
  const keys = { signing: agent.keys.signing.public, sealing: agent.keys.sealing.public };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: recoverySecretName("eu-1", digest), namespace: workspace },
    data: { token: Buffer.from("new recovery token").toString("base64") },
  };
  return memberOf("eu-1", { state: { clientID: "uid-1", keys }, children: [secret], ...parts });
}

function signedIn(object: ReturnType<typeof readmitObject>) {
  const { payload, signature } = JSON.parse(textAt(object, "data", "signed") ?? "{}") as Record<string, string>;
  return { payload: payload ?? "", signature: signature ?? "" };
}

describe("a readmission", () => {
  const object = readmitObject(restored(), epoch(2), entropy);

  it("brings its agent a new recovery credential, in public and unreadable", () => {
    expect(object?.metadata).toEqual({ name: `readmit-${digest.slice(7)}`, namespace: "rollcall-public" });
    expect(JSON.stringify(object)).not.toContain("new recovery token");
    expect(JSON.stringify(object)).not.toContain(Buffer.from("new recovery token").toString("base64"));
    const after = withReadmission(agent, signedIn(object));
    expect(after.membership).toMatchObject({ clusterName: "eu-1", recoveryToken: "new recovery token" });
    expect(after.membership?.credential).toEqual(agent.membership?.credential);
  });

  it("is of no use to another agent", () => {
    expect(() => withReadmission(joined(8), signedIn(object))).toThrow(expect.objectContaining({ code: "E_HUB_INFO" }));
    const sameKeys = { ...agent, keys: { ...agent.keys, sealing: joined(8).keys.sealing } };
    expect(() => withReadmission(sameKeys, signedIn(object))).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });

  it("counts only with the signature of the hub that the agent knows", () => {
    const stranger = generateKeyPairSync("ed25519").privateKey;
    const forged = sealReadmission(
      { workspace, clusterName: "eu-1", recoveryToken: "mine" },
      { hubId: facts.hubId, digest, epoch: 2 },
      {
        sealingKey: agent.keys.sealing.public,
        ephemeralKey: Buffer.alloc(32, 1),
        sign: (payload) => sign(null, payload, stranger),
      },
    );
    const tries = [forged, { ...signedIn(object), signature: "" }, { payload: "", signature: "" }];
    for (const signed of tries)
      expect(() => withReadmission(agent, signed)).toThrow(expect.objectContaining({ code: "E_HUB_INFO" }));
  });

  it("is of no use to an agent that was never a member", () => {
    const values = { hub: { url: "https://hub", caBundle: "", id: facts.hubId }, workspace };
    const fresh = { ...makeIdentity(values, "uid-1", Buffer.alloc(64, 7)), keys: agent.keys };
    const { membership: _left, ...left } = agent;
    for (const identity of [fresh, left, { ...fresh, membership: agent.membership }])
      expect(() => withReadmission(identity, signedIn(object))).toThrow("this agent was never a member");
  });

  it("F4: counts nothing in an epoch before the one that the agent has seen", () => {
    const seen = { ...agent, epoch: 3 };
    expect(() => withReadmission(seen, signedIn(object))).toThrow(expect.objectContaining({ code: "E_HUB_INFO" }));
    expect(
      withReadmission(seen, signedIn(readmitObject(restored(), epoch(3), entropy))).membership?.recoveryToken,
    ).toBe("new recovery token");
  });

  it("is made for members alone that need one and may have it", () => {
    const { state, children } = restored();
    const credential = { number: 1, issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
    const others: MemberParts[] = [
      { state: { ...state, credential }, children },
      { state, children: [] },
      { state: {}, children },
      { state, children, annotations: { "rollcall.dev/revoked": "blob/who/when" } },
      { state, children, annotations: { "rollcall.dev/leave": "abc" } },
    ];
    for (const parts of others) expect(readmitObject(memberOf("eu-1", parts), epoch(2), entropy)).toBeUndefined();
  });
});

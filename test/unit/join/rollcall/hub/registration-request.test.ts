import { describe, expect, it } from "vitest";
import { readRegistration } from "../../../../../src/join/rollcall/hub/registration-request.ts";
import { makeAgent, proofKey, registrationOf } from "../../hub-scene.ts";

const agent = makeAgent();
const asked = { tokenName: "edge", proofKey };
const read = (changes: Record<string, unknown>) => readRegistration(registrationOf(agent, asked, changes));

describe("readRegistration: what an agent asks", () => {
  it("is who it is, which token it was given and what it wants to be", () => {
    const registration = registrationOf(agent, { ...asked, clusterName: "eu-1", labels: { env: "dev" } });
    expect(readRegistration(registration)).toMatchObject({
      request: {
        name: registration.metadata.name,
        tokenName: "edge",
        clientID: "uid-1",
        clusterName: "eu-1",
        labels: { env: "dev" },
        signingKey: agent.signingKey,
        sealingKey: agent.sealingKey,
        keyDigest: agent.digest,
      },
    });
    const bare = readRegistration(registrationOf(agent, asked));
    expect("request" in bare ? Object.keys(bare.request) : []).not.toEqual(expect.arrayContaining(["clusterName"]));
    expect("request" in bare ? Object.keys(bare.request) : []).not.toEqual(expect.arrayContaining(["labels"]));
  });

  it.each<[string, Record<string, unknown>]>([
    ["UnsupportedVersion", { protocolVersion: 2 }],
    ["UnsupportedVersion", { protocolVersion: undefined }],
    ["Malformed", { tokenName: "" }],
    ["Malformed", { clientID: undefined }],
    ["Malformed", { clientID: "a b" }],
    ["Malformed", { clientID: "a".repeat(254) }],
    ["Malformed", { signingKey: undefined }],
    ["Malformed", { signingKey: agent.sealingKey }],
    ["Malformed", { sealingKey: undefined }],
    ["Malformed", { sealingKey: agent.signingKey }],
    ["Malformed", { proof: "" }],
    ["WrongName", { tokenName: "other" }],
    ["WrongName", { signingKey: makeAgent().signingKey }],
  ])("is refused as %s: %j", (refusal, changes) => {
    expect(read(changes)).toEqual({ refusal });
  });

  it("may name a clientID of 253 characters", () => {
    expect(read({ clientID: "a".repeat(253) })).toHaveProperty("request");
  });
});

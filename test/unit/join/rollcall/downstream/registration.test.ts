import { describe, expect, it } from "vitest";
import { makeIdentity } from "../../../../../src/join/rollcall/downstream/agent-identity.ts";
import { makeRegistration, readResult } from "../../../../../src/join/rollcall/downstream/registration.ts";
import { registrationPlace, sealAnswer } from "../../../../../src/join/rollcall/answers.ts";
import type { AgentValues } from "../../../../../src/join/rollcall/agent-values.ts";
import { isRegistrationProof } from "../../../../../src/join/rollcall/messages.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { proofKey } from "../../hub-scene.ts";

const hub = { url: "https://hub", caBundle: "ca", id: "sha256:hub" };
const token = { name: "edge", credential: "opaque", proofKey: proofKey.toString("base64") };
const values: AgentValues = { hub, workspace: "fleet", token };
const identity = makeIdentity(values, "uid-1", Buffer.alloc(64, 7));
const specOf = (asked: AgentValues) => makeRegistration(identity, asked, "0.1.0")["spec"] as Record<string, unknown>;

describe("makeRegistration: what an agent asks to be", () => {
  it("is proved by the values that it was given, with the name and the labels in them", () => {
    const cluster = { name: "eu-1", labels: { env: "dev" } };
    const { proof, agentVersion } = specOf({ ...values, cluster });
    const claims = {
      ...{ hubId: hub.id, workspace: "fleet", tokenName: "edge", clientID: "uid-1" },
      signingKey: identity.keys.signing.public,
      sealingKey: identity.keys.sealing.public,
    };
    const asked = { ...claims, clusterName: "eu-1", labels: { env: "dev" } };
    expect(isRegistrationProof(String(proof as string), proofKey, asked)).toBe(true);
    expect(isRegistrationProof(String(specOf(values)["proof"] as string), proofKey, claims)).toBe(true);
    expect(agentVersion).toBe("0.1.0");
    expect(specOf({ ...values, cluster })).toMatchObject({ clusterName: "eu-1", labels: { env: "dev" } });
    expect(Object.keys(specOf(values))).not.toEqual(expect.arrayContaining(["clusterName"]));
    expect(specOf(values)).not.toHaveProperty("labels");
  });
});

describe("readResult: the hub's answer to a registration", () => {
  const answer = {
    clusterName: "eu-1",
    credential: { number: 1, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" },
    recoveryToken: "r",
    hubInfo: { payload: "cA==", signature: "cw==" },
    heartbeatPeriodSeconds: 60,
  };
  const registration = makeRegistration(identity, values, "0.1.0");
  const place = { hubId: hub.id, workspace: "fleet", place: registrationPlace(registration.metadata.name) };
  const sealedAnswer = sealAnswer(answer, place, {
    sealingKey: identity.keys.sealing.public,
    ephemeralKey: Buffer.alloc(32, 3),
  });

  it.each<[string, object | undefined, unknown]>([
    ["is none before the hub decided it", undefined, { kind: "waiting" }],
    ["is none yet, and why", { reason: "Parting", message: "m" }, { kind: "waiting", reason: "Parting", message: "m" }],
    [
      "is a refusal",
      { decision: "Refused", reason: "NameTaken", message: "m" },
      { kind: "refused", reason: "NameTaken", message: "m" },
    ],
    ["is a refusal without words", { decision: "Refused" }, { kind: "refused", reason: "", message: "" }],
    [
      "is a refusal, whatever is beside it",
      { decision: "Refused", sealedAnswer },
      { kind: "refused", reason: "", message: "" },
    ],
    ["is a credential", { decision: "Granted", reason: "Granted", sealedAnswer }, { kind: "granted", answer }],
    ["is half an answer", { decision: "Granted", sealedAnswer: { enc: sealedAnswer.enc } }, { kind: "waiting" }],
    ["is the other half", { decision: "Granted", sealedAnswer: { ciphertext: "c" } }, { kind: "waiting" }],
  ])("%s", (_what, status, expected) => {
    const asked: KubeObject = { ...registration, ...(status === undefined ? {} : { status }) };
    expect(readResult(identity, asked)).toEqual(expected);
  });
});

import { describe, expect, it } from "vitest";
import { openAnswer, readCredential, registrationPlace, sealAnswer } from "../../../../src/join/rollcall/answers.ts";
import type { HubAnswer } from "../../../../src/join/rollcall/answers.ts";
import { makeAgent } from "../hub-scene.ts";

const agent = makeAgent();
const place = { hubId: "h", workspace: "w", place: registrationPlace("edge-0011") };
const credential = { number: 1, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
const answer: HubAnswer = {
  clusterName: "eu-1",
  credential,
  recoveryToken: "r",
  hubInfo: { payload: "cA==", signature: "cw==" },
  heartbeatPeriodSeconds: 60,
};
const opened = (changes: object): HubAnswer =>
  openAnswer(
    sealAnswer({ ...answer, ...changes }, place, { sealingKey: agent.sealingKey, ephemeralKey: Buffer.alloc(32, 3) }),
    place,
    agent.sealingPrivateKey,
  );

describe("openAnswer: what an agent reads of its hub", () => {
  it("has the workspace only of a move", () => {
    expect(opened({})).toEqual(answer);
    expect(opened({ workspace: "other" })).toEqual({ ...answer, workspace: "other" });
  });

  it.each<[string, object]>([
    ["the cluster", { clusterName: undefined }],
    ["the recovery token", { recoveryToken: undefined }],
    ["the heartbeat period", { heartbeatPeriodSeconds: undefined }],
    ["the credential", { credential: undefined }],
    ["the hub's info", { hubInfo: undefined }],
    ["what was signed of the hub's info", { hubInfo: { signature: "cw==" } }],
    ["the signature of the hub's info", { hubInfo: { payload: "cA==" } }],
  ])("is refused without %s", (_what, changes) => {
    expect(() => opened(changes)).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });

  it.each(Object.keys(credential))("is refused without the %s of its credential", (key) => {
    const rest = Object.fromEntries(Object.entries(credential).filter(([name]) => name !== key));
    expect(readCredential(rest)).toBeUndefined();
    expect(() => opened({ credential: rest })).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });
});

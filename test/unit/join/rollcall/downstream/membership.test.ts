import { describe, expect, it } from "vitest";
import { makeIdentity } from "../../../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../../../src/join/rollcall/downstream/agent-identity.ts";
import {
  isOutdated,
  makeRenewal,
  nextNonce,
  readRenewal,
  readSigned,
  readSuccessor,
  renewalDueAtMs,
  withAnswer,
  withPredecessor,
  withHubInfo,
  withRenewal,
  withSuccessor,
} from "../../../../../src/join/rollcall/downstream/membership.ts";
import { renewalPlace, sealAnswer, successorPlace } from "../../../../../src/join/rollcall/answers.ts";
import type { HubAnswer } from "../../../../../src/join/rollcall/answers.ts";
import { isSignature, renewalMessage } from "../../../../../src/join/rollcall/messages.ts";
import { signHubInfo } from "../../../../../src/join/rollcall/signed-hub-info.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts } from "../../hub-scene.ts";

const facts = hubFacts();
const info = (changes: { readonly epoch?: number; readonly validFrom?: string; readonly url?: string } = {}) => {
  const { epoch = 1, validFrom = "2027-01-01T00:00:00Z", url = "https://hub" } = changes;
  const endpoints = [{ url, caBundle: "ca" }];
  return signHubInfo({ hubId: facts.hubId, trustKey: facts.trust.publicKey, endpoints, validFrom, epoch }, (payload) =>
    facts.trust.sign(payload),
  );
};
const values = { hub: { url: "https://values", caBundle: "", id: facts.hubId }, workspace: "fleet" };
const fresh = makeIdentity(values, "uid-1", Buffer.alloc(64, 7));
const credential = { number: 4, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
const answer: HubAnswer = {
  clusterName: "eu-1",
  credential,
  recoveryToken: "r",
  hubInfo: info(),
  heartbeatPeriodSeconds: 30,
};
const member = withAnswer(fresh, answer, 5000);
const reportOf = (status?: object): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterReport",
  metadata: { name: "eu-1", namespace: "fleet" },
  ...(status === undefined ? {} : { status }),
});
const urlOf = ({ endpoints }: AgentIdentity): string | undefined => endpoints[0]?.url;

describe("withAnswer: an agent that was admitted", () => {
  it("keeps its credential with the time at which it came, by its own clock", () => {
    expect(member.membership).toEqual({
      clusterName: "eu-1",
      recoveryToken: "r",
      heartbeatPeriodSeconds: 30,
      credential: { ...credential, receivedAtMs: 5000 },
    });
    expect([member.workspace, urlOf(member), member.epoch]).toEqual(["fleet", "https://hub", 1]);
    expect(withAnswer(fresh, { ...answer, workspace: "other" }, 0).workspace).toBe("other");
  });

  it("can go back from another cluster until its credential is renewed there", () => {
    const moved = withSuccessor(member, { ...answer, clusterName: "eu-2", workspace: "other" }, 6000);
    expect(moved).toMatchObject({ workspace: "other", membership: { clusterName: "eu-2" } });
    expect(withPredecessor(moved)).toEqual(member);
    const renewed = withRenewal(moved, { ...answer, clusterName: "eu-2" }, 7000);
    expect(withPredecessor(renewed)).toBeUndefined();
    expect(withSuccessor(fresh, answer, 0)).not.toHaveProperty("former");
  });
});

describe("withHubInfo: the address and the key of the hub", () => {
  it.each<[string, Parameters<typeof info>[0], string]>([
    ["a later info", { url: "https://new", validFrom: "2027-02-01T00:00:00Z" }, "https://new"],
    ["another info of the same time", { url: "https://new" }, "https://new"],
    ["an earlier info", { url: "https://new", validFrom: "2026-12-31T00:00:00Z" }, "https://hub"],
    [
      "an earlier info of a later epoch",
      { url: "https://new", epoch: 2, validFrom: "2026-12-31T00:00:00Z" },
      "https://new",
    ],
    [
      "F4: a later info of an earlier epoch",
      { url: "https://new", epoch: 0, validFrom: "2028-01-01T00:00:00Z" },
      "https://hub",
    ],
  ])("are those of %s: %s", (_what, changes, expected) => {
    expect(urlOf(withHubInfo(member, info(changes)))).toBe(expected);
  });

  it("are the same object for the same info, so that nothing is written", () => {
    expect(withHubInfo(member, info())).toBe(member);
    expect(withHubInfo(member, info({ epoch: 0 }))).toBe(member);
    expect(withHubInfo(fresh, info())).not.toHaveProperty("trustKey");
  });
});

describe("isOutdated: a report's status of an old copy of the hub", () => {
  const seen = withHubInfo(member, info({ epoch: 2 }));
  it.each<[string, KubeObject, boolean]>([
    ["an earlier epoch", reportOf({ hubInfo: info({ epoch: 1 }) }), true],
    ["the epoch that it has seen", reportOf({ hubInfo: info({ epoch: 2 }) }), false],
    ["no info", reportOf({}), false],
    ["no status", reportOf(), false],
  ])("is one with %s: %s", (_what, report, expected) => {
    expect(isOutdated(seen, report)).toBe(expected);
  });

  it("reads only what is signed", () => {
    expect(readSigned({ payload: "p", signature: "s" })).toEqual({ payload: "p", signature: "s" });
    expect(readSigned({ payload: "p" })).toBeUndefined();
    expect(readSigned({ signature: "s" })).toBeUndefined();
  });
});

describe("a renewal", () => {
  const { membership } = member;
  if (membership === undefined) throw new Error("no member");

  it("is due at two thirds of the life of the credential, from when that came, and of ten minutes at least", () => {
    expect(renewalDueAtMs(membership.credential)).toBe(5000 + 16 * 3_600_000);
    const spent = { ...membership, credential: { ...membership.credential, expiresAt: "2026-01-01T00:00:00Z" } };
    expect(renewalDueAtMs(spent.credential)).toBe(5000 + 400_000);
  });

  it("has a nonce greater than the last one, and than any of a backup", () => {
    expect(nextNonce({ ...member, lastNonce: 9 }, 5)).toBe(10);
    expect(nextNonce({ ...member, lastNonce: 9 }, 500)).toBe(500);
  });

  it("is signed by its agent for this cluster, with the number of its credential", () => {
    const { nonce, credential: number, signature } = makeRenewal(member, membership, 12);
    const claims = { hubId: facts.hubId, workspace: "fleet", cluster: "eu-1", nonce: 12, credential: 4 };
    expect([nonce, number]).toEqual([12, 4]);
    expect(isSignature(member.keys.signing.public, renewalMessage(claims), String(signature as string))).toBe(true);
  });

  const seal = (place: string) =>
    sealAnswer(
      answer,
      { hubId: facts.hubId, workspace: "fleet", place },
      { sealingKey: member.keys.sealing.public, ephemeralKey: Buffer.alloc(32, 3) },
    );

  it("is answered under its own nonce alone", () => {
    const sealed = seal(renewalPlace("eu-1", 12));
    expect(readRenewal(member, reportOf({ renewal: { nonce: 12, sealed } }), 12)).toEqual(answer);
    expect(readRenewal(member, reportOf({ renewal: { nonce: 12, sealed } }), 13)).toBeUndefined();
    expect(readRenewal(member, reportOf({ renewal: { nonce: 12, sealed: { enc: sealed.enc } } }), 12)).toBeUndefined();
    expect(readRenewal(member, reportOf({ renewal: { nonce: 12, sealed: { ciphertext: "c" } } }), 12)).toBeUndefined();
    expect(readRenewal(member, reportOf(), 12)).toBeUndefined();
    expect(() => readRenewal(member, reportOf({ renewal: { nonce: 13, sealed } }), 13)).toThrow(
      expect.objectContaining({ code: "E_SEALED" }),
    );
  });

  it("is no answer about where the agent continues", () => {
    const sealed = seal(successorPlace("eu-1"));
    expect(readSuccessor(member, reportOf({ successor: { sealed } }))).toEqual(answer);
    expect(readSuccessor(member, reportOf({ successor: { sealed: { enc: sealed.enc } } }))).toBeUndefined();
    expect(readSuccessor(member, reportOf({ successor: { sealed: { ciphertext: "c" } } }))).toBeUndefined();
    expect(readSuccessor(member, reportOf())).toBeUndefined();
    const other = { ...reportOf({ successor: { sealed } }), metadata: { name: "eu-2" } };
    expect(() => readSuccessor(member, other)).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });
});

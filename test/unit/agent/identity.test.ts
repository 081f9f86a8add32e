import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { makeIdentity, readIdentity, withNewerKey } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import {
  isOutdated,
  makeRenewal,
  nextNonce,
  renewalDueAtMs,
  withAnswer,
  withHubInfo,
} from "../../../src/join/rollcall/downstream/membership.ts";
import { makeRegistration, readResult } from "../../../src/join/rollcall/downstream/registration.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import { isSealingKey, isSigningKey, isSignature, renewalMessage } from "../../../src/join/rollcall/messages.ts";
import type { HubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { decide, hubFacts, proofKey, tokenSubject, result, workspace } from "../join/hub-scene.ts";

const facts = hubFacts();
const values: AgentValues = {
  hub: { url: "https://hub.example.com:6443", caBundle: "ca", id: facts.hubId },
  workspace,
  token: { name: "edge", credential: "credential", proofKey: proofKey.toString("base64") },
  cluster: { name: "edge-7", labels: { site: "b" } },
};
const identity = makeIdentity(values, "uid-1", Buffer.alloc(64, 5));
const info = (changes: Partial<HubInfo> = {}) =>
  signHubInfo(
    {
      hubId: facts.hubId,
      trustKey: facts.trust.publicKey,
      endpoints: [{ url: "https://new.example.com", caBundle: "new" }],
      validFrom: "2027-02-01T00:00:00Z",
      epoch: 1,
      ...changes,
    },
    (payload) => facts.trust.sign(payload),
  );
const answer = {
  clusterName: "edge-7",
  credential: { number: 1, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" },
  recoveryToken: "r",
  hubInfo: info(),
  heartbeatPeriodSeconds: 30,
};

describe("makeIdentity", () => {
  it("makes keys of the protocol's forms, the same from the same bytes and others from others", () => {
    expect(isSigningKey(identity.keys.signing.public)).toBe(true);
    expect(isSealingKey(identity.keys.sealing.public)).toBe(true);
    expect(makeIdentity(values, "uid-1", Buffer.alloc(64, 5))).toEqual(identity);
    expect(makeIdentity(values, "uid-1", Buffer.alloc(64, 6)).keys).not.toEqual(identity.keys);
  });
});

describe("withNewerKey", () => {
  const digest = `sha256:${"2".repeat(64)}`;
  const hub = { url: "https://elsewhere", caBundle: "other", id: facts.hubId, trustKey: digest, trustKeyNumber: 3 };
  const member = withAnswer(identity, answer, 1234);

  it("takes the key and the address of values that name a newer key, and stays who it is", () => {
    const { hubInfo: _, lastEndpoint: __, ...rest } = member;
    expect(withNewerKey(member, { hub })).toEqual({
      ...rest,
      epoch: 0,
      trustKey: { digest, number: 3 },
      endpoints: [{ url: "https://elsewhere", caBundle: "other" }],
    });
  });

  it("A95 forgets with the former key the epoch that the key had signed: a thief could have signed any", () => {
    const misled = withHubInfo(member, info({ epoch: Number.MAX_SAFE_INTEGER }));
    expect(withNewerKey(misled, { hub })?.epoch).toBe(0);
  });

  it.each([
    { reason: "name an older key", hub: { ...hub, trustKeyNumber: 2 } },
    { reason: "name another key of the same number", hub: { ...hub, trustKey: `sha256:${"3".repeat(64)}` } },
    { reason: "report no number", hub: { url: hub.url, caBundle: hub.caBundle, id: hub.id, trustKey: digest } },
    { reason: "name no key", hub: { url: hub.url, caBundle: hub.caBundle, id: hub.id } },
    { reason: "are another hub's", hub: { ...hub, id: digest, trustKeyNumber: 9 } },
  ])("takes nothing of values that $reason: an update of the installation may bring old ones back", (old) => {
    const held = { ...member, trustKey: { digest, number: 3 } };
    expect(withNewerKey(held, old)).toBeUndefined();
  });
});

describe("readIdentity", () => {
  const full: AgentIdentity = {
    ...withAnswer(identity, answer, 1234),
    lastNonce: 7,
    rollout: {
      digest: "d",
      version: "2",
      startedAtMs: 1,
      deadlineMs: 2,
      previous: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "rollcall-agent" } },
    },
    refused: { digest: "x", version: "3" },
  };

  it("reads all that was written", () => {
    expect(readIdentity(JSON.parse(JSON.stringify(full)))).toEqual(full);
    expect(readIdentity(JSON.parse(JSON.stringify(identity)))).toEqual(identity);
  });

  it.each([
    undefined,
    null,
    "text",
    [],
    {},
    { ...full, keys: {} },
    { ...full, hubId: 7 },
    { ...full, endpoints: [] },
    { ...full, epoch: "1" },
    { ...full, keys: { ...full.keys, sealing: { public: "x" } } },
  ])("F23: reads none where something is missing (%#)", (value) => {
    expect(readIdentity(value)).toBeUndefined();
  });

  it("F23: takes a half-written membership for none: the keys are still there", () => {
    const half = { ...full, membership: { clusterName: "edge-7" } };
    expect(readIdentity(half)).toEqual({ ...full, membership: undefined });
  });
});

describe("makeRegistration", () => {
  it("is admitted by the hub's rule, as it asks", () => {
    const registration = makeRegistration(identity, values, "0.1.0");
    const decision = decide(registration, { token: tokenSubject("edge", { agentLabels: ["site"] }) });
    expect(result(decision)).toBe("granted edge-7 (new)");
    expect(decision).toMatchObject({ state: { clientID: "uid-1", labels: { agent: { site: "b" } } } });
  });

  it("contains nothing that is secret", () => {
    const text = JSON.stringify(makeRegistration(identity, values, "0.1.0"));
    for (const secret of [values.token.credential, values.token.proofKey, identity.keys.signing.private])
      expect(text).not.toContain(secret);
  });
});

describe("readVerdict", () => {
  const registration = makeRegistration(identity, values, "0.1.0");

  it.each([
    [undefined, { kind: "waiting" }],
    [
      { decision: "Refused", reason: "ProofInvalid", message: "m" },
      { kind: "refused", reason: "ProofInvalid" },
    ],
    [
      { decision: "Proposed", reason: "AwaitingMerge", message: "m" },
      { kind: "waiting", reason: "AwaitingMerge" },
    ],
    [{ decision: "Granted" }, { kind: "waiting" }],
    ["nonsense", { kind: "waiting" }],
  ])("understands %j", (status, expected) => {
    expect(readResult(identity, { ...registration, status })).toMatchObject(expected);
  });

  it("refuses an answer that is for another agent", () => {
    const status = { decision: "Granted", sealedAnswer: { enc: "AAAA", ciphertext: "AAAA" } };
    expect(() => readResult(identity, { ...registration, status })).toThrow(
      expect.objectContaining({ code: "E_SEALED" }),
    );
  });
});

describe("withHubInfo", () => {
  const held = withHubInfo(identity, info());

  it("takes the addresses of a newer info", () => {
    expect(held.endpoints).toEqual([{ url: "https://new.example.com", caBundle: "new" }]);
    const later = info({ validFrom: "2027-03-01T00:00:00Z", endpoints: [{ url: "https://c", caBundle: "c" }] });
    expect(withHubInfo(held, later).endpoints).toEqual([{ url: "https://c", caBundle: "c" }]);
    expect(withHubInfo(held, info({ epoch: 2, validFrom: "2020-01-01T00:00:00Z" })).epoch).toBe(2);
  });

  it("keeps the address before until it is reached at another one, however many are announced", () => {
    const { hub } = values;
    const first = { url: hub.url, caBundle: hub.caBundle };
    const later = (url: string, caBundle: string) =>
      withHubInfo(held, info({ validFrom: "2027-03-01T00:00:00Z", endpoints: [{ url, caBundle }] }));
    expect(held.lastEndpoint).toEqual(first);
    expect(later("https://c", "c").lastEndpoint).toEqual(first);
    expect(later(first.url, "another ca").lastEndpoint).toEqual(first);
    expect(later(first.url, first.caBundle)).not.toHaveProperty("lastEndpoint");
    expect(readIdentity(JSON.parse(JSON.stringify(held)))).toEqual(held);
  });

  it("changes nothing for the same, an earlier, or a former epoch's info", () => {
    expect(withHubInfo(held, info())).toBe(held);
    expect(
      withHubInfo(held, info({ validFrom: "2027-01-01T00:00:00Z", endpoints: [{ url: "https://c", caBundle: "" }] })),
    ).toBe(held);
    const restored = withHubInfo(held, info({ epoch: 2 }));
    expect(withHubInfo(restored, info({ epoch: 1, validFrom: "2040-01-01T00:00:00Z" }))).toBe(restored);
  });

  it.each([
    { what: "epoch", said: { epoch: Number.MAX_SAFE_INTEGER } },
    { what: "time", said: { validFrom: "9999-01-01T00:00:00Z" } },
  ])("A95 comes back from the greatest $what that a stolen key signed, when the hub has another key", ({ said }) => {
    const misled = withHubInfo(held, info({ ...said, endpoints: [{ url: "https://thief", caBundle: "t" }] }));
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const trustKey = publicKey.export({ type: "spki", format: "der" }).toString("base64");
    const revoked = {
      hubId: facts.hubId,
      trustKey,
      succession: { number: 2, replacements: [] },
      endpoints: [{ url: "https://new.example.com", caBundle: "new" }],
      validFrom: "2027-03-01T00:00:00Z",
      epoch: 1,
    };
    const signed = signHubInfo(revoked, (payload) => sign(null, payload, privateKey));
    const back = withHubInfo(misled, signed, { isFromHub: true });
    expect(back).toMatchObject({ endpoints: revoked.endpoints, epoch: 1, trustKey: { number: 2 } });
    // What the stolen key signs is earlier from then on.
    expect(() => withHubInfo(back, info({ epoch: Number.MAX_SAFE_INTEGER }))).toThrow(
      expect.objectContaining({ code: "E_HUB_INFO" }),
    );
    expect(withHubInfo(back, info({ epoch: Number.MAX_SAFE_INTEGER }), { isFromHub: true })).toBe(back);
  });

  it("F4: knows an older copy of the hub", () => {
    const restored = withHubInfo(held, info({ epoch: 2 }));
    const report = (epoch: number) => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterReport",
      metadata: { name: "edge-7" },
      status: { hubInfo: info({ epoch }) },
    });
    expect(isOutdated(restored, report(1))).toBe(true);
    expect(isOutdated(restored, report(2))).toBe(false);
    expect(isOutdated(restored, { ...report(1), status: {} })).toBe(false);
  });
});

describe("renewal", () => {
  const joined = withAnswer(identity, answer, 1_000_000);
  const membership = joined.membership;
  if (membership === undefined) throw new Error("not joined");

  it("F7: is due after two thirds of the credential's length, by the own clock alone", () => {
    expect(renewalDueAtMs(membership.credential)).toBe(1_000_000 + 16 * 3600_000);
  });

  it("has a nonce greater than every one before, whatever the clock reads", () => {
    expect(nextNonce(joined, 5000)).toBe(5000);
    expect(nextNonce({ ...joined, lastNonce: 9000 }, 5000)).toBe(9001);
  });

  it("is signed over what it asks", () => {
    const request = makeRenewal(joined, membership, 5000);
    const claims = { hubId: facts.hubId, workspace, cluster: "edge-7", nonce: 5000, credential: 1 };
    expect(request).toMatchObject({ nonce: 5000, credential: 1 });
    expect(isSignature(identity.keys.signing.public, renewalMessage(claims), textAt(request, "signature") ?? "")).toBe(
      true,
    );
  });
});

describe("readValuesText", () => {
  it("reads values as they are in a token's Secret", () => {
    expect(readValuesText(JSON.stringify(values))).toEqual({ kind: "values", values });
  });

  it.each([
    [undefined, { kind: "none" }],
    [" \n", { kind: "none" }],
    ["{", { kind: "incomplete", lack: "they are not JSON" }],
    ["{}", { kind: "incomplete", lack: "hub.url is missing or malformed" }],
    [
      JSON.stringify({ ...values, hub: { ...values.hub, url: "http://plain" } }),
      {
        kind: "incomplete",
        lack: "hub.url is plain http: name the hub's https address, credentials are not sent in the clear",
      },
    ],
    [
      JSON.stringify({ ...values, hub: { ...values.hub, id: "sha256:0" } }),
      { kind: "incomplete", lack: "hub.id is missing or malformed" },
    ],
    [
      JSON.stringify({ ...values, workspace: undefined }),
      { kind: "incomplete", lack: "workspace is missing or malformed" },
    ],
    [
      JSON.stringify({ ...values, token: { ...values.token, proofKey: "AA==" } }),
      { kind: "incomplete", lack: "token.proofKey is missing or malformed" },
    ],
  ])("F23: names what is missing in %j", (text, expected) => {
    expect(readValuesText(text)).toEqual(expected);
  });
});

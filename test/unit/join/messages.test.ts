import { generateKeyPairSync, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openAnswer, registrationPlace, renewalPlace, sealAnswer } from "../../../src/join/rollcall/answers.ts";
import { openHubInfo, signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import {
  isRegistrationProof,
  isSealingKey,
  isSignature,
  isSigningKey,
  keyDigest,
  readMessage,
  registrationMessage,
  registrationProof,
  renewalMessage,
  signMessage,
  toBase64,
} from "../../../src/join/rollcall/messages.ts";
import type { RegistrationClaims } from "../../../src/join/rollcall/messages.ts";
import { hubFacts, makeAgent } from "./hub-scene.ts";

/** Short texts of the characters that a careless encoding trips over: equal claims come up often, near misses too. */
const text = fc.string({ unit: fc.constantFrom('"', ",", "\\", ":", "a", "\ud800", "\u0000"), maxLength: 2 });
const claims: fc.Arbitrary<RegistrationClaims> = fc.record(
  {
    hubId: fc.constantFrom("h", 'h","'),
    workspace: fc.constantFrom("w", 'w","'),
    tokenName: text,
    signingKey: fc.constantFrom("s", "null"),
    sealingKey: fc.constantFrom("e", "null"),
    clientID: text,
    clusterName: fc.constantFrom("", "null", "a"),
    labels: fc.dictionary(fc.constantFrom("a", "__proto__", "1", 'a":"b","c'), text, { maxKeys: 2 }),
  },
  { requiredKeys: ["hubId", "workspace", "tokenName", "signingKey", "sealingKey", "clientID"] },
);

/** The claims as they are meant: an absent label map means the same as an empty one. */
function meaning({ labels = {}, ...rest }: RegistrationClaims): unknown {
  return { ...rest, labels: { ...labels } };
}

describe("registrationMessage", () => {
  it("gives two claims the same bytes only if they mean the same", () => {
    fc.assert(
      fc.property(claims, claims, (one, other) => {
        const isSame = Buffer.from(registrationMessage(one)).equals(Buffer.from(registrationMessage(other)));
        expect(isSame).toBe(isEqual(meaning(one), meaning(other)));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps apart fields that run together", () => {
    const base = {
      hubId: "h",
      workspace: "w",
      tokenName: "t",
      signingKey: "s",
      sealingKey: "e",
      clientID: "c",
    };
    const said: RegistrationClaims[] = [
      base,
      { ...base, workspace: "wt", tokenName: "" },
      { ...base, workspace: "", tokenName: "wt" },
      { ...base, clusterName: "" },
      { ...base, clusterName: "null" },
      { ...base, labels: { a: "b" } },
      { ...base, labels: { 'a":"b","c': "d" } },
      { ...base, labels: { a: "b", c: "d" } },
      { ...base, clusterName: '","labels' },
    ];
    const texts = said.map((claim) => Buffer.from(registrationMessage(claim)).toString("utf8"));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it("does not depend on the order of labels", () => {
    const base = { hubId: "h", workspace: "w", tokenName: "t", signingKey: "s", sealingKey: "e", clientID: "c" };
    expect(registrationMessage({ ...base, labels: { a: "1", b: "2" } })).toEqual(
      registrationMessage({ ...base, labels: { b: "2", a: "1" } }),
    );
  });

  it("is never the bytes of another kind of message, whatever it contains", () => {
    const renewal = renewalMessage({ hubId: "h", workspace: "w", cluster: "c", nonce: 1, credential: 1 });
    expect(Buffer.from(renewal).toString()).toBe('["rollcall/v1/renewal","h","w","c",1,1]');
    fc.assert(fc.property(claims, (claim) => !Buffer.from(registrationMessage(claim)).equals(Buffer.from(renewal))));
    expect(readMessage("registration", renewal)).toBeUndefined();
    expect(readMessage("renewal", renewal)).toEqual(["h", "w", "c", 1, 1]);
  });
});

describe("isRegistrationProof", () => {
  const key = Buffer.alloc(32, 1);
  const said = { hubId: "h", workspace: "w", tokenName: "t", signingKey: "s", sealingKey: "e", clientID: "c" };

  it("accepts the proof of these claims by this key alone", () => {
    const proof = registrationProof(key, said);
    expect(isRegistrationProof(proof, key, said)).toBe(true);
    expect(isRegistrationProof(proof, Buffer.alloc(32, 2), said)).toBe(false);
    expect(isRegistrationProof(proof, key, { ...said, clientID: "d" })).toBe(false);
    expect(isRegistrationProof(proof, key, { ...said, hubId: "other hub" })).toBe(false);
    expect(isRegistrationProof(proof, key, { ...said, workspace: "other" })).toBe(false);
  });

  it("accepts nothing that is no proof, and no proof by an empty key", () => {
    for (const proof of ["", "zz", "00", "0".repeat(64), registrationProof(key, said).slice(2)])
      expect(isRegistrationProof(proof, key, said)).toBe(false);
    const empty = Buffer.alloc(0);
    expect(isRegistrationProof(registrationProof(empty, said), empty, said)).toBe(false);
  });
});

describe("signatures", () => {
  it("fit the message and the key that they were made by", () => {
    const agent = makeAgent();
    const request = { hubId: "h", workspace: "w", cluster: "c", nonce: 5, credential: 1 };
    const signature = signMessage(agent.signingPrivateKey, renewalMessage(request));
    expect(isSignature(agent.signingKey, renewalMessage(request), signature)).toBe(true);
    expect(isSignature(makeAgent().signingKey, renewalMessage(request), signature)).toBe(false);
    for (const changed of [{ nonce: 6 }, { credential: 2 }, { cluster: "d" }, { workspace: "x" }, { hubId: "i" }])
      expect(isSignature(agent.signingKey, renewalMessage({ ...request, ...changed }), signature)).toBe(false);
    expect(isSignature("", renewalMessage(request), signature)).toBe(false);
    expect(isSignature(agent.signingKey, renewalMessage(request), "")).toBe(false);
  });

  it("take Ed25519 keys alone, in their one form", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
    const x25519 = generateKeyPairSync("x25519").publicKey;
    const agent = makeAgent();
    expect(isSigningKey(agent.signingKey)).toBe(true);
    expect(isSigningKey(toBase64(rsa.export({ format: "der", type: "spki" })))).toBe(false);
    expect(isSigningKey(toBase64(x25519.export({ format: "der", type: "spki" })))).toBe(false);
    expect(isSigningKey(`${agent.signingKey} `)).toBe(false);
    expect(isSigningKey(toBase64(Buffer.concat([Buffer.from(agent.signingKey, "base64"), Buffer.alloc(1)])))).toBe(
      false,
    );
    expect(isSealingKey(agent.sealingKey)).toBe(true);
    expect(isSealingKey(agent.sealingKey.slice(4))).toBe(false);
    expect(isSealingKey(`${agent.sealingKey}\n`)).toBe(false);
  });
});

describe("openHubInfo", () => {
  const facts = hubFacts();
  const info = {
    hubId: facts.hubId,
    trustKey: facts.trust.publicKey,
    endpoints: [{ url: "https://new.example.com", caBundle: "new" }],
    validFrom: "2027-02-01T00:00:00Z",
    epoch: 2,
  };
  const signed = signHubInfo(info, (payload) => facts.trust.sign(payload));

  it("reads what the pinned hub signed", () => {
    expect(openHubInfo(signed, facts)).toEqual(info);
  });

  it("F5 refuses another hub, also one that claims to be this one", () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const otherKey = toBase64(publicKey.export({ format: "der", type: "spki" }));
    const bySelf = (payload: Uint8Array) => sign(null, payload, privateKey);
    const forged = [
      signHubInfo({ ...info, hubId: keyDigest(otherKey), trustKey: otherKey }, bySelf),
      signHubInfo({ ...info, trustKey: otherKey }, bySelf),
      signHubInfo(info, bySelf),
      { ...signed, signature: "" },
      { ...signed, payload: toBase64(Buffer.from("[]")) },
      { ...signed, payload: "" },
      signHubInfo({ ...info, endpoints: [] }, (payload) => facts.trust.sign(payload)),
      signHubInfo({ ...info, endpoints: [{ url: "http://plain", caBundle: "" }] }, (payload) =>
        facts.trust.sign(payload),
      ),
    ];
    for (const text of forged)
      expect(() => openHubInfo(text, facts)).toThrow(expect.objectContaining({ code: "E_HUB_INFO" }));
  });
});

describe("sealAnswer", () => {
  const agent = makeAgent();
  const answer = {
    clusterName: "eu-1",
    credential: { number: 1, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" },
    recoveryToken: "r",
    hubInfo: { payload: "cA==", signature: "cw==" },
    heartbeatPeriodSeconds: 60,
  };
  const place = { hubId: "h", workspace: "w", place: registrationPlace("edge-0011") };
  const sealed = sealAnswer(answer, place, { sealingKey: agent.sealingKey, ephemeralKey: Buffer.alloc(32, 3) });

  it("is opened by the agent at its place", () => {
    expect(openAnswer(sealed, place, agent.sealingPrivateKey)).toEqual(answer);
  });

  it("is opened by no other agent, and nowhere else", () => {
    const tries = [
      () => openAnswer(sealed, place, makeAgent().sealingPrivateKey),
      () => openAnswer(sealed, { ...place, place: renewalPlace("eu-1", 1) }, agent.sealingPrivateKey),
      () => openAnswer(sealed, { ...place, workspace: "x" }, agent.sealingPrivateKey),
      () => openAnswer(sealed, { ...place, hubId: "x" }, agent.sealingPrivateKey),
      () => openAnswer({ ...sealed, ciphertext: "" }, place, agent.sealingPrivateKey),
      () => openAnswer({ enc: "", ciphertext: "" }, place, agent.sealingPrivateKey),
    ];
    for (const open of tries) expect(open).toThrow(expect.objectContaining({ code: "E_SEALED" }));
  });
});

function isEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false; // toEqual reports "different" by throwing
  }
}

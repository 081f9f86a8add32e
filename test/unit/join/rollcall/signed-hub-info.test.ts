import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeIdentity, readIdentity } from "../../../../src/join/rollcall/downstream/agent-identity.ts";
import { isOutdated, withHubInfo } from "../../../../src/join/rollcall/downstream/membership.ts";
import { keyNumberOf, openHubInfo, signHubInfo } from "../../../../src/join/rollcall/signed-hub-info.ts";
import { keyDigest, message, toBase64 } from "../../../../src/join/rollcall/messages.ts";
import { signReplacement } from "../../../../src/join/rollcall/trust-chain.ts";

function makeKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const text = toBase64(publicKey.export({ type: "spki", format: "der" }));
  return { text, digest: keyDigest(text), sign: (payload: Uint8Array) => sign(null, payload, privateKey) };
}
type Key = ReturnType<typeof makeKey>;

const [first, second, third] = [makeKey(), makeKey(), makeKey()];
const hubId = first.digest;
const replace = (from: Key, to: Key) => signReplacement({ hubId, from: from.text, to: to.text }, from.sign);

/** What a hub with its key of this number publishes, at this hour. */
function infoOf(key: Key, number: number, replacements: readonly ReturnType<typeof replace>[] = []) {
  const info = {
    hubId,
    trustKey: key.text,
    ...(number === 1 ? {} : { succession: { number, replacements } }),
    endpoints: [{ url: `https://hub-${number}.example.com`, caBundle: "ca" }],
    validFrom: `2027-01-01T0${number}:00:00Z`,
    epoch: 1,
  };
  return signHubInfo(info, key.sign);
}

const values = { hub: { url: "https://hub.example.com", caBundle: "ca", id: hubId }, workspace: "fleet" };
const met = withHubInfo(makeIdentity(values, "uid", Buffer.alloc(64, 7)), infoOf(first, 1));
const refused = expect.objectContaining({ code: "E_HUB_INFO" }) as Error;

describe("openHubInfo", () => {
  it("takes an info of the known key, and one of a key that follows it", () => {
    expect(keyNumberOf(openHubInfo(infoOf(first, 1), { hubId }))).toBe(1);
    const chain = [replace(first, second), replace(second, third)];
    expect(keyNumberOf(openHubInfo(infoOf(third, 3, chain), { hubId }))).toBe(3);
  });

  it("refuses an info of a key that nothing leads to, unless the hub itself hands it out under another number", () => {
    expect(() => openHubInfo(infoOf(second, 2), { hubId })).toThrow(refused);
    expect(keyNumberOf(openHubInfo(infoOf(second, 2), { hubId }, { isFromHub: true }))).toBe(2);
    expect(() => openHubInfo(infoOf(second, 1), { hubId }, { isFromHub: true })).toThrow(refused);
  });

  it("refuses an info of another hub, and one whose own key has not signed it", () => {
    expect(() => openHubInfo(infoOf(second, 2), { hubId: second.digest }, { isFromHub: true })).toThrow(refused);
    const { payload } = infoOf(second, 2);
    const { signature } = infoOf(third, 2);
    expect(() => openHubInfo({ payload, signature }, { hubId }, { isFromHub: true })).toThrow(refused);
  });
});

describe("an agent of a hub whose trust key is replaced", () => {
  const chain = [replace(first, second), replace(second, third)];

  it("follows two replacements at once, from what is public", () => {
    const after = withHubInfo(met, infoOf(third, 3, chain));
    expect(after).toMatchObject({ hubId, trustKey: { digest: third.digest, number: 3 } });
    expect(after.endpoints[0]?.url).toBe("https://hub-3.example.com");
    expect(readIdentity(JSON.parse(JSON.stringify(after)))).toEqual(after);
  });

  it("does not return to a key that was replaced, whatever sends it", () => {
    const after = withHubInfo(met, infoOf(third, 3, chain));
    expect(() => withHubInfo(after, infoOf(first, 1))).toThrow(refused);
    expect(withHubInfo(after, infoOf(first, 1), { isFromHub: true })).toBe(after);
    const report = {
      apiVersion: "v1",
      kind: "ClusterReport",
      metadata: { name: "a" },
      status: { hubInfo: infoOf(first, 1) },
    };
    expect(isOutdated(after, report)).toBe(true);
    expect(isOutdated(met, report)).toBe(false);
  });

  it("is not led away by a stolen key that it knows to be replaced", () => {
    const thief = makeKey();
    const after = withHubInfo(met, infoOf(second, 2, chain.slice(0, 1)));
    const forged = infoOf(thief, 4, [replace(first, thief)]);
    expect(() => withHubInfo(after, forged)).toThrow(refused);
  });

  it("takes the key after a revocation from the hub alone", () => {
    const revoked = infoOf(third, 3);
    expect(() => withHubInfo(met, revoked)).toThrow(refused);
    expect(withHubInfo(met, revoked, { isFromHub: true }).trustKey).toEqual({ digest: third.digest, number: 3 });
  });

  it("begins with the key that its values name", () => {
    const named = { ...values, hub: { ...values.hub, trustKey: third.digest, trustKeyNumber: 3 } };
    const newcomer = makeIdentity(named, "uid", Buffer.alloc(64, 8));
    expect(withHubInfo(newcomer, infoOf(third, 3)).trustKey).toEqual({ digest: third.digest, number: 3 });
    expect(() => withHubInfo(newcomer, infoOf(first, 1))).toThrow(refused);
  });
});

describe("openHubInfo: an info that the hub's own key signed", () => {
  const info = {
    hubId,
    trustKey: first.text,
    endpoints: [{ url: "https://hub", caBundle: "ca" }],
    validFrom: "2027-02-01T00:00:00Z",
    epoch: 2,
  };
  const signedBy = (value: unknown) => {
    const payload = message("hub-info", [value]);
    return { payload: toBase64(payload), signature: toBase64(first.sign(payload)) };
  };
  const open = (changes: object) => openHubInfo(signedBy({ ...info, ...changes }), { hubId });

  it("is read with all there is", () => {
    expect(open({})).toEqual(info);
    expect(open({ endpoints: [...info.endpoints, { url: "https://other", caBundle: "" }] }).endpoints).toHaveLength(2);
    expect(keyNumberOf(open({}))).toBe(1);
    expect(open({ succession: { number: 1, replacements: [] } }).succession).toEqual({ number: 1, replacements: [] });
  });

  it.each<[string, object]>([
    ["an id that is no text", { hubId: 7 }],
    ["no key", { trustKey: undefined }],
    ["no time", { validFrom: 7 }],
    ["no epoch", { epoch: undefined }],
    ["half an epoch", { epoch: 1.5 }],
    ["an epoch beyond all bounds", { epoch: 2 ** 60 }],
    ["no addresses", { endpoints: [] }],
    ["addresses that are no list", { endpoints: {} }],
    ["an address that is none", { endpoints: [...info.endpoints, "https://hub"] }],
    ["an address that is null", { endpoints: [null] }],
    ["an address without a CA", { endpoints: [{ url: "https://hub" }] }],
    ["an address without a URL", { endpoints: [{ caBundle: "ca" }] }],
    [
      "an address in the clear beside a good one",
      { endpoints: [...info.endpoints, { url: "http://hub", caBundle: "" }] },
    ],
    ["a succession that is none", { succession: { number: 0, replacements: [] } }],
  ])("is refused with %s", (_what, changes) => {
    expect(() => open(changes)).toThrow(refused);
  });

  it.each([null, "text", 7, []])("is refused where it is %j", (value) => {
    expect(() => openHubInfo(signedBy(value), { hubId })).toThrow(refused);
  });
});

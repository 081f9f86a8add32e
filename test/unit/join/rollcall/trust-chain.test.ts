import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keyDigest, message, toBase64 } from "../../../../src/join/rollcall/messages.ts";
import {
  isTrusted,
  mostReplacements,
  predecessorsOf,
  readSuccession,
  signReplacement,
} from "../../../../src/join/rollcall/trust-chain.ts";

function makeKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const text = toBase64(publicKey.export({ type: "spki", format: "der" }));
  return { text, digest: keyDigest(text), sign: (payload: Uint8Array) => sign(null, payload, privateKey) };
}

const keys = Array.from({ length: mostReplacements + 2 }, makeKey);
const [first = makeKey(), second = makeKey(), third = makeKey()] = keys;
const hubId = first.digest;
const replace = (from: typeof first, to: typeof first) =>
  signReplacement({ hubId, from: from.text, to: to.text }, from.sign);
const chain = { number: 3, replacements: [replace(first, second), replace(second, third)] };
/** Signed by the first key, whatever it contains. */
const statement = (...parts: unknown[]) => {
  const payload = message("trust-key", parts);
  return { payload: toBase64(payload), signature: toBase64(first.sign(payload)) };
};
const known = (key: typeof first, number: number) => ({ hubId, trustKey: { digest: key.digest, number } });

describe("isTrusted", () => {
  it("follows the replacements from the key that the agent knows", () => {
    expect(isTrusted({ hubId }, third.text, chain)).toBe(true);
    expect(isTrusted(known(second, 2), third.text, chain)).toBe(true);
    expect(isTrusted(known(third, 3), third.text, chain)).toBe(true);
    expect(isTrusted({ hubId }, first.text, { number: 1, replacements: [] })).toBe(true);
  });

  it.each([
    { reason: "the last replacement is missing", replacements: chain.replacements.slice(0, 1) },
    { reason: "the first replacement is missing", replacements: chain.replacements.slice(1) },
    { reason: "there is none", replacements: [] },
    {
      reason: "another key has signed a replacement",
      replacements: [
        signReplacement({ hubId, from: first.text, to: second.text }, third.sign),
        ...chain.replacements.slice(1),
      ],
    },
    {
      reason: "the replacements are another hub's",
      replacements: [signReplacement({ hubId: second.digest, from: first.text, to: third.text }, first.sign)],
    },
    { reason: "a replacement names a key that is no text", replacements: [statement(hubId, first.text, 7)] },
    { reason: "a replacement names a key before it that is no text", replacements: [statement(hubId, 7, third.text)] },
    { reason: "a replacement names a hub that is no text", replacements: [statement(7, first.text, third.text)] },
    { reason: "a replacement is no statement", replacements: [{ payload: "e30=", signature: "" }] },
  ])("refuses a key when $reason", ({ replacements }) => {
    expect(isTrusted({ hubId }, third.text, { number: 3, replacements })).toBe(false);
  });

  it("does not go back from a key to the one before it, nor to another successor of that", () => {
    const thief = makeKey();
    const forked = { number: 4, replacements: [...chain.replacements, replace(first, thief)] };
    expect(isTrusted(known(third, 3), thief.text, forked)).toBe(false);
    expect(isTrusted(known(third, 3), first.text, chain)).toBe(false);
  });

  it("A95 takes no other number than that of the replacements: a thief's would be greater than any of the hub", () => {
    const numbered = (number: number) => ({ ...chain, number });
    for (const number of [1, 2, 4, Number.MAX_SAFE_INTEGER]) {
      expect(isTrusted({ hubId }, third.text, numbered(number))).toBe(false);
      expect(isTrusted(known(second, 2), third.text, numbered(number))).toBe(false);
      // The key that the agent knows keeps its number.
      expect(isTrusted(known(third, 3), third.text, numbered(number))).toBe(false);
    }
    const thief = makeKey();
    const stolen = { number: Number.MAX_SAFE_INTEGER, replacements: [...chain.replacements, replace(third, thief)] };
    expect(isTrusted(known(third, 3), thief.text, stolen)).toBe(false);
  });

  it("takes the number that is given where only the digest is known", () => {
    expect(isTrusted(known(second, 0), third.text, chain)).toBe(true);
  });

  it("reads no more replacements than a hub announces", () => {
    const replacements = keys.slice(1).map((to, index) => replace(keys[index] ?? first, to));
    const last = keys.at(-1) ?? first;
    expect(replacements).toHaveLength(mostReplacements + 1);
    expect(isTrusted(known(second, 2), last.text, { number: keys.length, replacements })).toBe(true);
    expect(isTrusted({ hubId }, last.text, { number: keys.length, replacements })).toBe(false);
  });
});

describe("predecessorsOf", () => {
  const of = (key: typeof first, replacements: (typeof chain)["replacements"]) =>
    predecessorsOf({ hubId, trustKey: key.text }, { replacements });

  it("names the keys that lead to one, newest first", () => {
    expect(of(third, chain.replacements)).toEqual([second.text, first.text]);
    expect(of(second, chain.replacements)).toEqual([first.text]);
  });

  it("reads no more replacements than a hub announces", () => {
    const replacements = keys.slice(1).map((to, index) => replace(keys[index] ?? first, to));
    expect(of(keys.at(-1) ?? first, replacements)).toHaveLength(mostReplacements);
  });

  it("names no key that did not sign its successor, or that was revoked", () => {
    const forged = signReplacement({ hubId, from: first.text, to: third.text }, second.sign);
    expect(of(third, [])).toEqual([]);
    expect(of(third, [forged])).toEqual([]);
    expect(of(third, [signReplacement({ hubId: "other", from: second.text, to: third.text }, second.sign)])).toEqual(
      [],
    );
  });
});

describe("readSuccession", () => {
  it("reads what was written, and nothing else", () => {
    expect(readSuccession({ ...chain })).toEqual(chain);
    for (const wrong of [
      undefined,
      {},
      { number: 0, replacements: [] },
      { number: 2 },
      { number: 2, replacements: [1] },
      { number: "2", replacements: [] },
      { number: 1.5, replacements: [] },
      { number: 2, replacements: [{ payload: "e30=" }] },
      { number: 2, replacements: [{ signature: "" }] },
      { number: 2, replacements: [{ payload: 1, signature: 2 }] },
    ])
      expect(readSuccession(wrong)).toBeUndefined();
  });
});

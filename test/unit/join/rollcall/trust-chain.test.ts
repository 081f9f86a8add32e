import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keyDigest, toBase64 } from "../../../../src/join/rollcall/messages.ts";
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
const chain = { replacements: [replace(first, second), replace(second, third)] };
const known = (key: typeof first, number: number) => ({ hubId, trustKey: { digest: key.digest, number } });

describe("isTrusted", () => {
  it("follows the replacements from the key that the agent knows", () => {
    expect(isTrusted({ hubId }, third.text, chain)).toBe(true);
    expect(isTrusted(known(second, 2), third.text, chain)).toBe(true);
    expect(isTrusted(known(third, 3), third.text, chain)).toBe(true);
    expect(isTrusted({ hubId }, first.text, { replacements: [] })).toBe(true);
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
    { reason: "a replacement is no statement", replacements: [{ payload: "e30=", signature: "" }] },
  ])("refuses a key when $reason", ({ replacements }) => {
    expect(isTrusted({ hubId }, third.text, { replacements })).toBe(false);
  });

  it("does not go back from a key to the one before it, nor to another successor of that", () => {
    const thief = makeKey();
    const forked = { replacements: [...chain.replacements, replace(first, thief)] };
    expect(isTrusted(known(third, 3), thief.text, forked)).toBe(false);
    expect(isTrusted(known(third, 3), first.text, chain)).toBe(false);
  });

  it("reads no more replacements than a hub announces", () => {
    const replacements = keys.slice(1).map((to, index) => replace(keys[index] ?? first, to));
    const last = keys.at(-1) ?? first;
    expect(replacements).toHaveLength(mostReplacements + 1);
    expect(isTrusted(known(second, 2), last.text, { replacements })).toBe(true);
    expect(isTrusted({ hubId }, last.text, { replacements })).toBe(false);
  });
});

describe("predecessorsOf", () => {
  const of = (key: typeof first, replacements: (typeof chain)["replacements"]) =>
    predecessorsOf({ hubId, trustKey: key.text }, { replacements });

  it("names the keys that lead to one, newest first", () => {
    expect(of(third, chain.replacements)).toEqual([second.text, first.text]);
    expect(of(second, chain.replacements)).toEqual([first.text]);
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
    expect(readSuccession({ number: 3, ...chain })).toEqual({ number: 3, ...chain });
    for (const wrong of [
      undefined,
      {},
      { number: 0, replacements: [] },
      { number: 2 },
      { number: 2, replacements: [1] },
    ])
      expect(readSuccession(wrong)).toBeUndefined();
  });
});

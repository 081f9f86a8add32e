import { isJsonObject } from "../../core/json.ts";
import { objectsAt } from "../../core/read-json.ts";
import type { Signed } from "../../model/generated/signed.ts";
import type { KeySuccession } from "../../model/member.ts";
import { isSignature, keyDigest, message, readMessage, toBase64 } from "./messages.ts";

/** How many replacements a hub announces: an agent that missed more needs new values, or a connection that proves the hub. */
export const mostReplacements = 8;

/** By what an agent knows a hub. */
export interface HubAnchor {
  /** Digest of the hub's first trust key. */
  readonly hubId: string;
  /** The key that the agent trusts. Absent: the first one. */
  readonly trustKey?: TrustedKey;
}

export interface TrustedKey {
  /** `sha256:<hex>` of its SPKI. */
  readonly digest: string;
  /** 0 where only the digest is known. */
  readonly number: number;
}

/** A replacement of one trust key by the next. Keys are SPKI, base64. */
interface Replacement {
  readonly hubId: string;
  readonly from: string;
  readonly to: string;
}

/** The statement of a replacement; `sign` is the signature of the key that is replaced. */
export function signReplacement(replacement: Replacement, sign: (payload: Uint8Array) => Uint8Array): Signed {
  const { hubId, from, to } = replacement;
  const payload = message("trust-key", [hubId, from, to]);
  return { payload: toBase64(payload), signature: toBase64(sign(payload)) };
}

/**
 * True when `trustKey` (SPKI, base64) is the key that the anchor names, or each key from that one on signed its successor. Its
 * number must be that many greater: with one that no later key reaches, a thief would keep an agent for ever.
 */
export function isTrusted(
  { hubId, trustKey: known }: HubAnchor,
  trustKey: string,
  { number, replacements }: KeySuccession,
): boolean {
  let digest = known?.digest ?? hubId;
  let expected = known?.number ?? 1;
  for (const signed of replacements.slice(-mostReplacements)) {
    const replacement = readReplacement(signed);
    if (replacement?.hubId !== hubId || keyDigest(replacement.from) !== digest) continue;
    digest = keyDigest(replacement.to);
    expected += 1;
  }
  const isNumbered = known?.number === 0 || number === expected;
  return isNumbered && digest === keyDigest(trustKey);
}

/** The keys (SPKI, base64) from which signed replacements lead to `trustKey`, newest first. A revoked key is none of them. */
export function predecessorsOf(
  { hubId, trustKey }: { readonly hubId: string; readonly trustKey: string },
  { replacements }: Pick<KeySuccession, "replacements">,
): string[] {
  const earlier: string[] = [];
  let current = trustKey;
  for (const signed of replacements.slice(-mostReplacements).reverse()) {
    const replacement = readReplacement(signed);
    if (replacement?.hubId !== hubId || replacement.to !== current) continue;
    current = replacement.from;
    earlier.push(current);
  }
  return earlier;
}

/** The statement, if the key that it replaces has signed it. */
function readReplacement(signed: Signed): Replacement | undefined {
  const payload = Buffer.from(signed.payload, "base64");
  const [hubId, from, to] = readMessage("trust-key", payload) ?? [];
  if (typeof hubId !== "string" || typeof from !== "string" || typeof to !== "string") return undefined;
  return isSignature(from, payload, signed.signature) ? { hubId, from, to } : undefined;
}

/** The succession in a JSON value, or undefined when it is malformed. */
export function readSuccession(value: unknown): KeySuccession | undefined {
  if (!isJsonObject(value)) return undefined;
  const { number, replacements } = value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return undefined;
  if (!Array.isArray(replacements)) return undefined;
  const signed = objectsAt(value, "replacements").flatMap(({ payload, signature }) =>
    typeof payload === "string" && typeof signature === "string" ? [{ payload, signature }] : [],
  );
  return signed.length === replacements.length ? { number, replacements: signed } : undefined;
}

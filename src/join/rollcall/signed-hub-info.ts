import { AppError } from "../../core/errors.ts";
import type { Signed } from "../../model/generated/signed.ts";
import type { KeySuccession } from "../../model/member.ts";
import { isSignature, message, readMessage, toBase64 } from "./messages.ts";
import type { HubAnchor } from "./trust-chain.ts";
import { isTrusted, readSuccession } from "./trust-chain.ts";

/** Where a hub is and how it is recognised; signed by its trust key. */
export interface HubInfo {
  /** Digest of the hub's first trust key. */
  readonly hubId: string;
  /** The trust key's public half, SPKI, base64. */
  readonly trustKey: string;
  /** Absent while the hub has its first key. */
  readonly succession?: KeySuccession;
  /** Best first. */
  readonly endpoints: readonly HubAddress[];
  /** RFC 3339. Of two infos of one epoch the later one counts. */
  readonly validFrom: string;
  /** Each restore of the hub raises it. */
  readonly epoch: number;
}

export interface HubAddress {
  readonly url: string;
  /** PEM; one or more certificates. */
  readonly caBundle: string;
}

/** Signs a hub-info; `signPayload` is the trust key's Ed25519 signature over the bytes it is given. */
export function signHubInfo(info: HubInfo, signPayload: (payload: Uint8Array) => Uint8Array): Signed {
  const payload = message("hub-info", [info]);
  return { payload: toBase64(payload), signature: toBase64(signPayload(payload)) };
}

/**
 * The hub-info in a signed text. E_HUB_INFO when it is malformed, or not signed by the key of the anchor or a successor of it.
 * With `isFromHub` the text came over a connection that proved to be the hub's. A key of another number then needs no signature
 * of the key before it: see decision 92.
 */
export function openHubInfo(signed: Signed, anchor: HubAnchor, { isFromHub = false } = {}): HubInfo {
  const payload = Buffer.from(signed.payload, "base64");
  const info = readHubInfo(payload);
  if (info?.hubId !== anchor.hubId || !(isKnownKey(anchor, info) || (isFromHub && isOtherKey(anchor, info))))
    throw new AppError("E_HUB_INFO", "read the hub's info: it is not of the hub that this agent was given");
  if (!isSignature(info.trustKey, payload, signed.signature))
    throw new AppError("E_HUB_INFO", "read the hub's info: the signature does not fit");
  return info;
}

/** Number of the key that signed an info; the hub's first one has number 1. */
export function keyNumberOf({ succession }: HubInfo): number {
  return succession?.number ?? 1;
}

function isKnownKey(anchor: HubAnchor, { trustKey, succession }: HubInfo): boolean {
  return isTrusted(anchor, trustKey, succession ?? { number: 1, replacements: [] });
}

/** Two keys of one number are no replacement, but two hubs. */
function isOtherKey({ trustKey }: HubAnchor, info: HubInfo): boolean {
  return keyNumberOf(info) !== (trustKey?.number ?? 1);
}

function readHubInfo(payload: Uint8Array): HubInfo | undefined {
  const [info] = readMessage("hub-info", payload) ?? [];
  return isHubInfo(info) ? info : undefined;
}

function isHubInfo(value: unknown): value is HubInfo {
  if (typeof value !== "object" || value === null) return false;
  const { hubId, trustKey, endpoints, validFrom, epoch, succession } = value as Partial<Record<keyof HubInfo, unknown>>;
  return (
    typeof hubId === "string" &&
    typeof trustKey === "string" &&
    typeof validFrom === "string" &&
    Number.isSafeInteger(epoch) &&
    (succession === undefined || readSuccession(succession) !== undefined) &&
    Array.isArray(endpoints) &&
    endpoints.length > 0 &&
    endpoints.every(isHubAddress)
  );
}

function isHubAddress(value: unknown): value is HubAddress {
  if (typeof value !== "object" || value === null) return false;
  const { url, caBundle } = value as Partial<Record<keyof HubAddress, unknown>>;
  return typeof url === "string" && url.startsWith("https://") && typeof caBundle === "string";
}

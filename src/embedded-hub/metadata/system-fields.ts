import type { Random } from "../../core/clock.ts";
import type { KubeObject, ObjectMeta } from "../../model/kubernetes.ts";

const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const generatedBaseLimit = 63 - suffixLength;

/** RFC 3339 in whole seconds, as metadata has it. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A random (version 4) UUID. */
export function makeUid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** `generateName` with five random characters; no vowels, so that no words appear. */
export function generateName(base: string, random: Random): string {
  const suffix = Array.from(random.bytes(suffixLength), (byte) => nameAlphabet[byte % nameAlphabet.length]).join("");
  return base.slice(0, generatedBaseLimit) + suffix;
}

/** A copy without what only the server sets. Managed fields stay: the client may send them. */
export function withoutSystemFields(object: KubeObject): KubeObject {
  const {
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...metadata
  } = object.metadata as ObjectMeta & { readonly selfLink?: string };
  return { ...object, metadata };
}

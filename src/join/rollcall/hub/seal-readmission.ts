import type { Signed } from "../../../model/generated/signed.ts";
import { hpkeSeal } from "../hpke.ts";
import { message, toBase64 } from "../messages.ts";
import type { Readmission, ReadmissionPlace } from "../readmission.ts";
import { readmissionPlaceBytes } from "../readmission.ts";

export interface ReadmissionKeys {
  /** The agent's sealing key, raw, base64. */
  readonly sealingKey: string;
  /** 32 random bytes, used once. */
  readonly ephemeralKey: Uint8Array;
  /** Ed25519 signature of the trust key over these bytes. */
  readonly sign: (payload: Uint8Array) => Uint8Array;
}

/** A readmission that only its agent can open, signed by the trust key. E_SEALED when the sealing key is none. */
export function sealReadmission(readmission: Readmission, place: ReadmissionPlace, keys: ReadmissionKeys): Signed {
  const { enc, ciphertext } = hpkeSeal({
    recipientPublicKey: Buffer.from(keys.sealingKey, "base64"),
    ephemeralPrivateKey: keys.ephemeralKey,
    info: readmissionPlaceBytes(place),
    plaintext: message("readmission", [readmission]),
  });
  const sealed = { enc: toBase64(enc), ciphertext: toBase64(ciphertext) };
  const payload = message("readmit", [place.hubId, place.digest, place.epoch, sealed]);
  return { payload: toBase64(payload), signature: toBase64(keys.sign(payload)) };
}

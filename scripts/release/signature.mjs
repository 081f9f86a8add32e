import { sign, verify } from "node:crypto";

const payloadType = "application/vnd.in-toto+json";

/** Signs as cosign does: with a key on P-256, ECDSA over SHA-256 in DER; with one of Ed25519, the bytes themselves. */
export function signBytes(bytes, key) {
  return sign(hashOf(key), bytes, key);
}

/** Whether `signature` is one of `bytes` by the private half of `key`. */
export function isSigned(bytes, key, signature) {
  return verify(hashOf(key), bytes, key, signature);
}

/** A statement in an envelope (DSSE v1), as `cosign verify-blob-attestation` reads it. */
export function signEnvelope(statement, key) {
  const sig = signBytes(encoded(statement), key).toString("base64");
  return { payloadType, payload: statement.toString("base64"), signatures: [{ keyid: "", sig }] };
}

/** Whether `text` is the signed envelope of `statement`, to the byte. */
export function isEnvelopeOf(statement, key, text) {
  const found = parse(text);
  const sig = found?.signatures?.[0]?.sig;
  if (typeof sig !== "string" || !isSigned(encoded(statement), key, Buffer.from(sig, "base64"))) return false;
  const expected = { payloadType, payload: statement.toString("base64"), signatures: [{ keyid: "", sig }] };
  return text === `${JSON.stringify(expected, undefined, 2)}\n`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no envelope.
    return undefined;
  }
}

/** What an envelope signs: the type and the statement, each after its length in bytes. */
function encoded(statement) {
  return Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `), statement]);
}

function hashOf(key) {
  return key.asymmetricKeyType === "ed25519" ? null : "sha256";
}

import { createPrivateKey, createPublicKey } from "node:crypto";
import { encodeSecretValue } from "../hub/issue-credential.ts";
import { noTrustKey, readTrustKey, trustKeySecretName } from "../hub/trust-key.ts";
import { raiseDataFormat } from "../install/raise-data-format.ts";
import { keyDigest, toBase64 } from "../join/rollcall/messages.ts";
import { mostReplacements, signReplacement } from "../join/rollcall/trust-chain.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KeySuccession } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";

export interface ReplacementOptions {
  readonly hubApi: KubeApi;
  /** Of the daemon. */
  readonly namespace: string;
  readonly nowMs: number;
  /** Makes an Ed25519 key as PKCS #8 PEM. */
  readonly makeKey: () => string;
  /** The present key was stolen: nothing that it signed leads to the new one. */
  readonly isOldRevoked: boolean;
  readonly signal: AbortSignal;
}

export interface ReplacedKey {
  /** Of the new key. */
  readonly digest: string;
  /** How many keys the hub has had, this one included. */
  readonly number: number;
}

/**
 * Replaces the hub's trust key by a new one that the present one signs. A daemon uses it from its next start or election on.
 * Two calls at once replace it once: the second fails with E_KUBE_CONFLICT.
 * @throws E_KUBE_NOT_FOUND while no daemon has run on the hub; E_KUBE_CONFLICT; E_STORE_VERSION on the hub of a newer version
 */
export async function replaceTrustKey(options: ReplacementOptions): Promise<ReplacedKey> {
  const { hubApi, namespace, nowMs, makeKey, signal } = options;
  const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
  const secret = await hubApi.get(ref, { signal });
  const present = await readTrustKey({ hubApi, namespace, signal });
  if (secret === undefined || present === undefined) throw noTrustKey(namespace);
  // Before the key: a daemon that takes it for the key of another hub must not start.
  await raiseDataFormat(hubApi, signal);
  const pem = makeKey();
  const publicKey = publicTextOf(pem);
  const succession = nextSuccession(options, present, publicKey);
  const data = {
    key: encodeSecretValue(pem),
    hubId: encodeSecretValue(present.hubId),
    succession: encodeSecretValue(JSON.stringify(succession)),
    validFrom: encodeSecretValue(toTime(Math.max(nowMs, Date.parse(present.trust.validFrom) + 1000))),
  };
  const { resourceVersion } = secret.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  await hubApi.mergePatch(ref, { metadata, data }, { fieldManager: fieldManagers.operator, signal });
  return { digest: keyDigest(publicKey), number: succession.number };
}

function nextSuccession(
  { isOldRevoked }: ReplacementOptions,
  { hubId, trust }: Awaited<ReturnType<typeof readTrustKey>> & object,
  to: string,
): KeySuccession {
  const { publicKey: from, succession = { number: 1, replacements: [] } } = trust;
  const number = succession.number + 1;
  if (isOldRevoked) return { number, replacements: [] };
  const signed = signReplacement({ hubId, from, to }, (payload) => trust.sign(payload));
  return { number, replacements: [...succession.replacements, signed].slice(-mostReplacements) };
}

function publicTextOf(pem: string): string {
  return toBase64(createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" }));
}

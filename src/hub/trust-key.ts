import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { sha256Hex } from "../core/digest.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { parseJson } from "../core/parse-json.ts";
import { numberAt, objectsAt, textAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { HubFacts, KeySuccession, TrustKey } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { toTime } from "../planning/conditions.ts";
import { encodeSecretValue, secretValue } from "./issue-credential.ts";

/** Name of the Secret in the daemon's namespace. `rollcall backup` exports it; a restore needs it. */
export const trustKeySecretName = "rollcall-trust-key";

/** The error of a command that needs the key, for a hub without one. */
export function noTrustKey(namespace: string): AppError {
  return new AppError(
    "E_KUBE_NOT_FOUND",
    `read Secret/${namespace}/${trustKeySecretName}: the hub has no trust key; a daemon makes it when it starts`,
    { remedy: "Name the daemon's namespace with --namespace, or start a daemon on this hub first." },
  );
}

export interface HubIdentity {
  readonly hubId: string;
  readonly trust: TrustKey;
}

export interface TrustKeyOptions {
  readonly hubApi: KubeApi;
  readonly namespace: string;
  readonly endpoint: HubFacts["endpoint"];
  readonly nowMs: number;
  /** Makes an Ed25519 key as PKCS #8 PEM; called when the hub has none yet. */
  readonly makeKey: () => string;
  readonly signal?: AbortSignal;
}

/**
 * The hub's trust key, made on first use. Agents pin its public half, so a daemon creates it and never replaces it: of two
 * daemons that start at once, one makes it and both use it. `validFrom` moves when the endpoint changes.
 */
export async function ensureTrustKey(options: TrustKeyOptions): Promise<HubIdentity> {
  const { hubApi, namespace, endpoint, nowMs } = options;
  const read = options.signal ? { signal: options.signal } : {};
  const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
  const secret = (await hubApi.get(ref, read)) ?? (await createSecret(options)) ?? (await hubApi.get(ref, read));
  if (!secret)
    throw new AppError(
      "E_KUBE_NOT_FOUND",
      `read Secret/${namespace}/${trustKeySecretName}: it was deleted while it was read`,
    );
  const key = readKey(secret, namespace);
  const announced = secretValue(secret, "endpoint");
  const endpointDigest = sha256Hex(`${endpoint.url}\n${endpoint.caBundle}`);
  let validFrom = secretValue(secret, "validFrom");
  if (announced !== endpointDigest || validFrom === undefined) {
    validFrom = laterThan(validFrom, nowMs);
    const data = { endpoint: encodeSecretValue(endpointDigest), validFrom: encodeSecretValue(validFrom) };
    await hubApi.mergePatch(ref, { data }, { fieldManager: fieldManagers.hub, ...read });
  }
  return identityOf(secret, key, validFrom);
}

/** Now, but after `before` also where the hub's clock was set back: agents take nothing that is older. */
function laterThan(before: string | undefined, nowMs: number): string {
  const beforeMs = Date.parse(before ?? "");
  return toTime(Number.isNaN(beforeMs) ? nowMs : Math.max(nowMs, beforeMs + 1000));
}

/** The hub's identity as it was announced last, or undefined where there is none yet. Writes nothing. */
export async function readTrustKey({
  hubApi,
  namespace,
  signal,
}: Pick<TrustKeyOptions, "hubApi" | "namespace" | "signal">): Promise<HubIdentity | undefined> {
  const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
  const secret = await hubApi.get(ref, signal ? { signal } : {});
  const validFrom = secret === undefined ? undefined : secretValue(secret, "validFrom");
  if (secret === undefined || validFrom === undefined) return undefined;
  return identityOf(secret, readKey(secret, namespace), validFrom);
}

function identityOf(secret: KubeObject, key: KeyObject, validFrom: string): HubIdentity {
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const succession = successionOf(secret);
  // Without it, a replaced key would make another hub.
  if (succession !== undefined && secretValue(secret, "hubId") === undefined) throw damaged(secret, "hubId");
  return {
    hubId: secretValue(secret, "hubId") ?? `sha256:${sha256Hex(spki)}`,
    trust: {
      publicKey: spki.toString("base64"),
      ...(succession === undefined ? {} : { succession }),
      epoch: Number(secretValue(secret, "epoch") ?? "1"),
      validFrom,
      sign: (payload) => sign(null, payload, key),
    },
  };
}

/** How the key came after earlier ones; undefined for a hub's first key. */
function successionOf(secret: KubeObject): KeySuccession | undefined {
  const text = secretValue(secret, "succession");
  if (text === undefined) return undefined;
  const value = parseJson(text);
  const number = numberAt(value, "number") ?? 0;
  const listed = (value as { readonly replacements?: unknown } | undefined)?.replacements;
  const replacements = objectsAt(value, "replacements").flatMap((one) => {
    const [payload, signature] = [textAt(one, "payload"), textAt(one, "signature")];
    return payload === undefined || signature === undefined ? [] : [{ payload, signature }];
  });
  const isWhole = Array.isArray(listed) && listed.length === replacements.length;
  if (isWhole && Number.isSafeInteger(number) && number > 1) return { number, replacements };
  throw damaged(secret, "succession");
}

/** Agents refuse what a hub with such a Secret signs. */
function damaged({ metadata: { namespace } }: KubeObject, key: string): AppError {
  const place = `Secret/${namespace}/${trustKeySecretName}`;
  return new AppError("E_KUBE_INVALID", `read ${place}: its key "${key}" cannot be read; restore it from a backup`);
}

async function createSecret(options: TrustKeyOptions): Promise<KubeObject | undefined> {
  const { hubApi, namespace, makeKey, signal } = options;
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: trustKeySecretName, namespace },
    type: "Opaque",
    data: { key: encodeSecretValue(makeKey()), epoch: encodeSecretValue("1") },
  };
  try {
    return await hubApi.create(object, { fieldManager: fieldManagers.hub, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (isAppError(error, "E_KUBE_EXISTS")) return undefined;
    throw error;
  }
}

function readKey(secret: KubeObject, namespace: string): KeyObject {
  const pem = secretValue(secret, "key");
  if (pem === undefined) {
    throw new AppError(
      "E_KUBE_INVALID",
      `read Secret/${namespace}/${trustKeySecretName}: it has no key "key"; restore it from a backup`,
    );
  }
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw new AppError("E_KUBE_INVALID", `read Secret/${namespace}/${trustKeySecretName}: its key cannot be read`, {
      cause: error,
    });
  }
  throw new AppError("E_KUBE_INVALID", `read Secret/${namespace}/${trustKeySecretName}: its key is not an Ed25519 key`);
}

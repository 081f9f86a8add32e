import { createPrivateKey, createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/parse-json.ts";
import { textAt } from "../core/read-json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import { encodeSecretValue } from "../hub/issue-credential.ts";
import { trustKeySecretName } from "../hub/trust-key.ts";
import { raiseDataFormat } from "../install/raise-data-format.ts";
import { keyDigest } from "../join/rollcall/messages.ts";
import { predecessorsOf, readSuccession } from "../join/rollcall/trust-chain.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { readText } from "../system/read-text.ts";

export interface HubKeyOptions {
  readonly hubApi: KubeApi;
  /** Of the daemon. */
  readonly namespace: string;
  /** What `rollcall backup` wrote; not needed when the hub has its trust key. */
  readonly trustKeyFile?: string;
  readonly signal: AbortSignal;
}

/** The trust key that a restore works with: the hub's, or that of the backup when the hub has none. */
export interface HubKey {
  readonly pem: string;
  readonly publicKey: KeyObject;
  /** The keys that it replaced and that were not revoked, newest first. */
  readonly earlierKeys: readonly KeyObject[];
  /** Digest of the hub's first trust key. */
  readonly hubId: string;
  /** The Secret's text of how the key came after earlier ones; undefined for a first key. */
  readonly succession?: string | undefined;
  /** SPKI, base64, as FleetSummary names it. */
  readonly publicText: string;
  readonly epoch: number;
  readonly isOnHub: boolean;
  /** Where it is, for messages. */
  readonly place: string;
}

const fieldManager = fieldManagers.hub;

const backupRemedy =
  "Give the newest file of `rollcall backup` of this fleet's hub with --trust-key-file. One from before `rollcall trust replace` does not restore it.";

/** Each restore raises it by one. Agents go back from none, so that one which cannot be raised further would be the last. */
const highestEpoch = 1_000_000;

/** True for an epoch that a hub can have. */
export function isEpoch(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= highestEpoch;
}

/** @throws E_USAGE without a key; E_HUB_INFO when it is no private key */
export async function readHubKey({ hubApi, namespace, trustKeyFile, signal }: HubKeyOptions): Promise<HubKey> {
  const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
  const live = await hubApi.get(ref, { signal });
  const source = live ?? (await readBackup(trustKeyFile));
  const place = live ? `Secret/${namespace}/${trustKeySecretName}` : (trustKeyFile ?? "");
  const pem = decode(source, "key") ?? "";
  const publicKey = publicKeyOf(pem);
  if (publicKey === undefined)
    throw new AppError("E_HUB_INFO", `restore the fleet: ${place} has no trust key`, { remedy: backupRemedy });
  const publicText = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  const hubId = decode(source, "hubId") ?? keyDigest(publicText);
  const succession = decode(source, "succession");
  const replaced = succession === undefined ? { replacements: [] } : readSuccession(parseJson(succession));
  if (replaced === undefined || (succession !== undefined && decode(source, "hubId") === undefined))
    throw new AppError(
      "E_HUB_INFO",
      `restore the fleet: ${place} does not record how its trust key replaced earlier ones`,
      { remedy: backupRemedy },
    );
  const epoch = Number(decode(source, "epoch") ?? "1");
  if (!isEpoch(epoch))
    throw new AppError("E_HUB_INFO", `restore the fleet: ${place} has no epoch that a hub can have`, {
      remedy: backupRemedy,
    });
  return {
    pem,
    publicKey,
    earlierKeys: predecessorsOf({ hubId, trustKey: publicText }, replaced).map(keyOfText),
    hubId,
    succession,
    publicText,
    epoch,
    isOnHub: live !== undefined,
    place,
  };
}

/** The error for a branch that another hub wrote. */
export function foreignHubKey({ place, isOnHub }: HubKey): AppError {
  const remedy = isOnHub
    ? "Check that the kubeconfig is of the right hub. If the Secret is of a new key, delete it, and give the backup of the lost one with --trust-key-file."
    : backupRemedy;
  return new AppError(
    "E_HUB_INFO",
    `restore the fleet: ${place} is not the trust key that its agents know and that signed the status branch`,
    { remedy },
  );
}

/**
 * Puts the key on the hub in a newer epoch than `recordedEpoch`, so that agents take nothing from an older copy of the hub.
 * Returns the epoch.
 */
export async function publishHubKey(
  { hubApi, namespace, signal }: HubKeyOptions,
  key: HubKey,
  recordedEpoch: number,
): Promise<number> {
  const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
  const last = key.isOnHub ? recordedEpoch : Math.max(recordedEpoch, key.epoch);
  const epoch = key.isOnHub && key.epoch > last ? key.epoch : last + 1;
  const { succession } = key;
  const data = {
    key: encodeSecretValue(key.pem),
    epoch: encodeSecretValue(String(epoch)),
    ...(succession === undefined
      ? {}
      : { hubId: encodeSecretValue(key.hubId), succession: encodeSecretValue(succession) }),
  };
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: trustKeySecretName, namespace },
    type: "Opaque",
    data,
  };
  // Before the key: a daemon that takes it for the key of another hub must not start.
  if (succession !== undefined) await raiseDataFormat(hubApi, signal);
  if (key.isOnHub) await hubApi.mergePatch(ref, { data: { epoch: data.epoch } }, { fieldManager, signal });
  else await hubApi.create(object, { fieldManager, signal });
  return epoch;
}

async function readBackup(path: string | undefined): Promise<unknown> {
  if (path === undefined)
    throw new AppError(
      "E_USAGE",
      "restore the fleet: the hub has no trust key; give the one that `rollcall backup` wrote with --trust-key-file",
    );
  const read = readYamlDocument(await readText(path));
  if (read.problem === undefined) return read.value;
  throw new AppError(
    "E_USAGE",
    `read ${path}: it is not what \`rollcall backup\` wrote (line ${read.line}: ${read.problem})`,
  );
}

function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(createPrivateKey(pem));
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined; // no key at all is as wrong as another one
  }
}

function keyOfText(spki: string): KeyObject {
  return createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });
}

function decode(object: unknown, key: string): string | undefined {
  const encoded = textAt(object, "data", key);
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

import { sha256Hex } from "../core/digest.ts";
import type { KubeObject, OwnerReference } from "./kubernetes.ts";

/** Below it the daemon serves install manifests, each at one address. */
export const installPath = "/v1/import/";
/** An address is good for this long, by the clock of the hub's API server. */
export const installValidMs = 15 * 60_000;
/** Type of the Secrets that hold install manifests. */
export const installSecretType = "rollcall.dev/install-manifest";
/** Label of these Secrets. */
export const installSecretLabel = "rollcall.dev/install-manifest";
/** Annotation of one whose manifest was handed out. */
export const installUsedAnnotation = "rollcall.dev/used";
/** Bytes of chance in an address. */
export const installKeyBytes = 32;

/** What an address names: the workspace that its Secret is in, and the key that proves the right to read it. */
export interface InstallAddress {
  readonly workspace: string;
  /** base64url, 43 characters. */
  readonly key: string;
}

const addressForm = /^\/v1\/import\/([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\.([A-Za-z0-9_-]{43})\.yaml$/u;

export function installPathOf({ workspace, key }: InstallAddress): string {
  return `${installPath}${workspace}.${key}.yaml`;
}

/** Undefined for a path that is no address. */
export function readInstallPath(path: string): InstallAddress | undefined {
  const [, workspace, key] = addressForm.exec(path) ?? [];
  return workspace === undefined || key === undefined ? undefined : { workspace, key };
}

/** The name of an address's Secret: a digest, so that a user who lists Secrets cannot read an address. */
export function installSecretName({ key }: InstallAddress): string {
  return `rollcall-install-${sha256Hex(`name ${key}`).slice(0, 32)}`;
}

/** What the Secret holds of the key. */
export function installKeyDigest({ key }: InstallAddress): string {
  return sha256Hex(key);
}

/** The Secret with a manifest. It holds the digest of the key, and is deleted with its owner. */
export function installSecret(address: InstallAddress, manifest: string, owner: OwnerReference): KubeObject {
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: installSecretName(address),
      namespace: address.workspace,
      labels: { [installSecretLabel]: "true" },
      ownerReferences: [owner],
    },
    type: installSecretType,
    immutable: true,
    data: { digest: encode(installKeyDigest(address)), manifest: encode(manifest) },
  };
}

/** Whether the address of a Secret is good no more, at this time (epoch ms). */
export function isInstallOver({ metadata }: KubeObject, nowMs: number): boolean {
  const madeMs = Date.parse(metadata.creationTimestamp ?? "");
  return !(nowMs < madeMs + installValidMs) || metadata.annotations?.[installUsedAnnotation] !== undefined;
}

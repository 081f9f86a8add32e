import { numberAt, textAt } from "../core/read-json.ts";
import type { StatusSignature } from "../model/generated/status-signature.ts";

/** SHA-256 of every other file of the status branch but the signature, as `sha256sum --check` reads it. */
export const checksumsPath = "SHA256SUMS";
/** The StatusSignature: the one file that {@link checksumsPath} does not name. */
export const signaturePath = "signature.yaml";

/** The claims of one signature: author, Repository, parent commit and files. */
export interface SealedCommit {
  /** Digest of the hub's trust key. */
  readonly hub: string;
  /** `<namespace>.<name>` of the Repository. */
  readonly repository: string;
  readonly epoch: number;
  /** The one parent; undefined for the first commit of the branch. */
  readonly parent: string | undefined;
  /** SHA-256 of {@link checksumsPath}, in hex. */
  readonly digest: string;
}

/** The line of a file in {@link checksumsPath}; the lines are in the order of compareText on paths. */
export function checksumLine(path: string, digest: string): string {
  return `${digest}  ${path}\n`;
}

/** Digest by path; lines that are none are passed over. */
export function parseChecksums(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => /^[0-9a-f]{64} {2}./u.test(line));
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** The bytes that are signed. Their first line keeps them apart from everything else that the trust key signs. */
export function sealedBytes({ hub, repository, epoch, parent, digest }: SealedCommit): Buffer {
  const lines = [
    "rollcall status branch v1",
    `hub ${hub}`,
    `repository ${repository}`,
    `epoch ${epoch}`,
    `parent ${parent ?? "none"}`,
    `checksums ${digest}`,
  ];
  return Buffer.from(`${lines.join("\n")}\n`);
}

/** The record of {@link signaturePath}. Ed25519 is deterministic: the same commit gives the same record. */
export function signStatus(sealed: SealedCommit, sign: (payload: Uint8Array) => Uint8Array): StatusSignature {
  const { hub, repository, epoch, parent } = sealed;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "StatusSignature",
    metadata: { name: repository.slice(repository.indexOf(".") + 1) },
    hub,
    repository,
    epoch,
    ...(parent === undefined ? {} : { parent }),
    signature: Buffer.from(sign(sealedBytes(sealed))).toString("base64"),
  };
}

/** The claims of a StatusSignature, and its signature; undefined when `value` is none. */
export function readStatusSignature(
  value: unknown,
): (Omit<SealedCommit, "digest"> & { readonly signature: Buffer }) | undefined {
  const [hub, repository, signature] = [textAt(value, "hub"), textAt(value, "repository"), textAt(value, "signature")];
  const epoch = numberAt(value, "epoch");
  if (textAt(value, "kind") !== "StatusSignature") return undefined;
  if (hub === undefined || repository === undefined || signature === undefined || epoch === undefined) return undefined;
  return { hub, repository, epoch, parent: textAt(value, "parent"), signature: Buffer.from(signature, "base64") };
}

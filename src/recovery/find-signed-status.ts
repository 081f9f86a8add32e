import { verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { sha256Hex } from "../core/digest.ts";
import type { Commit, GitReader } from "../git/git.ts";
import { readTextAt } from "../git/git.ts";
import { readYaml } from "../manifests/read-yaml.ts";
import {
  checksumsPath,
  parseChecksums,
  readStatusSignature,
  sealedBytes,
  signaturePath,
} from "../planning/status-signature.ts";

export interface SignedStatusOptions {
  readonly git: GitReader;
  /** The status branch's head. */
  readonly head: string;
  readonly publicKey: KeyObject;
  /** Keys that `publicKey` replaced: a daemon signs with the one that it started with. Default none. */
  readonly earlierKeys?: readonly KeyObject[];
  readonly hubId: string;
  /** `<namespace>.<name>`. */
  readonly repository: string;
  /** How far back the search reads. Default 1000 commits. */
  readonly maximumCommits?: number;
}

/** Why a commit of the status branch does not count. */
export type Unsigned = "unsigned" | "altered" | "other-hub" | "other-repository" | "merge";

interface Signed {
  readonly kind: "signed";
  readonly commit: string;
  readonly epoch: number;
  /** True where one of `earlierKeys` signed it. */
  readonly isOfEarlierKey: boolean;
  /** SHA-256 by path of every file that the hub wrote. */
  readonly checksums: ReadonlyMap<string, string>;
}

export type SignedStatus =
  | Signed
  | {
      readonly kind: "none";
      /** Of the newest commit that has a signature at all; `unsigned` when none has. */
      readonly reason: Unsigned;
    };

const maximumSignatureBytes = 4096;
const maximumChecksumsBytes = 64 * 1024 * 1024;

/**
 * The newest commit of the status branch that the hub signed with its present key, or, where there is none, with an
 * earlier one. A signature names the commit's parent: a commit that puts older files back carries a signature for another
 * parent, and does not count. A merge ends the search, since one of its sides could be older.
 */
export async function findSignedStatus(options: SignedStatusOptions): Promise<SignedStatus> {
  const { git, head, maximumCommits = 1000 } = options;
  let reason: Unsigned = "unsigned";
  let ofEarlierKey: Signed | undefined;
  let id: string | undefined = head;
  for (let count = 0; id !== undefined && count < maximumCommits; count++) {
    const commit: Commit = await git.readCommit(id);
    const found = await checkCommit(commit, options);
    if (typeof found === "string") {
      if (reason === "unsigned") reason = found;
      if (found === "merge") break;
    } else {
      if (!found.isOfEarlierKey) return found;
      ofEarlierKey ??= found;
    }
    id = commit.parents[0];
  }
  return ofEarlierKey ?? { kind: "none", reason };
}

async function checkCommit(
  commit: Commit,
  { git, publicKey, earlierKeys = [], hubId, repository }: SignedStatusOptions,
): Promise<Signed | Unsigned> {
  if (commit.parents.length > 1) return "merge";
  const text = await readTextAt(git, commit.id, { path: signaturePath, maximumBytes: maximumSignatureBytes });
  if (text === undefined) return "unsigned";
  const signed = readStatusSignature(readYaml(text).documents[0]?.value);
  if (signed === undefined) return "altered";
  if (signed.hub !== hubId) return "other-hub";
  if (signed.repository !== repository) return "other-repository";
  const checksums = await readTextAt(git, commit.id, { path: checksumsPath, maximumBytes: maximumChecksumsBytes });
  if (checksums === undefined || signed.parent !== commit.parents[0]) return "altered";
  const bytes = sealedBytes({ ...signed, digest: sha256Hex(checksums) });
  const signer = [publicKey, ...earlierKeys].find((key) => verify(null, bytes, key, signed.signature));
  if (signer === undefined) return "altered";
  const isOfEarlierKey = signer !== publicKey;
  return {
    kind: "signed",
    commit: commit.id,
    epoch: signed.epoch,
    isOfEarlierKey,
    checksums: parseChecksums(checksums),
  };
}

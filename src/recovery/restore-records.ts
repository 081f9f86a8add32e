import { sha256Hex } from "../core/digest.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { numberAt, textAt } from "../core/read-json.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { GitReader, TreeFile } from "../git/git.ts";
import { readYaml } from "../manifests/read-yaml.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";
import type { Unsigned } from "./find-signed-status.ts";
import { findSignedStatus } from "./find-signed-status.ts";
import type { HubKey } from "./restore-trust-key.ts";
import { foreignHubKey, isEpoch } from "./restore-trust-key.ts";

export interface RestorableRecords {
  readonly clusters: readonly ClusterRecord[];
  readonly tokens: readonly TokenRecord[];
  /** The newest epoch that the branch knows of. */
  readonly epoch: number;
  /** The hub signed them. */
  readonly isSigned: boolean;
}

export interface RecordSource {
  readonly git: GitReader;
  /** The status branch, and its head. */
  readonly branch: string;
  readonly head: string;
  readonly key: HubKey;
  /** `<namespace>.<name>` of the Repository. */
  readonly repository: string;
  readonly isUnsignedAccepted: boolean;
  readonly log: Log;
}

const maximumRecordBytes = 4 * 1024 * 1024;
const kinds = { clusters: "ClusterRecord", tokens: "TokenRecord" } as const;

/**
 * The records of the newest commit of the status branch that the hub signed. Each file that another author changed
 * since, and each that is not the signed one, is named in the log and left out.
 * @throws E_UNVERIFIED, E_HUB_INFO, E_READ
 */
export async function readRestorableRecords(source: RecordSource): Promise<RestorableRecords> {
  const { git, branch, head, key, repository, log } = source;
  const { publicKey, earlierKeys, hubId } = key;
  const status = await findSignedStatus({ git, head, publicKey, earlierKeys, hubId, repository });
  if (status.kind === "none") return readUnsigned(source, status.reason);
  const { commit, checksums, epoch } = status;
  if (status.isOfEarlierKey)
    log.warn("no daemon has used the present trust key: the status branch is signed by an earlier one");
  log.info("the records of the newest signed commit of the status branch are used", { branch, commit });
  for (const { path } of commit === head ? [] : await git.changedPaths(commit, head)) {
    log.warn("a file of the status branch was changed after the hub signed it; the signed one is used", {
      path,
      branch,
      signedCommit: commit,
      head,
    });
  }
  const files = await recordFiles(git, commit);
  const records = await readAll(source, files, (path, bytes) => {
    if (checksums.get(path) === sha256Hex(bytes)) return true;
    log.warn("a record of the status branch is not the one that the hub signed; it is left out", { path, commit });
    return false;
  });
  const present = new Set(files.map(({ path }) => path));
  for (const path of checksums.keys()) {
    if (kindOf(path) === undefined || present.has(path)) continue;
    log.warn("a record that the hub signed is missing from the status branch", { path, commit });
  }
  return { ...records, epoch, isSigned: true };
}

/** A branch of a version that did not sign, if the user accepts it. */
async function readUnsigned(source: RecordSource, reason: Unsigned): Promise<RestorableRecords> {
  const { git, branch, head, key, log } = source;
  if (reason === "other-hub") throw foreignHubKey(key);
  if (reason !== "unsigned" || !source.isUnsignedAccepted) {
    const message = `restore from branch ${branch} (${shortCommit(head)}): ${texts[reason]}`;
    throw new AppError("E_UNVERIFIED", message, { recovery: "stalled" });
  }
  const summary = (await git.listFiles(head, ["summary.yaml"]))[0];
  const fleet = summary && (await readDocument(git, summary));
  if (fleet === undefined) {
    const text = `read summary.yaml of branch ${branch}: it is not there`;
    throw new AppError("E_READ", text, { remedy: branchRemedy });
  }
  if (textAt(fleet, "hub", "trustKey") !== key.publicText) throw foreignHubKey(key);
  const epoch = numberAt(fleet, "hub", "epoch") ?? 1;
  if (!isEpoch(epoch)) {
    const text = `read summary.yaml of branch ${branch}: it has no epoch that a hub can have`;
    throw new AppError("E_READ", text, { remedy: branchRemedy });
  }
  log.warn("the status branch is not signed: any user with push access to it decides which clusters join", {
    branch,
    head,
  });
  const files = await recordFiles(git, head);
  return { ...(await readAll(source, files, () => true)), epoch, isSigned: false };
}

const branchRemedy =
  "Name the right --write-back-branch and --repository, or reset the branch to a commit that the daemon made.";

const texts: Readonly<Record<Exclude<Unsigned, "other-hub">, string>> = {
  unsigned:
    "no commit of it is signed by the hub; a version that did not sign wrote it, or its signatures were removed. " +
    "Compare it with the history on the forge; --restore-unsigned accepts it as it is",
  altered: "no commit of it has a signature that fits; reset the branch to a commit that the daemon made",
  "other-repository": "another Repository of this hub wrote it; name the right --write-back-branch and --repository",
  merge: "it has a merge commit; reset the branch to a commit that the daemon made",
};

async function readAll(
  { git }: RecordSource,
  files: readonly TreeFile[],
  isBelieved: (path: string, bytes: Uint8Array) => boolean,
): Promise<Pick<RestorableRecords, "clusters" | "tokens">> {
  const clusters: ClusterRecord[] = [];
  const tokens: TokenRecord[] = [];
  for (const file of files) {
    const bytes = await readBytes(git, file);
    if (!isBelieved(file.path, bytes)) continue;
    const value = recordOf(bytes, file.path);
    const kind = kindOf(file.path);
    if (value["kind"] !== kind || file.path !== pathOf(value))
      throw new AppError("E_READ", `read ${file.path} of the status branch: it is not the ${kind} of that name`, {
        remedy: branchRemedy,
      });
    if (kind === "TokenRecord") tokens.push(value as unknown as TokenRecord);
    else clusters.push(value as unknown as ClusterRecord);
  }
  return { clusters, tokens };
}

/** Links and submodules are none: nothing of them is read. */
async function recordFiles(git: GitReader, commit: string): Promise<TreeFile[]> {
  return (await git.listFiles(commit)).filter(({ path, mode }) => mode === "file" && kindOf(path) !== undefined);
}

function kindOf(path: string): (typeof kinds)[keyof typeof kinds] | undefined {
  if (path.startsWith("clusters/")) return kinds.clusters;
  return path.startsWith("tokens/") ? kinds.tokens : undefined;
}

function pathOf(record: Record<string, unknown>): string {
  const folder = record["kind"] === kinds.clusters ? "clusters" : "tokens";
  return `${folder}/${textAt(record, "metadata", "namespace")}/${textAt(record, "metadata", "name")}.yaml`;
}

async function readDocument(git: GitReader, file: TreeFile): Promise<Record<string, unknown>> {
  return recordOf(await readBytes(git, file), file.path);
}

/** The bytes of a file; none when it is larger than any record. */
async function readBytes(git: GitReader, { blobId }: TreeFile): Promise<Uint8Array> {
  try {
    return await git.readBlob(blobId, { maximumBytes: maximumRecordBytes });
  } catch (error) {
    if (isAppError(error, "E_FILE_TOO_LARGE")) return new Uint8Array();
    throw error;
  }
}

function recordOf(bytes: Uint8Array, path: string): Record<string, unknown> {
  const { documents } = readYaml(new TextDecoder().decode(bytes));
  const value = documents[0]?.value;
  if (documents.length === 1 && isJsonObject(value) && textAt(value, "metadata", "name") !== undefined) return value;
  throw new AppError("E_READ", `read ${path} of the status branch: it is no record`, { remedy: branchRemedy });
}

import type { GitReader, TreeFile } from "../git/git.ts";
import { isJsonObject } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { AppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import { readYaml } from "../manifests/read-yaml.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";

/** What the status branch records, and when it was committed. */
export interface RecordedFleet {
  readonly commit: string;
  readonly committedAtMs: number;
  readonly summary: FleetSummary;
  readonly clusters: readonly ClusterRecord[];
  readonly tokens: readonly TokenRecord[];
}

const maximumRecordBytes = 4 * 1024 * 1024;
const readsAtOnce = 32;
const knownVersion: FleetSummary["apiVersion"] = "rollcall.dev/v1alpha1";

/**
 * Reads the records of a commit of the status branch. Records of other kinds are passed over, so that a newer daemon may
 * write more of them.
 * @throws E_STORE_VERSION when a newer version wrote them; E_SCHEMA when a record is not one: another writer changed the
 * branch, and a plan from it would be wrong
 */
export async function readStatusBranch(git: GitReader, commit: string): Promise<RecordedFleet> {
  const { committedAtMs } = await git.readCommit(commit);
  const files = (await git.listFiles(commit)).filter(({ path, mode }) => isRecordPath(path) && mode === "file");
  const records: JsonObject[] = [];
  const queue = files[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const file of queue) records.push(await readRecord(git, file));
  };
  await Promise.all(Array.from({ length: readsAtOnce }, worker));
  const [summary] = ofKind<FleetSummary>(records, "FleetSummary");
  if (summary === undefined) throw malformed(commit, "summary.yaml", "it has no FleetSummary");
  refuseOther(commit, summary);
  return {
    commit,
    committedAtMs,
    summary,
    clusters: ofKind<ClusterRecord>(records, "ClusterRecord"),
    tokens: ofKind<TokenRecord>(records, "TokenRecord"),
  };
}

function isRecordPath(path: string): boolean {
  return path === "summary.yaml" || /^(?:clusters|tokens)\/.+\.yaml$/u.test(path);
}

async function readRecord(git: GitReader, { blobId, path }: TreeFile): Promise<JsonObject> {
  const bytes = await git.readBlob(blobId, { maximumBytes: maximumRecordBytes });
  const { documents } = readYaml(new TextDecoder().decode(bytes));
  const value = documents[0]?.value;
  if (!isJsonObject(value) || !isJsonObject(value["metadata"]) || typeof value["metadata"]["name"] !== "string") {
    throw malformed(blobId, path, "it is no record");
  }
  return value;
}

function ofKind<T>(records: readonly JsonObject[], kind: string): T[] {
  return records.filter((record) => record["kind"] === kind) as unknown[] as T[];
}

/** Records of one commit are of one version. */
function refuseOther(commit: string, summary: FleetSummary): void {
  const apiVersion: unknown = summary.apiVersion;
  if (apiVersion === knownVersion) return;
  if (typeof apiVersion !== "string") throw malformed(commit, "summary.yaml", "its apiVersion is no text");
  const text = `read the status branch: its records are of ${apiVersion}, this program reads ${knownVersion}`;
  throw new AppError("E_STORE_VERSION", text, { recovery: "stalled" });
}

function malformed(id: string, path: string, what: string): AppError {
  return new AppError("E_SCHEMA", `read ${path} of the status branch (${shortCommit(id)}): ${what}`, {
    recovery: "stalled",
  });
}

import { generateKeyPairSync, sign } from "node:crypto";
import { stringify } from "yaml";
import { sha256Hex } from "../../src/core/digest.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Commit, GitReader } from "../../src/git/git.ts";
import { checksumLine, checksumsPath, signaturePath, signStatus } from "../../src/planning/status-signature.ts";
import { readRestorableRecords } from "../../src/recovery/restore-records.ts";
import { readStatusBranch } from "../../src/review/read-status-branch.ts";
import type { Dice } from "./random-input.ts";
import { randomJson, randomText } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf, pure } from "./target.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const repository = "rollcall-system.fleet";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const spki = publicKey.export({ type: "spki", format: "der" });
const hubId = `sha256:${sha256Hex(spki)}`;
const signing = (payload: Uint8Array): Uint8Array => sign(null, payload, privateKey);

const clusterPath = "clusters/fleet/eu-1.yaml";
const tokenPath = "tokens/fleet/eu.yaml";
const summary = { apiVersion, kind: "FleetSummary", metadata: { name: "fleet" }, hub: { epoch: 1 } };
const cluster = {
  apiVersion,
  kind: "ClusterRecord",
  metadata: { name: "eu-1", namespace: "fleet" },
  protocol: "rollcall",
  clientID: "a",
  keys: [{ digest: "sha256:aa", signingKey: "a", sealingKey: "b" }],
};
const token = { apiVersion, kind: "TokenRecord", metadata: { name: "eu", namespace: "fleet" } };

/** Paths by form; the file of the form has the input's bytes. */
const pathsByForm: Readonly<Record<string, string>> = {
  summary: "summary.yaml",
  cluster: clusterPath,
  token: tokenPath,
  checksums: checksumsPath,
  signature: signaturePath,
};

/** A status branch of one commit. The hub signs records of the input too, so that their content is read. */
function branchOf({ form, bytes }: Input): GitReader {
  const files = new Map<string, Uint8Array>([
    ["summary.yaml", Buffer.from(stringify(summary))],
    [clusterPath, Buffer.from(stringify(cluster))],
    [tokenPath, Buffer.from(stringify(token))],
  ]);
  const isRecord = form !== "checksums" && form !== "signature";
  const path = pathsByForm[form] ?? "";
  if (isRecord) files.set(path, bytes);
  const lines = [...files].map(([name, content]) => checksumLine(name, sha256Hex(content)));
  const checksums = form === "checksums" ? Buffer.from(bytes).toString("utf8") : lines.join("");
  files.set(checksumsPath, Buffer.from(checksums));
  const sealed = { hub: hubId, repository, epoch: 1, parent: undefined, digest: sha256Hex(checksums) };
  files.set(signaturePath, form === "signature" ? bytes : Buffer.from(stringify(signStatus(sealed, signing))));
  const commit: Commit = {
    id: "1".repeat(40),
    treeId: "2".repeat(40),
    parents: [],
    author: { name: "a", email: "a@b" },
    committedAtMs: 0,
    message: "",
  };
  return {
    readCommit: async () => commit,
    listFiles: async (_commit, paths) =>
      [...files.keys()]
        .filter((name) => paths === undefined || paths.includes(name))
        .map((name) => ({ path: name, blobId: name, mode: "file" })),
    readBlob: async (blobId) => files.get(blobId) ?? new Uint8Array(),
    changedPaths: async () => [],
  };
}

function randomRecord(dice: Dice): Input {
  const [form, record] = dice.pick([
    ["summary", summary],
    ["cluster", cluster],
    ["token", token],
    ["signature", signStatus({ hub: hubId, repository, epoch: 1, parent: undefined, digest: sha256Hex("") }, signing)],
  ] as const);
  const field = dice.pick([...Object.keys(record), randomText(dice)]);
  return inputOf(form, JSON.stringify({ ...record, [field]: randomJson(dice) }));
}

const records: Target = {
  seeds: [
    inputOf("summary", stringify(summary)),
    inputOf("cluster", stringify(cluster)),
    inputOf("token", stringify(token)),
    inputOf("checksums", `${"a".repeat(64)}  ${clusterPath}\n${"b".repeat(64)}  ../x\n`),
    inputOf(
      "signature",
      stringify(signStatus({ hub: hubId, repository, epoch: 1, parent: undefined, digest: sha256Hex("") }, signing)),
    ),
  ],
  generate: randomRecord,
  open: async () => {
    const commit = "1".repeat(40);
    const key = {
      pem: "",
      publicKey,
      earlierKeys: [],
      hubId,
      publicText: spki.toString("base64"),
      epoch: 1,
      isOnHub: true,
      place: "",
    };
    const reads = await Promise.all([
      pure((input) => readStatusBranch(branchOf(input), commit))(),
      pure((input) => {
        const source = { branch: "rollcall/status", head: commit, key, repository, isUnsignedAccepted: false };
        return readRestorableRecords({ ...source, git: branchOf(input), log: silentLog });
      })(),
    ]);
    return {
      take: async (input) => {
        for (const { take } of reads) await take(input);
      },
      close: async () => undefined,
    };
  },
};

/** The content of the status branch, read by a plan and by a restore. */
export const recordTargets = { records };

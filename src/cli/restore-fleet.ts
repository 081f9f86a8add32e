import { createPrivateKey, createPublicKey } from "node:crypto";
import { parse } from "yaml";
import { AppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { textAt } from "../core/read-json.ts";
import type { GitEngine } from "../git/git.ts";
import { trustKeySecretName } from "../hub/trust-key.ts";
import type { KubeApi } from "../kube/kube.ts";
import { readMemory } from "../model/cluster-memory.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { restoredCluster, restoredMemory } from "../planning/restored-objects.ts";
import { restoreNamespaces } from "./install-hub.ts";
import { readText } from "./read-text.ts";
import { catchUpOlderCopy } from "./restore-older-copy.ts";
import type { Settings } from "./settings.ts";

export interface RestoreOptions {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  /** Of the Repository object. */
  readonly namespace: string;
  readonly name: string;
  /** The status branch. */
  readonly branch: string;
  /** What `rollcall backup` wrote; not needed when the hub has its trust key. */
  readonly trustKeyFile?: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const fieldManager = fieldManagers.hub;

/**
 * Gives a hub back what the status branch knows of its members, before any daemon works on it: namespaces, the trust key in
 * a new epoch, who each member is. Agents then come back by themselves. Nothing is written unless every record was read, and
 * nothing at all when no member is missing and the hub is no older copy. May be repeated.
 * @throws E_GIT_BRANCH_MISSING without a status branch; E_READ for a record that cannot be read; E_HUB_INFO for a trust
 *   key that is not the fleet's; E_USAGE when there is none
 */
export async function restoreFleet(options: RestoreOptions): Promise<void> {
  const { hubApi, log, signal } = options;
  const { summary, records, tokens } = await readRecords(options);
  const missing: { readonly record: ClusterRecord; readonly memory: KubeObject }[] = [];
  for (const record of records) {
    const memory = restoredMemory(record);
    if (!memory) {
      if (record.keys === undefined) continue;
      log.warn("a cluster of the status branch cannot be restored", {
        cluster: `${record.metadata.namespace}/${record.metadata.name}`,
        protocol: record.protocol,
        isLeaving: record.leave !== undefined,
      });
      continue;
    }
    const { namespace = "", name } = memory.metadata;
    const live = await hubApi.get({ type: resourceTypes.configMap, namespace, name }, { signal });
    if (readMemory(live)?.keys === undefined) missing.push({ record, memory });
  }
  const isOlderCopy = await catchUpOlderCopy({ hubApi, clusters: records, tokens, log, signal });
  if (missing.length === 0 && !isOlderCopy) {
    log.info("nothing to restore: the hub knows every cluster of the status branch", { clusters: records.length });
    return;
  }
  // A chart makes these; an empty hub has none.
  const workspaces = new Set(missing.map(({ memory }) => memory.metadata.namespace ?? ""));
  await restoreNamespaces(hubApi, { namespace: options.namespace, workspaces }, signal);
  const epoch = await restoreTrustKey(options, summary);
  for (const { record, memory } of missing) {
    for (const { object, manager } of restoredCluster(record, `${options.namespace}.${options.name}`))
      await hubApi.apply(object, { fieldManager: manager, signal });
    await hubApi.apply(memory, { fieldManager, signal });
    if (record.suspended === true)
      log.warn("a cluster was suspended, and is not any more: suspend it again", {
        cluster: `${memory.metadata.namespace}/${record.metadata.name}`,
      });
  }
  log.info("restored from the status branch", { clusters: missing.length, epoch });
}

/** Where the settings say that the backup is. */
export function trustKeyFile(settings: Settings): { readonly trustKeyFile?: string } {
  const path = settings.text("trust-key-file");
  return path === undefined ? {} : { trustKeyFile: path };
}

async function readRecords({ git, branch, signal }: RestoreOptions): Promise<StatusRecords> {
  const head = await git.fetchHead(branch, signal);
  if (head === undefined)
    throw new AppError("E_GIT_BRANCH_MISSING", `read branch ${branch} of ${git.url}: there is nothing to restore from`);
  let summary: FleetSummary | undefined;
  const records: ClusterRecord[] = [];
  const tokens: TokenRecord[] = [];
  for (const { path, blobId } of await git.listFiles(head)) {
    const kind = kindOfRecord(path);
    if (kind === undefined) continue;
    const object = readRecord(new TextDecoder().decode(await git.readBlob(blobId)), { path, kind });
    if (kind === "FleetSummary") summary = object as FleetSummary;
    else if (kind === "TokenRecord") tokens.push(object as TokenRecord);
    else records.push(object as ClusterRecord);
  }
  if (!summary) throw new AppError("E_READ", `read summary.yaml of branch ${branch}: it is not there`);
  return { summary, records, tokens };
}

interface StatusRecords {
  readonly summary: FleetSummary;
  readonly records: readonly ClusterRecord[];
  readonly tokens: readonly TokenRecord[];
}

type RecordKind = "FleetSummary" | "ClusterRecord" | "TokenRecord";

function kindOfRecord(path: string): RecordKind | undefined {
  if (path === "summary.yaml") return "FleetSummary";
  if (path.startsWith("clusters/")) return "ClusterRecord";
  return path.startsWith("tokens/") ? "TokenRecord" : undefined;
}

function readRecord(text: string, { path, kind }: { readonly path: string; readonly kind: RecordKind }): unknown {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new AppError("E_READ", `read ${path} of the status branch: it is not YAML`, { cause: error });
  }
  if (!isJsonObject(value) || value["kind"] !== kind || textAt(value, "metadata", "name") === undefined)
    throw new AppError("E_READ", `read ${path} of the status branch: it is no ${kind}`);
  return value;
}

/** Each restore raises the epoch, so that agents take nothing from an older copy of the hub. */
async function restoreTrustKey(options: RestoreOptions, summary: FleetSummary): Promise<number> {
  const { hubApi, namespace, trustKeyFile, signal } = options;
  const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
  const live = await hubApi.get(ref, { signal });
  const source = live ?? (await readBackup(trustKeyFile));
  const key = decode(source, "key");
  const known = summary.hub?.trustKey;
  if (key === undefined || known === undefined || publicKeyOf(key) !== known) {
    const where = live ? `Secret/${namespace}/${trustKeySecretName}` : (trustKeyFile ?? "");
    throw new AppError(
      "E_HUB_INFO",
      `restore the fleet: ${where} is not the trust key that its agents know${live ? "; delete it, and give the backup with --trust-key-file" : ""}`,
    );
  }
  const last = Math.max(summary.hub?.epoch ?? 1, Number(decode(live ? undefined : source, "epoch") ?? "1"));
  const present = Number(decode(live, "epoch") ?? "0");
  const epoch = present > last ? present : last + 1;
  const data = { key: encode(key), epoch: encode(String(epoch)) };
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: trustKeySecretName, namespace },
    type: "Opaque",
    data,
  };
  if (live) await hubApi.mergePatch(ref, { data: { epoch: data.epoch } }, { fieldManager, signal });
  else await hubApi.create(object, { fieldManager, signal });
  return epoch;
}

async function readBackup(path: string | undefined): Promise<unknown> {
  if (path === undefined)
    throw new AppError(
      "E_USAGE",
      "restore the fleet: the hub has no trust key; give the one that `rollcall backup` wrote with --trust-key-file",
    );
  try {
    return parse(await readText(path));
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The parser's message would quote the file.
    throw new AppError("E_USAGE", `read ${path}: it is not what \`rollcall backup\` wrote`);
  }
}

function publicKeyOf(pem: string): string | undefined {
  try {
    return createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" }).toString("base64");
  } catch {
    return undefined; // no key at all is as wrong as another one
  }
}

function decode(object: unknown, key: string): string | undefined {
  const encoded = textAt(object, "data", key);
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { tenthsOf } from "../core/long-work.ts";
import type { GitEngine } from "../git/git.ts";
import type { KubeApi } from "../kube/kube.ts";
import { readMemberState } from "../model/member-state.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { restoredCluster, restoredState } from "../planning/restored-objects.ts";
import { restoreNamespaces } from "../install/install-hub.ts";
import { compareWithOlderCopy } from "./restore-older-copy.ts";
import { readRestorableRecords } from "./restore-records.ts";
import { publishHubKey, readHubKey } from "./restore-trust-key.ts";
import type { Settings } from "../settings/settings.ts";

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
  /** Believe a branch on which nothing is signed. Default false. */
  readonly isUnsignedAccepted?: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const fieldManager = fieldManagers.hub;

/**
 * Gives a hub back what the status branch knows of its members, before any daemon works on it: namespaces, the trust key in
 * a new epoch, who each member is. Agents then come back by themselves. Only what the hub signed is believed. Nothing is
 * written unless every record was read, and nothing at all when neither a member nor the key is missing and the hub is no
 * older copy. May be repeated.
 * @throws E_GIT_BRANCH_MISSING without a status branch; E_UNVERIFIED when the branch is not signed by the hub; E_READ for
 *   a record that cannot be read; E_HUB_INFO for a trust key that is not the fleet's; E_USAGE when there is none
 */
export async function restoreFleet(options: RestoreOptions): Promise<void> {
  const { hubApi, git, branch, log, signal } = options;
  const head = await git.fetchHead(branch, signal);
  if (head === undefined)
    throw new AppError(
      "E_GIT_BRANCH_MISSING",
      `read branch ${branch} of ${git.url}: there is nothing to restore from`,
      {
        remedy:
          "Push the branch from a clone that still has it. If it has another name, start `rollcall run` with --write-back-branch. For a new fleet, leave --restore out.",
      },
    );
  const key = await readHubKey(options);
  const recorded = await readRestorableRecords({
    git,
    branch,
    head,
    key,
    repository: `${options.namespace}.${options.name}`,
    isUnsignedAccepted: options.isUnsignedAccepted === true,
    log,
  });
  const { clusters: records, tokens, isSigned } = recorded;
  const missing: { readonly record: ClusterRecord; readonly state: KubeObject }[] = [];
  const usesOf = new Map(tokens.map(({ metadata, uses }) => [`${metadata.namespace}/${metadata.name}`, uses]));
  const recordCompared = tenthsOf(records.length, (done) =>
    log.info("compares the hub with the status branch", { clusters: done, of: records.length }),
  );
  for (const [index, record] of records.entries()) {
    recordCompared(index);
    const state = restoredState(record, usesOf.get(`${record.metadata.namespace}/${record.join?.token}`));
    if (!state) {
      if (record.keys === undefined) continue;
      log.warn("a cluster of the status branch cannot be restored", {
        cluster: `${record.metadata.namespace}/${record.metadata.name}`,
        protocol: record.protocol,
        isLeaving: record.leave !== undefined,
      });
      continue;
    }
    const { namespace = "", name } = state.metadata;
    const live = await hubApi.get({ type: resourceTypes.configMap, namespace, name }, { signal });
    if (readMemberState(live)?.keys === undefined) missing.push({ record, state });
  }
  const catchUp = await compareWithOlderCopy({ hubApi, clusters: records, tokens, isSigned, log, signal });
  // A hub without its key would make another one, and be another hub.
  if (missing.length === 0 && catchUp === undefined && key.isOnHub) {
    log.info("nothing to restore: the hub knows every cluster of the status branch", { clusters: records.length });
    return;
  }
  // A chart makes these; an empty hub has none.
  const workspaces = new Set(missing.map(({ state }) => state.metadata.namespace ?? ""));
  if (!isSigned) await refuseOtherNamespaces(options, workspaces);
  await restoreNamespaces(hubApi, { namespace: options.namespace, workspaces }, signal);
  const epoch = await publishHubKey(options, key, recorded.epoch);
  await catchUp?.();
  const recordRestored = tenthsOf(missing.length, (done) =>
    log.info("restores clusters", { clusters: done, of: missing.length }),
  );
  for (const [index, { record, state }] of missing.entries()) {
    recordRestored(index);
    for (const { object, manager } of restoredCluster(record, `${options.namespace}.${options.name}`))
      await hubApi.apply(object, { fieldManager: manager, signal });
    await hubApi.apply(state, { fieldManager, signal });
    if (record.suspended === true)
      log.warn("a cluster was suspended, and is not any more: suspend it again", {
        cluster: `${state.metadata.namespace}/${record.metadata.name}`,
      });
  }
  log.info("restored from the status branch", { clusters: missing.length, epoch });
}

/** Who may push the branch must not make a workspace of a namespace that is there for something else. @throws E_UNVERIFIED */
async function refuseOtherNamespaces(
  { hubApi, namespace: own, signal }: RestoreOptions,
  names: ReadonlySet<string>,
): Promise<void> {
  for (const name of names) {
    const live = await hubApi.get({ type: resourceTypes.namespace, name }, { signal });
    if (live === undefined ? name !== own : live.metadata.labels?.[labelKeys.workspace] !== undefined) continue;
    const text = `restore clusters of namespace ${name}, which the unsigned status branch names: it is no workspace`;
    const remedy = `If it is to be one, label it: kubectl label namespace ${name} ${labelKeys.workspace}=true`;
    throw new AppError("E_UNVERIFIED", text, { remedy });
  }
}

/** The settings for the backup, and for unsigned branches. */
export function restoreSettings(settings: Settings): Pick<RestoreOptions, "trustKeyFile" | "isUnsignedAccepted"> {
  const path = settings.text("trust-key-file");
  const isUnsignedAccepted = settings.isOn("restore-unsigned");
  return { ...(path === undefined ? {} : { trustKeyFile: path }), isUnsignedAccepted };
}

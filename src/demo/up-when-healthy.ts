import { namespacedName } from "../model/namespaced-name.ts";
import { objectsAt } from "../core/read-json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import type { GitEngine } from "../git/git.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { findCondition } from "../planning/conditions.ts";
import type { Daemon } from "../daemon/wire-run.ts";
import type { RepositorySource } from "../daemon/wire-repository.ts";
import { realClock } from "../system/real-clock.ts";
import type { Progress, Step } from "./up-progress.ts";

const lookAgainMs = 100;

/**
 * Shows the clusters as they join, and resolves when each is Ready, has sent a heartbeat since this process started,
 * and is Ready in the newest status commit. A cluster that no file declares is awaited while it is on the hub.
 */
export async function whenHealthy(options: {
  readonly daemon: Daemon;
  readonly repository: RepositorySource;
  readonly git: GitEngine;
  readonly clusters: readonly Cluster[];
  readonly declared: readonly Cluster[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { daemon, repository, git, progress, signal } = options;
  const declared = new Set(options.declared.map(namespacedName));
  let checkedCommit: string | undefined;
  for (;;) {
    const clusters = options.clusters.filter(
      (cluster) => declared.has(namespacedName(cluster)) || liveOf(daemon, cluster),
    );
    const steps = clusters.map((cluster) => stepOf(daemon, cluster));
    progress.show(steps);
    const statusCommit = repository.read()?.status?.statusCommit;
    if (steps.every(({ state }) => state === "ready") && statusCommit !== undefined && statusCommit !== checkedCommit) {
      if (await isWrittenBack(git, statusCommit, clusters)) return;
      checkedCommit = statusCommit;
    }
    await realClock.sleep(lookAgainMs, signal);
  }
}

function liveOf({ view }: Daemon, { metadata }: Cluster): Cluster | undefined {
  const { namespace = "", name } = metadata;
  return view.get({ type: resourceTypes.cluster, namespace, name }) as Cluster | undefined;
}

function stepOf(daemon: Daemon, declared: Cluster): Step {
  const cluster = namespacedName(declared);
  const live = liveOf(daemon, declared);
  if (!live) return { cluster, state: "waiting", detail: "not on the hub yet" };
  const conditions = live.status?.conditions;
  const joined = findCondition(conditions, "Joined");
  const ready = findCondition(conditions, "Ready");
  if (joined?.status !== "True") {
    const isInstalled = joined?.reason === "AgentInstalled";
    return {
      cluster,
      state: isInstalled ? "agent installed" : "declared",
      detail: isInstalled ? "" : (joined?.message ?? ""),
    };
  }
  const hasHeartbeat = daemon.health.lastHeartbeatMs(cluster) !== undefined;
  if (ready?.status === "True" && hasHeartbeat)
    return { cluster, state: "ready", detail: live.status?.kubernetesVersion ?? "" };
  return {
    cluster,
    state: "joined",
    detail: ready?.status === "True" ? "waiting for its next heartbeat" : (ready?.message ?? ""),
  };
}

async function isWrittenBack(git: GitEngine, commit: string, clusters: readonly Cluster[]): Promise<boolean> {
  const files = new Map((await git.listFiles(commit, ["clusters"])).map(({ path, blobId }) => [path, blobId]));
  for (const { metadata } of clusters) {
    const blobId = files.get(`clusters/${metadata.namespace}/${metadata.name}.yaml`);
    if (blobId === undefined) return false;
    const record = readYamlDocument(new TextDecoder().decode(await git.readBlob(blobId)));
    const conditions = objectsAt(record.value, "conditions");
    if (conditions.find(({ type }) => type === "Ready")?.["status"] !== "True") return false;
  }
  return true;
}

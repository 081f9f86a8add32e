import { namespacedName } from "../model/namespaced-name.ts";
import { objectsAt } from "../core/read-json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import type { GitEngine } from "../git/git.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { clusterState } from "../planning/cluster-phase.ts";
import { findCondition } from "../planning/conditions.ts";
import type { Daemon } from "../daemon/wire-run.ts";
import type { RepositorySource } from "../daemon/known-repository.ts";
import { realClock } from "../system/real-clock.ts";
import type { Progress, Step } from "./up-progress.ts";

const requeueAfterMs = 100;

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
    if (steps.every(({ isDone }) => isDone) && statusCommit !== undefined && statusCommit !== checkedCommit) {
      if (await isWrittenBack(git, statusCommit, clusters)) return;
      checkedCommit = statusCommit;
    }
    await realClock.sleep(requeueAfterMs, signal);
  }
}

function liveOf({ view }: Daemon, { metadata }: Cluster): Cluster | undefined {
  const { namespace = "", name } = metadata;
  return view.get({ type: resourceTypes.cluster, namespace, name }) as Cluster | undefined;
}

function stepOf(daemon: Daemon, declared: Cluster): Step {
  const cluster = namespacedName(declared);
  const live = liveOf(daemon, declared);
  if (!live) return { cluster, state: "Declared", detail: "not on the hub yet", isDone: false };
  const state = clusterState(live);
  const ready = findCondition(live.status?.conditions, "Ready");
  if (ready?.status !== "True") return { cluster, state, detail: ready?.message ?? "", isDone: false };
  const isDone = daemon.health.lastHeartbeatMs(cluster) !== undefined;
  const detail = isDone ? (live.status?.kubernetesVersion ?? "") : "waiting for its next heartbeat";
  return { cluster, state, detail, isDone };
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

// The example fleet as a user has it: a hub, a repository with a work tree, clusters with agents. What a test reads of it and
// does to it, whatever serves the hub and however the daemon was started.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { runGit } from "./git-repositories.ts";
import { until } from "./until.ts";

/** Where a fleet that runs is found. */
export interface FleetPlace {
  /** Of an administrator of the hub. */
  readonly hubKubeconfigPath: string;
  /** A clone to edit files in. */
  readonly workTree: string;
  /** The bare repository that the daemon follows and writes its status branch to. */
  readonly repositoryPath: string;
  readonly downstreamKubeconfig: (cluster: string) => Promise<string>;
  /** All that the daemon has printed and logged. */
  readonly told: () => Promise<string>;
}

export interface RunningFleet extends FleetPlace {
  readonly hub: KubeApi;
  readonly listClusters: () => Promise<Cluster[]>;
  readonly readCluster: (name: string) => Promise<Cluster | undefined>;
  readonly git: (...args: string[]) => Promise<string>;
  /** Commits everything in the work tree and pushes it; resolves with the commit's id. */
  readonly push: (message: string) => Promise<string>;
  /** Path of the file that declares a cluster. */
  readonly fileOf: (cluster: string) => Promise<string>;
  /** A client of a downstream cluster; the caller closes it. */
  readonly downstreamApi: (cluster: string) => Promise<KubeApi>;
  readonly close: () => Promise<void>;
}

export async function openRunningFleet(place: FleetPlace): Promise<RunningFleet> {
  const { workTree } = place;
  const hub = apiOf(readKubeconfig(await readFile(place.hubKubeconfigPath, "utf8")));
  const git = (...args: string[]): Promise<string> => runGit(workTree, args);
  const listClusters = async (): Promise<Cluster[]> =>
    (await hub.list(resourceTypes.cluster)).items as unknown[] as Cluster[];
  return {
    ...place,
    hub,
    listClusters,
    readCluster: async (name) => (await listClusters()).find(({ metadata }) => metadata.name === name),
    git,
    push: async (message) => {
      await git("add", "-A");
      await git("commit", "-q", "-m", message);
      await git("push", "-q");
      return (await git("rev-parse", "HEAD")).trim();
    },
    fileOf: async (cluster) => {
      const files = await readdir(join(workTree, "clusters"), { recursive: true });
      const found = files.find((path) => path.endsWith(`${cluster}.yaml`));
      if (found === undefined) throw new Error(`no file declares ${cluster}`);
      return join(workTree, "clusters", found);
    },
    downstreamApi: async (cluster) => apiOf(readKubeconfig(await place.downstreamKubeconfig(cluster))),
    close: () => hub.close(),
  };
}

export function conditionOf(cluster: Cluster | undefined, type: string) {
  return cluster?.status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(cluster: Cluster | undefined): boolean {
  return conditionOf(cluster, "Ready")?.status === "True";
}

/** Resolves when the clusters of these names, and no others, are Ready with these labels. */
export async function untilAllReady(
  { listClusters, told }: RunningFleet,
  names: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const standOf = (cluster: Cluster): string => {
    const isLabelled = Object.entries(labels).every(([key, value]) => cluster.metadata.labels?.[key] === value);
    const { status, reason = "", message = "" } = conditionOf(cluster, "Ready") ?? {};
    return `${cluster.metadata.name} ${status === "True" && isLabelled ? "is ready" : `${reason}: ${message}`}`;
  };
  const wanted = names.map((name) => `${name} is ready`).join("\n");
  try {
    await until(
      async () => (await listClusters()).map(standOf).join("\n"),
      (stand) => stand === wanted,
    );
  } catch (error) {
    throw new Error(`${String(error)}\n${(await told()).split("\n").slice(-40).join("\n")}`, { cause: error });
  }
}

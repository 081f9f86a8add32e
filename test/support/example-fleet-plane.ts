// The example fleet on a real kube-apiserver: the daemon as a process of its own with the rights of the chart, three embedded
// downstream clusters whose nodes run the agents.
import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { startDownstreamCluster } from "../../src/demo/up-downstream-cluster.ts";
import type { DownstreamCluster } from "../../src/demo/up-downstream-cluster.ts";
import { openPortBook } from "../../src/demo/port-book.ts";
import { realClock, realRandom } from "./real-time.ts";
import { silentLog } from "../../src/core/log.ts";
import { version } from "../../src/core/version.ts";
import type { DaemonPlane } from "./daemon-plane.ts";
import { planeWorkspace, startDaemonPlane } from "./daemon-plane.ts";
import { runGit } from "./git-repositories.ts";
import { exampleClusters } from "./random-deeds.ts";
import type { RunningProgram } from "./run-program.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { openRunningFleet } from "./running-fleet.ts";

const root = resolve(import.meta.dirname, "../..");

export interface ExampleFleetPlane {
  readonly session: DaemonPlane;
  readonly fleet: RunningFleet;
  /** Starts `rollcall run` as the same container of the same Pod would start again; waits for nothing. */
  startDaemon(): Promise<RunningProgram>;
  close(): Promise<void>;
}

/** Starts hub and clusters, and makes the repository of the example. The daemon is not started. */
export async function startExampleFleetPlane(): Promise<ExampleFleetPlane> {
  const session = await startDaemonPlane();
  const { folder, plane, repository } = session;
  const clusters = new Map<string, DownstreamCluster>();
  const daemons: RunningProgram[] = [];
  const stopping = new AbortController();
  const closeAll = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(daemons.map((daemon) => daemon.end("SIGKILL")));
    await Promise.all([...clusters.values()].map((cluster) => cluster.stop()));
    await session.close();
  };
  try {
    await repository.commit({ files: await readExample(), message: "Start the fleet" });
    const workTree = join(folder, "work-tree");
    await runGit(folder, ["clone", "-q", repository.path, workTree]);
    const ports = await openPortBook(join(folder, "ports.json"), { clock: realClock, random: realRandom });
    for (const name of exampleClusters) {
      const cluster = await startDownstreamCluster({
        name,
        dir: join(folder, "clusters"),
        ports,
        resolveImage: () => (image) => (image === `rollcall:${version}` ? agentProgram : undefined),
        objects: [],
        // An agent is killed many times in a minute here: a kubelet's waits would be the whole test.
        backoff: { initialMs: 100, maximumMs: 500, resetMs: 10_000, sourceMs: 500 },
        log: silentLog,
        signal: stopping.signal,
      });
      clusters.set(name, cluster);
      await session.create({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `${name}-kubeconfig`, namespace: planeWorkspace },
        data: { value: Buffer.from(cluster.kubeconfig).toString("base64") },
      });
    }
    const fleet = await openRunningFleet({
      hubKubeconfigPath: plane.kubeconfigPath,
      workTree,
      repositoryPath: repository.path,
      downstreamKubeconfig: async (name) => clusters.get(name)?.kubeconfig ?? "",
      told: async () => daemons.flatMap(({ lines }) => lines).join("\n"),
    });
    return {
      session,
      fleet,
      startDaemon: async () => {
        const daemon = await session.launchDaemon({
          args: ["--identity", "rollcall-0", "--write-back-interval", "2s"],
        });
        daemons.push(daemon);
        return daemon;
      },
      close: async () => {
        await fleet.close();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

const agentProgram = { command: process.execPath, args: [join(root, "bin/rollcall.js")], env: {} };

async function readExample(): Promise<Record<string, string>> {
  const folder = join(root, "examples-repo");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path, "utf8")] as const)),
  );
}

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../core/log.ts";
import { startEmbeddedHub } from "../embedded-hub/embedded-hub.ts";
import { startEmbeddedNode } from "../embedded-node/embedded-node.ts";
import type { ResolveImage } from "../embedded-node/node-types.ts";
import type { BackoffLimits } from "../embedded-node/restart-backoff.ts";
import type { KubeApi } from "../kube/kube.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiOf } from "../daemon/connect-hub.ts";
import { makeFolder } from "../system/make-folder.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import { whenReady } from "./when-ready.ts";
import { writeFileAtomically } from "../system/write-file-atomically.ts";
import type { PortBook } from "./port-book.ts";

export interface DownstreamCluster {
  readonly name: string;
  readonly url: string;
  readonly kubeconfig: string;
  readonly kubeconfigPath: string;
  stop(): Promise<void>;
}

export interface DownstreamOptions {
  readonly name: string;
  /** Holds all clusters. */
  readonly dir: string;
  readonly ports: PortBook;
  /** What its node runs; it is given a folder of this cluster alone. */
  readonly resolveImage: (homeDir: string) => ResolveImage;
  /** What is on it before anything else. */
  readonly objects: readonly KubeObject[];
  /** How its node restarts what ended. Default: as kubelets do. */
  readonly backoff?: BackoffLimits;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Starts an embedded cluster: an API server, and a node that runs its Pods as processes of this machine. */
export async function startDownstreamCluster(options: DownstreamOptions): Promise<DownstreamCluster> {
  const { name, dir, ports, log, signal } = options;
  let node: Awaited<ReturnType<typeof startEmbeddedNode>> | undefined;
  const server = await startEmbeddedHub({
    dir: join(dir, name, "server"),
    port: await ports.freePortOf(`cluster ${name}`),
    clock: realClock,
    random: realRandom,
    log: log.with({ cluster: name }),
    podLogs: async (request) => {
      if (!node) throw new Error("the node is not up yet");
      return node.readPodLog(request);
    },
  });
  await ports.remember(`cluster ${name}`, server.port);
  const kubeconfigPath = join(dir, `${name}.kubeconfig`);
  let api: KubeApi | undefined;
  try {
    api = apiOf(readKubeconfig(server.adminKubeconfig));
    await whenReady(api, signal);
    await writeFileAtomically(kubeconfigPath, server.adminKubeconfig);
    for (const object of options.objects) await api.apply(object, { fieldManager: "rollcall-up", signal });
    const homeDir = join(dir, name, "home");
    await makeFolder(homeDir, 0o700);
    node = await startEmbeddedNode({
      api,
      nodeName: `${name}-node-1`,
      dir: join(dir, name, "node"),
      resolveImage: options.resolveImage(homeDir),
      ...(options.backoff ? { backoff: options.backoff } : {}),
      clock: realClock,
      random: realRandom,
      log: log.with({ cluster: name }),
    });
  } catch (error) {
    await api?.close();
    await server.close();
    throw error;
  }
  const runningNode = node;
  const runningApi = api;
  return {
    name,
    url: server.url,
    kubeconfig: server.adminKubeconfig,
    kubeconfigPath,
    stop: async () => {
      await runningNode.stop();
      await runningApi.close();
      await server.close();
    },
  };
}

/** Names of the clusters that were started in this folder before. */
export async function listClusterFolders(dir: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(dir, { withFileTypes: true });
  return new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
}

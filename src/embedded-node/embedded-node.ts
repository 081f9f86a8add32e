// embedded-node: runs the Pods of an embedded cluster as processes of this machine. To its cluster it is a kubelet (and
// the scheduler): it speaks to it over HTTPS, by the one Kubernetes client, and shares nothing else with it.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { textAt } from "../core/read-json.ts";
import type { KubeApi, KubeCache } from "../kube/kube.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import { createEventWriter } from "./event-writer.ts";
import { nodeCapacity } from "./node-object.ts";
import { startNodePresence } from "./node-presence.ts";
import { nodeResources } from "./node-types.ts";
import type { ResolveImage } from "./node-types.ts";
import { PodManager } from "./pod-manager.ts";
import { createProcessRecords } from "./process-records.ts";
import { openPodLog } from "./open-pod-log.ts";
import type { PodLogRequest } from "./open-pod-log.ts";
import { kubeletBackoff } from "./restart-backoff.ts";
import type { BackoffLimits } from "./restart-backoff.ts";
import { createScheduler } from "./scheduler.ts";
import { serverVersion } from "./server-version.ts";

export interface EmbeddedNodeOptions {
  /** The cluster, as an administrator or as a kubelet. The caller closes it after `stop`. */
  readonly api: KubeApi;
  readonly nodeName: string;
  /** The node's folder: made with mode 0700, holds volumes (Secrets, tokens) and logs. One node a folder. */
  readonly dir: string;
  /** Maps an image to a program. An image without one stays in ErrImagePull, ImagePullBackOff. */
  readonly resolveImage: ResolveImage;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Default: a kubelet's (10 s doubling to 5 min, forgotten after 10 min). */
  readonly backoff?: BackoffLimits;
  /** Bound of one log file; a run of a container has at most two. Default 10 MiB. */
  readonly maxLogBytes?: number;
  /** How long containers have to end at `stop`. Default 5 s. */
  readonly stopGraceMs?: number;
}

export interface EmbeddedNode {
  /** The log of a container, for `kubectl logs`. Rejects with E_KUBE_NOT_FOUND or E_KUBE_INVALID, worded as kubelets do. */
  readPodLog(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Ends all containers. Their Pods stay in the cluster and run again when the node starts again. */
  stop(): Promise<void>;
}

const address = "127.0.0.1";
const defaultLogBytes = 10 << 20;

/**
 * Starts a node. First it ends what a killed run of the same folder left, so that no Pod runs twice.
 *
 * Containers are local processes: they share the host's network, files and user. Their programs get
 * - the Pod's environment, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and ROLLCALL_SERVICE_ACCOUNT_DIR: the
 *   folder of the service account, which cannot be mounted at its usual path;
 * - arguments and variables that are mount paths as paths of the host, and variables that are exactly a declared
 *   containerPort as the free port of the host that was chosen for it (probes ask there);
 * - an IPC channel, and must end when it closes (`process.on("disconnect")`): so they never outlive this process. A
 *   program that does not know of it is ended by `stop`, and after a kill by the next start;
 * - KUBECONFIG of the Pod's service account, for a program that asks for it (`readsKubeconfig`).
 */
export async function startEmbeddedNode(options: EmbeddedNodeOptions): Promise<EmbeddedNode> {
  const { api, nodeName, dir, clock, random, log } = options;
  await mkdir(join(dir, "pods"), { recursive: true, mode: 0o700 });
  const records = createProcessRecords(join(dir, "processes.json"), clock, log);
  await records.reap();
  const events = createEventWriter(api, { nodeName, clock, log });
  const node = { nodeName, dir, address, version: await serverVersion(api) };
  const presence = await startNodePresence(api, node, { clock, log });
  const manager = new PodManager(join(dir, "pods"), {
    api,
    node: { nodeName, address, allocatable: await nodeCapacity(dir) },
    service: serviceOf(api.server),
    resolveImage: options.resolveImage,
    records,
    events,
    clock,
    random,
    log,
    backoff: options.backoff ?? kubeletBackoff,
    maxLogBytes: options.maxLogBytes ?? defaultLogBytes,
    newId: () => Buffer.from(random.bytes(32)).toString("hex"),
  });
  const scheduler = createScheduler({
    ...options,
    node: () => nodes.get("", nodeName),
    events,
    podOf: (key) => {
      const [namespace = "", name = ""] = key.split("/");
      return cache.get(namespace, name);
    },
  });
  const cache: KubeCache = startKubeCache(
    api,
    nodeResources.pod,
    {
      keepManagedFields: false,
      onChange: ({ ref, object }) => {
        if (object === undefined) manager.forget(ref.namespace ?? "", ref.name);
        else if (textAt(object, "spec", "nodeName") === nodeName) manager.take(object);
        else scheduler.consider(object);
      },
      onError: (error) => log.debug("pods could not be watched", { error }),
    },
    { clock, random },
  );
  // What may run here changes with the Node: it may be cordoned, tainted, labelled.
  const nodes: KubeCache = startKubeCache(
    api,
    nodeResources.node,
    {
      fieldSelector: `metadata.name=${nodeName}`,
      keepManagedFields: false,
      onChange: () => cache.list().forEach((pod) => scheduler.consider(pod)),
      onError: (error) => log.debug("the node could not be watched", { error }),
    },
    { clock, random },
  );
  await Promise.all([cache.whenSynced(), nodes.whenSynced()]);
  await removeStrangers(join(dir, "pods"), () => new Set(cache.list().map(({ metadata }) => metadata.uid ?? "")));
  return {
    readPodLog: (request) => openPodLog(manager, request, clock),
    stop: async () => {
      await Promise.all([cache.stop(), nodes.stop()]);
      await scheduler.stop();
      await presence.stop();
      await manager.stop(options.stopGraceMs ?? 5000);
      await events.stop();
    },
  };
}

/** Removes folders of Pods that were deleted while the node was stopped. */
async function removeStrangers(folder: string, knownNow: () => ReadonlySet<string>): Promise<void> {
  const found = await readdir(folder);
  // A Pod that came meanwhile may have made its folder.
  const known = knownNow();
  const strangers = found.filter((uid) => !known.has(uid));
  await Promise.all(strangers.map((uid) => rm(join(folder, uid), { recursive: true, force: true })));
}

function serviceOf(server: string): { readonly host: string; readonly port: string } {
  const { hostname, port, protocol } = new URL(server);
  const defaultPort = protocol === "http:" ? "80" : "443";
  return { host: hostname.replace(/^\[|\]$/gu, ""), port: port === "" ? defaultPort : port };
}

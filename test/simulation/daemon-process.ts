import { setMaxListeners } from "node:events";
import type { Log } from "../../src/core/log.ts";
import { leadBefore } from "../../src/daemon/leadership.ts";
import type { DaemonOptions } from "../../src/daemon/wire-run.ts";
import { startDaemon } from "../../src/daemon/wire-run.ts";
import type { ServedProtocol } from "../../src/daemon/foreign-protocols.ts";
import { servedProtocols } from "../../src/daemon/foreign-protocols.ts";
import { followRepository } from "../../src/daemon/wire-repository.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { RepositorySpec } from "../../src/model/generated/repository.ts";
import { restoreFleet } from "../../src/recovery/restore-fleet.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { connectOver } from "./forge/simulated-dispatcher.ts";
import type { SimulatedForge } from "./forge/simulated-forge.ts";
import { forgeSpec } from "./forge/simulated-forge.ts";
import type { GitRemote } from "./git-remote.ts";
import { administrator, simulatedCaPem } from "./hub-process.ts";
import type { Network, Server } from "./network.ts";
import type { Pace } from "./pace.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";

export const daemonNamespace = "rollcall-system";
export const workspace = "fleet";
export const repositoryName = "fleet";
export const statusBranch = "rollcall/status";

export interface DaemonParts {
  readonly node: SimNode;
  readonly hub: Server;
  readonly network: Network;
  readonly remote: GitRemote;
  /** Where the repository has one. */
  readonly forge: SimulatedForge | undefined;
  readonly scheduler: Scheduler;
  readonly pace: Pace;
  /** How it reaches a cluster of a kubeconfig. */
  readonly openDownstream: NonNullable<DaemonOptions["openDownstream"]>;
  readonly isElected: boolean;
  /** Before anything else it gives the hub back what the status branch knows. */
  readonly isRestoring: boolean;
  /** Agents of other projects, too. */
  readonly servesForeign: boolean;
  readonly log: Log;
  /** It runs: what ends it as SIGTERM does. */
  readonly onStarted: (stop: () => Promise<void>) => void;
  /** The process has ended by itself; the node is killed. */
  readonly onExit: (error: unknown) => void;
}

/** Every other protocol, with our controllers. */
export const foreignServed: readonly ServedProtocol[] = servedProtocols(
  { isOn: () => false, text: () => undefined },
  () => true,
);

/** Small, so that lists of a small fleet have pages. */
export const listPageSize = 4;

/** What `rollcall run` starts, on an empty cache: it has nothing but what hub and git keep. */
export function startDaemonProcess(parts: DaemonParts): void {
  const { node, hub, network, remote, forge, scheduler, pace, isElected, isRestoring, servesForeign } = parts;
  const { log, onStarted, onExit } = parts;
  const run = async (): Promise<void> => {
    const transport = network.transport(node, hub, administrator);
    const client = { transport, clock: realClock, random: realRandom, pageSize: listPageSize };
    const hubApi = createKubeApi({ ...client, ...pace.watches });
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const target = { namespace: daemonNamespace, name: repositoryName };
    const spec: RepositorySpec = {
      url: remote.url,
      ref: { branch: "main" },
      workspaces: [workspace],
      defaultWorkspace: workspace,
      interval: `${pace.fetchIntervalMs / 1000}s`,
      writeBack: { mode: "Branch", branch: statusBranch, interval: "60s" },
      ...(forge === undefined ? {} : { forge: forgeSpec }),
    };
    const identity = isElected ? node.name : undefined;
    const git = remote.engineFor(node);
    const restored = { ...target, hubApi, git, branch: statusBranch, log };
    const restore = (leading: AbortSignal): Promise<void> => restoreFleet({ ...restored, signal: leading });
    if (isRestoring) await leadBefore(restore, { hubApi, namespace: daemonNamespace, identity, log, signal });
    const daemon = await startDaemon({
      hubApi,
      git,
      repository: await followRepository(hubApi, target, signal),
      settings: { name: target.name, spec },
      namespace: daemonNamespace,
      endpoint: { url: hub.url, caBundle: simulatedCaPem },
      agentImage: "rollcall",
      ...(identity === undefined ? {} : { identity }),
      ...(servesForeign ? { serves: foreignServed } : {}),
      workspaceLimit: [workspace],
      openDownstream: parts.openDownstream,
      ...(forge === undefined ? {} : { connectForge: connectOver(() => network.transport(node, forge.server)) }),
      log,
      signal,
    });
    onStarted(() => daemon.stop());
  };
  scheduler.send(node, 0, "daemon starts", () => void run().catch(onExit));
}

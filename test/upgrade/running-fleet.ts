import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { Log } from "../../src/core/log.ts";
import { silentLog } from "../../src/core/log.ts";
import type { Daemon } from "../../src/daemon/wire-run.ts";
import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { AgentRollout } from "../../src/model/generated/agent-rollout.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import { until } from "../support/until.ts";
import type { Program } from "./program.ts";
import { notingWrites } from "./recorded-writes.ts";

const { lease } = resourceTypes;

export const workspace = "fleet";
export const daemonNamespace = "rollcall-system";
/** Between two status commits. */
const writeBackMs = 1000;
/** What objects contain: where hub and repository really are differs from start to start. */
const endpointUrl = "https://hub.example.com:6443";
const repositoryUrl = "https://git.example.com/fleet.git";

/** A hub on a folder, and the daemon of one version on it. */
export interface RunningFleet {
  readonly api: KubeApi;
  readonly hubUrl: string;
  /** What the daemon wrote, in order. */
  readonly writes: readonly string[];
  readonly lines: readonly string[];
  get(type: ResourceType, name: string): Promise<KubeObject | undefined>;
  startDaemon(): Promise<void>;
  /** Resolves when the daemon has seen the branch's head and has nothing left to do. */
  settle(): Promise<void>;
  stopDaemon(): Promise<void>;
  stop(): Promise<void>;
}

/** What the Repository of a recording declares, beside what all have in common. */
export interface FleetSettings {
  readonly workspaces: readonly string[];
  readonly agentRollout?: AgentRollout;
}

interface FleetPlace {
  readonly dir: string;
  readonly repositoryPath: string;
  readonly settings: FleetSettings;
  /** Called before each request of the daemon to the hub. */
  readonly beforeCall?: () => void;
}

/** The same client, which calls `beforeCall` before each request. */
function beforeEachCall(api: KubeApi, beforeCall: () => void): KubeApi {
  const entries = Object.entries(api).map(([name, call]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) => {
      beforeCall();
      return call(...args);
    },
  ]);
  return Object.fromEntries(entries) as KubeApi;
}

/** The parts of a program that a hub and a daemon are made of. */
export type FleetProgram = Pick<
  Program,
  "connection" | "daemon" | "git" | "hub" | "install" | "kubeconfig" | "protocols" | "repository"
>;

export async function startFleet(
  program: FleetProgram,
  { dir, repositoryPath, settings, beforeCall }: FleetPlace,
): Promise<RunningFleet> {
  const { apiOf } = program.connection;
  const { readKubeconfig } = program.kubeconfig;
  const hub = await program.hub.startEmbeddedHub({ dir, clock: realClock, random: realRandom, log: silentLog });
  const api = apiOf(readKubeconfig(hub.adminKubeconfig));
  const writes: string[] = [];
  const lines: string[] = [];
  let running: { daemon: Daemon; stop: () => Promise<void>; nextRun: () => Promise<void> } | undefined;
  return {
    api,
    hubUrl: hub.url,
    writes,
    lines,
    get: (type, name) => api.get({ type, name, ...(type.isNamespaced ? { namespace: workspace } : {}) }),
    startDaemon: async () => {
      const hubApi = apiOf(readKubeconfig(hub.adminKubeconfig));
      const noted = notingWrites(hubApi, writes);
      const called = beforeCall === undefined ? noted : beforeEachCall(noted, beforeCall);
      running = await startDaemon(program, { hubApi: called, caBundle: hub.caPem, repositoryPath, settings, lines });
    },
    settle: async () => {
      if (running === undefined) throw new Error("no daemon runs");
      const { daemon, nextRun } = running;
      // What a run changes on the hub is seen by the second.
      for (const _ of [1, 2]) {
        const run = nextRun();
        daemon.enqueue();
        await run;
        await daemon.whenIdle();
        await hub.whenIdle();
      }
    },
    stopDaemon: async () => running?.stop(),
    stop: async () => {
      await running?.stop();
      await api.close();
      await hub.close();
    },
  };
}

/** As `rollcall run --install-crds` does, with every protocol served. */
async function startDaemon(
  program: FleetProgram,
  options: {
    readonly hubApi: KubeApi;
    readonly caBundle: string;
    readonly repositoryPath: string;
    readonly settings: FleetSettings;
    readonly lines: string[];
  },
) {
  const { hubApi, caBundle, repositoryPath, settings, lines } = options;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const { signal } = ending;
  const serves = [...program.protocols.foreignProtocols.keys()].map(
    (name) => ({ name, controllers: "Rollcall" }) as const,
  );
  await program.install.installHub(hubApi, daemonNamespace, signal);
  await program.protocols.installProtocols(hubApi, serves, signal);
  const target = { namespace: daemonNamespace, name: "fleet" };
  const repository = await program.repository.followRepository(hubApi, target, signal);
  const git = await program.git.openGitEngine({
    url: repositoryPath,
    cacheDir: join(repositoryPath, "..", "cache"),
    isLocalAllowed: true,
    clock: realClock,
    random: realRandom,
  });
  const waiting: (() => void)[] = [];
  const daemon = await program.daemon.startDaemon({
    hubApi,
    git,
    repository,
    settings: {
      name: target.name,
      spec: {
        url: repositoryUrl,
        defaultWorkspace: workspace,
        ...settings,
        workspaces: [...settings.workspaces],
        interval: "10m",
        writeBack: { mode: "Branch", branch: "rollcall/status", interval: `${writeBackMs / 1000}s` },
      },
    },
    namespace: daemonNamespace,
    endpoint: { url: endpointUrl, caBundle },
    agentImage: "rollcall",
    serves,
    log: collectingLog(lines),
    onRun: () => waiting.splice(0).forEach((resolve) => resolve()),
    signal,
  });
  const stop = async (): Promise<void> => {
    await daemon.stop();
    ending.abort();
    await git.close();
    await hubApi.close();
  };
  const nextRun = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
  return { daemon, nextRun, stop };
}

function collectingLog(lines: string[]): Log {
  const write =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: () => log,
  };
  return log;
}

/** When the agents of these clusters sent their last heartbeat; the key of a cluster is `workspace/name`. */
export async function renewalsOf({ api }: RunningFleet, clusters: readonly string[]): Promise<(string | undefined)[]> {
  return Promise.all(
    clusters.map(async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      return textAt(await api.get({ type: lease, namespace, name: `rollcall-${name}` }), "spec", "renewTime");
    }),
  );
}

/** All objects of a type in all workspaces, as `workspace/name`. */
export async function keysOf({ api }: RunningFleet, type: ResourceType): Promise<string[]> {
  return (await api.list(type)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
}

export function nameIn(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** Resolves when all was written that waits for the next status commit, which is made once a second. */
export async function untilQuiet(fleet: RunningFleet): Promise<void> {
  let count = fleet.writes.length;
  let sinceMs = performance.now();
  const look = async (): Promise<number> => {
    await fleet.settle();
    if (fleet.writes.length !== count) sinceMs = performance.now();
    count = fleet.writes.length;
    return performance.now() - sinceMs;
  };
  await until(look, (quietMs) => quietMs > 2 * writeBackMs);
}

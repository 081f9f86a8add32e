import { setMaxListeners } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { runAgent } from "../../src/agent/agent.ts";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { followObject, hubConnector } from "../../src/agent-process/wire-agent.ts";
import { silentLog } from "../../src/core/log.ts";
import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { createRepository } from "../support/git-repositories.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { startProgram } from "../support/run-program.ts";
import { simulatedCluster } from "../support/simulated-cluster.ts";
import { until } from "../support/until.ts";

interface BenchDaemon extends RunningProgram {
  /** Its calls of the hub so far. */
  readonly countCalls: () => Promise<number>;
}

const agentCount = Number(process.env.ROLLCALL_BENCH_AGENTS ?? "1000");
const workspace = "fleet";

interface BenchHub {
  readonly kubeconfigPath: string;
  /** Of the embedded one. */
  readonly pid?: number;
  readonly stop: () => Promise<unknown>;
}

// Agents that ask to join at once, by one token. Hub and daemon are processes of their own; the agents share this one, each
// with its keys, its connections and its whole work, on a downstream cluster in memory. Counted from the first agent's start:
// joined is an agent that holds its credential, Joined is a Cluster whose condition says so.
describe(`${agentCount} agents at once`, () => {
  it("on the embedded hub", { timeout: 600_000 }, () => timeAgents(startEmbedded));
  it.skipIf(!hasControlPlane())("on kube-apiserver", { timeout: 600_000 }, () => timeAgents(startReal));
});

async function timeAgents(startHub: (folder: string) => Promise<BenchHub>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const hub = await startHub(folder);
  const api = apiOf(readKubeconfig(await readFile(hub.kubeconfigPath, "utf8")));
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const daemon = await startFleet(api, hub.kubeconfigPath, folder);
  try {
    const values = await tokenValues(api);
    const joinedAt = new Map<string, number>();
    const joined = startKubeCache(
      api,
      resourceTypes.cluster,
      {
        namespace: workspace,
        onChange: ({ ref, object }) => {
          if (isJoined(object as Cluster | undefined) && !joinedAt.has(ref.name))
            joinedAt.set(ref.name, performance.now());
        },
      },
      { clock: realClock, random: realRandom },
    );
    await joined.whenSynced();
    const load = loadavg()[0]?.toFixed(1);
    const callsBefore = await daemon.countCalls();
    const pids = { hub: hub.pid, daemon: daemon.child.pid, agents: process.pid };
    const cpuBefore = await cpuSecondsOf(pids);
    const start = performance.now();
    const agents = Array.from({ length: agentCount }, (_, index) => startAgent(index, values, stopping.signal));
    const credentials = await Promise.all(agents.map(({ whenJoined }) => whenJoined));
    await until(
      async () => joinedAt.size,
      (count) => count >= agentCount,
      300_000,
    );
    const cpu = await cpuSecondsOf(pids);
    const calls = agents.map(({ countCalls }) => countCalls());
    print("agents", {
      count: agentCount,
      allJoinedSeconds: ((Math.max(...joinedAt.values()) - start) / 1000).toFixed(2),
      ...percentiles(
        "credentialSeconds",
        credentials.map((time) => time - start),
      ),
      ...percentiles(
        "joinedSeconds",
        [...joinedAt.values()].map((time) => time - start),
      ),
      callsPerAgent: (calls.reduce((sum, count) => sum + count, 0) / agentCount).toFixed(1),
      mostCalls: Math.max(...calls),
      daemonCallsPerAgent: (((await daemon.countCalls()) - callsBefore) / agentCount).toFixed(1),
      cpuSeconds: (["hub", "daemon", "agents"] as const).map((who) => (cpu[who] - cpuBefore[who]).toFixed(1)).join("+"),
      loadBefore: load,
      agentsMB: Math.round(process.memoryUsage().rss / 2 ** 20),
      daemonMB: await residentMB(daemon.child.pid),
    });
    stopping.abort();
    await Promise.all(agents.map(({ ended }) => ended));
    await joined.stop();
  } finally {
    stopping.abort();
    await daemon.end();
    await api.close();
    await hub.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startEmbedded(folder: string): Promise<BenchHub> {
  const dir = join(folder, "hub");
  const hub = startProgram(["hub", "--dir", dir, "--port", "0"]);
  const kubeconfigPath = join(dir, "hub.kubeconfig");
  await until(
    () => readFile(kubeconfigPath, "utf8").catch(() => ""),
    (text) => text !== "",
  );
  return { kubeconfigPath, ...(hub.child.pid === undefined ? {} : { pid: hub.child.pid }), stop: () => hub.end() };
}

async function startReal(): Promise<BenchHub> {
  const { kubeconfigPath, stop } = await startControlPlane();
  return { kubeconfigPath, stop };
}

/** Workspace, repository with a token, and the daemon; resolves when it has carried out its first commit. */
async function startFleet(api: KubeApi, kubeconfigPath: string, folder: string): Promise<BenchDaemon> {
  await installCrds(api, new AbortController().signal);
  const namespace = { apiVersion: "v1", kind: "Namespace" };
  const options = { fieldManager: "bench" };
  await api.create({ ...namespace, metadata: { name: "rollcall-system" } }, options);
  await api.create({ ...namespace, metadata: { name: workspace, labels: { [labelKeys.workspace]: "true" } } }, options);
  const repository = await createRepository(join(folder, "fleet.git"));
  const token = "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: { name: all }\n";
  await repository.commit({ files: { "token.yaml": token } });
  const daemon = startProgram([
    ...["run", "--repo", repository.path, "--kubeconfig", kubeconfigPath, "--metrics-address", "127.0.0.1:0"],
    ...["--workspaces", workspace, "--default-workspace", workspace, "--cache-dir", join(folder, "cache")],
  ]);
  await daemon.untilLine((line) => line.includes('"run finished"'));
  const serving = daemon.lines.find((line) => line.includes('"serving health and metrics"')) ?? "";
  const port = /"port":(\d+)/u.exec(serving)?.[1];
  const countCalls = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return text
      .split("\n")
      .filter((line) => line.startsWith("rollcall_hub_requests_total{"))
      .reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
  };
  return { ...daemon, countCalls };
}

async function tokenValues(api: KubeApi): Promise<string> {
  const secrets = await until(
    async () => (await api.list(resourceTypes.secret, { namespace: workspace })).items,
    (items) => items.some((secret) => textAt(secret, "data", "values") !== undefined),
  );
  const encoded = secrets.map((secret) => textAt(secret, "data", "values")).find((text) => text !== undefined);
  return Buffer.from(encoded ?? "", "base64").toString("utf8");
}

function startAgent(index: number, values: string, signal: AbortSignal) {
  const name = `edge-${index}`;
  const apis: KubeApi[] = [];
  const connectHub = hubConnector({});
  const text = JSON.stringify({ ...(JSON.parse(values) as object), cluster: { name, clientID: `client-${index}` } });
  const noted = { joined: (_atMs: number): void => undefined };
  const whenJoined = new Promise<number>((resolve) => (noted.joined = resolve));
  const ended = runAgent({
    downstreamApi: simulatedCluster({ uid: `uid-${index}`, agentNamespace: "rollcall-agent", values: text }),
    connectHub: (target) => {
      const api = connectHub(target);
      apis.push(api);
      return api;
    },
    followObject,
    runAsLeader: (work, leading) => work(leading),
    clock: realClock,
    random: realRandom,
    log: {
      ...silentLog,
      info: (message) => {
        if (message === "joined the hub") noted.joined(performance.now());
      },
    },
    signal,
    settings: { version: "0.1.0", namespace: "rollcall-agent", podName: name },
  });
  const countCalls = (): number =>
    apis.flatMap(({ requestCounts }) => [...requestCounts.values()]).reduce((sum, count) => sum + count, 0);
  return { whenJoined, ended, countCalls };
}

function isJoined(cluster: Cluster | undefined): boolean {
  return cluster?.status?.conditions?.some(({ type, status }) => type === "Joined" && status === "True") ?? false;
}

/** Seconds of processor of each process, which the load of the machine changes little. Source: proc(5), stat. */
async function cpuSecondsOf<Who extends string>(pids: Record<Who, number | undefined>): Promise<Record<Who, number>> {
  const seconds = async (pid: number | undefined): Promise<number> => {
    if (pid === undefined) return 0;
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const entries = Object.entries<number | undefined>(pids).map(
    async ([who, pid]) => [who, await seconds(pid)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Record<Who, number>;
}

async function residentMB(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid ?? 0}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(text)?.[1] ?? 0) / 1024);
}

function percentiles(name: string, timesMs: readonly number[]): Record<string, string> {
  const sorted = [...timesMs].sort((a, b) => a - b);
  const at = (share: number): string => ((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1000).toFixed(2);
  return { [`${name}P50`]: at(0.5), [`${name}P95`]: at(0.95) };
}

function print(what: string, facts: Record<string, unknown>): void {
  const fields = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
  process.stdout.write(`${what.padEnd(8)} ${fields.join("  ")}\n`);
}

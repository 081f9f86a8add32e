// A fleet at rest, on kube-apiserver: what heartbeats cost, how agents come back after an outage of the hub, and what a
// failover of the daemon costs. Sizes: ROLLCALL_BENCH_AGENTS, _IN_WORKSPACE, _MINUTES at rest, _OUTAGE_MINUTES. An agent has two
// connections: a kube-apiserver that may open 20,000 files takes 9,500 agents.
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeCache } from "../../src/kube/kube.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import type { ControlPlane } from "../support/control-plane.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { until } from "../support/until.ts";
import type { AgentsApart } from "./agents-apart.ts";
import { startAgentsApart } from "./agents-apart.ts";
import type { JoinDaemon, JoinHub } from "./joining-fleet.ts";
import {
  conditionStatus,
  prepareFleet,
  startJoinDaemon,
  tokenValues,
  totalOf,
  workspacesFor,
} from "./joining-fleet.ts";
import { cpuSeconds, print, residentMB } from "./serving-hub.ts";

const agentCount = Number(process.env.ROLLCALL_BENCH_AGENTS ?? "1000");
const inWorkspace = Number(process.env.ROLLCALL_BENCH_IN_WORKSPACE ?? "1000");
const restMinutes = Number(process.env.ROLLCALL_BENCH_MINUTES ?? "3");
const outageMinutes = Number(process.env.ROLLCALL_BENCH_OUTAGE_MINUTES ?? "2");
/** Two heartbeats of each agent: what follows a join is over. */
const settleMs = 120_000;
const longestMs = 1_800_000;

interface Living {
  readonly hub: JoinHub;
  readonly plane: ControlPlane;
  readonly repository: string;
  readonly agents: AgentsApart;
  readonly health: Health;
}

it.skipIf(!hasControlPlane())(`${agentCount} agents live`, { timeout: 4 * longestMs }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const plane = await startControlPlane();
  const api = apiOf(readKubeconfig(plane.kubeconfig));
  const hub: JoinHub = {
    api,
    kubeconfigPath: plane.kubeconfigPath,
    workspaces: workspacesFor(agentCount, inWorkspace),
    folder,
  };
  const repository = await prepareFleet(hub);
  const first = await startJoinDaemon(hub, repository, "first");
  const daemons = [first];
  let agents: AgentsApart | undefined;
  try {
    const health = await followHealth(hub);
    agents = await joinAll(hub, health);
    const fleet: Living = { hub, plane, repository, agents, health };
    await measureRest(fleet, first);
    await measureOutage(fleet, first);
    const second = await startJoinDaemon(hub, repository, "second");
    daemons.push(second);
    await measureFailover(first, second);
    await health.cache.stop();
  } finally {
    await agents?.stop();
    for (const daemon of daemons) await daemon.end("SIGKILL");
    await api.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

interface Health {
  readonly cache: KubeCache;
  /** Names of the Clusters whose condition Healthy is True now. */
  readonly healthy: ReadonlySet<string>;
  /** Names of those that were Unknown since this was emptied. */
  readonly unknown: Set<string>;
}

async function followHealth({ api }: JoinHub): Promise<Health> {
  const [healthy, unknown] = [new Set<string>(), new Set<string>()];
  const cache = startKubeCache(
    api,
    resourceTypes.cluster,
    {
      keepManagedFields: false,
      onChange: ({ ref: { name }, object }) => {
        const status = conditionStatus(object as Cluster | undefined, "Healthy");
        if (status === "True") healthy.add(name);
        else healthy.delete(name);
        if (status === "Unknown" && conditionStatus(object as Cluster | undefined, "Joined") === "True")
          unknown.add(name);
      },
    },
    { clock: realClock, random: realRandom },
  );
  await cache.whenSynced();
  return { cache, healthy, unknown };
}

async function joinAll(hub: JoinHub, health: Health): Promise<AgentsApart> {
  const values = await Promise.all(hub.workspaces.map((workspace) => tokenValues(hub, workspace)));
  const startMs = performance.now();
  const agents = await startAgentsApart(agentCount, (index) => values[index % values.length] ?? "");
  await untilAllHealthy(health);
  print("joined", { agents: agentCount, workspaces: hub.workspaces.length, seconds: secondsSince(startMs) });
  return agents;
}

async function measureRest({ plane, agents, health }: Living, daemon: JoinDaemon): Promise<void> {
  await pause(settleMs);
  health.unknown.clear();
  const pids = [daemon.pid, plane.pidOf("kube-apiserver"), plane.pidOf("etcd"), ...agents.pids];
  const look = async () => ({
    cpu: await Promise.all(pids.map(cpuSeconds)),
    calls: sumOf(await agents.calls()),
    own: await daemon.callsByVerb(),
    ms: performance.now(),
  });
  const before = await look();
  const memory = [await residentMB(daemon.pid)];
  for (let third = 0; third < 3; third++) {
    await pause((restMinutes * 60_000) / 3);
    memory.push(await residentMB(daemon.pid));
  }
  const after = await look();
  const seconds = (after.ms - before.ms) / 1000;
  const cores = after.cpu.map((total, index) => (total - (before.cpu[index] ?? 0)) / seconds);
  const [daemonCores = 0, apiServerCores = 0, etcdCores = 0, ...agentsCores] = cores;
  print("at rest", {
    agents: agentCount,
    minutes: (seconds / 60).toFixed(1),
    daemonCores: daemonCores.toFixed(3),
    apiServerCores: apiServerCores.toFixed(3),
    etcdCores: etcdCores.toFixed(3),
    agentsCores: sumOf(agentsCores).toFixed(3),
    daemonMB: memory.join(","),
    apiServerMB: await residentMB(plane.pidOf("kube-apiserver")),
    agentsMB: sumOf(await Promise.all(agents.pids.map(residentMB))),
    agentCallsPerSecond: ((after.calls - before.calls) / seconds).toFixed(1),
    daemonCallsPerSecond: ((totalOf(after.own) - totalOf(before.own)) / seconds).toFixed(2),
    becameUnknown: health.unknown.size,
    load: loadavg()[0]?.toFixed(1),
  });
}

/** The API server is killed, and is back on the same address after a while. */
async function measureOutage({ plane, agents, health }: Living, daemon: JoinDaemon): Promise<void> {
  const during = sumOf(await agents.calls());
  await plane.killApiServer();
  await pause(outageMinutes * 60_000);
  const triedPerAgent = (sumOf(await agents.calls()) - during) / agentCount;
  health.unknown.clear();
  const ownBefore = await daemon.callsByVerb();
  const cpuBefore = await cpuSeconds(daemon.pid);
  const startedMs = performance.now();
  await plane.startApiServer();
  const startSeconds = secondsSince(startedMs);
  const backMs = performance.now();
  const before = await agents.calls();
  const perSecond: number[] = [];
  const watching = new AbortController();
  const sampled = sampleCalls(agents, perSecond, watching.signal);
  // Each Cluster has reported it itself since the hub is back: two heartbeats of each agent.
  await pause(settleMs);
  const seconds = secondsSince(backMs);
  const notHealthy = agentCount - health.healthy.size;
  watching.abort();
  await sampled;
  const calls = (await agents.calls()).map((count, index) => count - (before[index] ?? 0));
  await untilAllHealthy(health);
  print("outage", {
    agents: agentCount,
    minutes: outageMinutes,
    triesPerAgent: triedPerAgent.toFixed(1),
    startSeconds,
    secondsAfter: seconds,
    notHealthyThen: notHealthy,
    secondsUntilAllHealthy: notHealthy === 0 ? `under ${seconds}` : secondsSince(backMs),
    becameUnknown: health.unknown.size,
    mostCallsOfAnAgent: Math.max(...calls),
    agentsWithoutACall: calls.filter((count) => count === 0).length,
    mostCallsInASecond: Math.max(...perSecond),
    daemonCalls: totalOf(await daemon.callsByVerb()) - totalOf(ownBefore),
    daemonCpuSeconds: ((await cpuSeconds(daemon.pid)) - cpuBefore).toFixed(1),
    daemonMB: await residentMB(daemon.pid),
  });
}

/** The daemon that leads is killed; the other one has waited for its Lease. */
async function measureFailover(first: JoinDaemon, second: JoinDaemon): Promise<void> {
  await pause(settleMs);
  const before = await second.callsByVerb();
  const cpuBefore = await cpuSeconds(second.pid);
  await first.end("SIGKILL");
  const killedMs = performance.now();
  await until(
    async () => second.lines.some((line) => line.includes('"run finished"')),
    (isRun) => isRun,
    longestMs,
  );
  const seconds = secondsSince(killedMs);
  const cpu = (await cpuSeconds(second.pid)) - cpuBefore;
  await pause(settleMs);
  const after = await second.callsByVerb();
  const calls = [...after].map(([verb, count]) => `${verb}:${count - (before.get(verb) ?? 0)}`).join(",");
  print("failover", {
    agents: agentCount,
    secondsUntilRunEnds: seconds,
    cpuUntilRunEnds: cpu.toFixed(1),
    callsInTheMinutesAfter: calls,
    cpuInTheMinutesAfter: ((await cpuSeconds(second.pid)) - cpuBefore).toFixed(1),
    MB: await residentMB(second.pid),
  });
}

async function sampleCalls(agents: AgentsApart, perSecond: number[], signal: AbortSignal): Promise<void> {
  for (let before = sumOf(await agents.calls()); !signal.aborted;) {
    const startMs = performance.now();
    await pause(1000);
    const now = sumOf(await agents.calls());
    perSecond.push(Math.round(((now - before) * 1000) / (performance.now() - startMs)));
    before = now;
  }
}

async function untilAllHealthy({ healthy }: Health): Promise<void> {
  await until(
    async () => healthy.size,
    (count) => count >= agentCount,
    longestMs,
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(1);
}

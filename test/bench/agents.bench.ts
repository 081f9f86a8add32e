import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";
import { conditionStatus, prepareFleet, startJoinDaemon, tokenValues, totalOf } from "./joining-fleet.ts";
import { startAgent, stopAll } from "./joining-agent.ts";
import { cpuSeconds, print, residentMB, workspace } from "./serving-hub.ts";

const agentCount = Number(process.env.ROLLCALL_BENCH_AGENTS ?? "1000");

interface BenchHub {
  readonly kubeconfigPath: string;
  /** Of the embedded one. */
  readonly pid?: number;
  readonly stop: () => Promise<unknown>;
}

// Agents that ask to join at once, by one token. Counted from the first agent's start: joined is an agent that holds its
// credential, Joined is a Cluster whose condition reports it.
describe(`${agentCount} agents at once`, () => {
  it("on the embedded hub", { timeout: 600_000 }, () => timeAgents(startEmbedded));
  it.skipIf(!hasControlPlane())("on kube-apiserver", { timeout: 600_000 }, () => timeAgents(() => startControlPlane()));
});

async function timeAgents(startHub: (folder: string) => Promise<BenchHub>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const { kubeconfigPath, pid, stop } = await startHub(folder);
  const api = apiOf(readKubeconfig(await readFile(kubeconfigPath, "utf8")));
  const hub = { api, kubeconfigPath, workspaces: [workspace], folder };
  const daemon = await startJoinDaemon(hub, await prepareFleet(hub), "cache");
  try {
    await daemon.untilLine((line) => line.includes('"run finished"'));
    const values = await tokenValues(hub, workspace);
    const joinedAt = new Map<string, number>();
    const joined = startKubeCache(
      api,
      resourceTypes.cluster,
      {
        namespace: workspace,
        onChange: ({ ref, object }) => {
          if (conditionStatus(object as Cluster | undefined, "Joined") === "True" && !joinedAt.has(ref.name))
            joinedAt.set(ref.name, performance.now());
        },
      },
      { clock: realClock, random: realRandom },
    );
    await joined.whenSynced();
    const load = loadavg()[0]?.toFixed(1);
    const callsBefore = totalOf(await daemon.callsByVerb());
    const pids = [pid, daemon.pid, process.pid];
    const cpuBefore = await Promise.all(pids.map(cpuOf));
    const start = performance.now();
    const agents = Array.from({ length: agentCount }, (_, index) => startAgent(index, values));
    const credentials = await Promise.all(agents.map(({ whenJoined }) => whenJoined));
    await until(
      async () => joinedAt.size,
      (count) => count >= agentCount,
      300_000,
    );
    const cpu = await Promise.all(pids.map(cpuOf));
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
      daemonCallsPerAgent: ((totalOf(await daemon.callsByVerb()) - callsBefore) / agentCount).toFixed(1),
      // Of the hub, the daemon and the agents.
      cpuSeconds: cpu.map((seconds, index) => (seconds - (cpuBefore[index] ?? 0)).toFixed(1)).join("+"),
      loadBefore: load,
      agentsMB: await residentMB(process.pid),
      daemonMB: await residentMB(daemon.pid),
    });
    await stopAll(agents);
    await joined.stop();
  } finally {
    await daemon.end();
    await api.close();
    await stop();
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

async function cpuOf(pid: number | undefined): Promise<number> {
  return pid === undefined ? 0 : cpuSeconds(pid);
}

function percentiles(name: string, timesMs: readonly number[]): Record<string, string> {
  const sorted = [...timesMs].sort((a, b) => a - b);
  const at = (share: number): string => ((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1000).toFixed(2);
  return { [`${name}P50`]: at(0.5), [`${name}P95`]: at(0.95) };
}

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { apiOf } from "../../src/cli/connect-hub.ts";
import { installCrds } from "../../src/cli/install-crds.ts";
import { installKubefleet } from "../../src/cli/install-kubefleet.ts";
import { realClock, realRandom } from "../../src/cli/real-clock.ts";
import { objectsAt } from "../../src/core/read-json.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { createRepository } from "../support/git-repositories.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";

const workspace = "fleet";
const counts = (process.env.ROLLCALL_BENCH_MEMBERS ?? "100,300").split(",").map(Number);
const beatingCount = Number(process.env.ROLLCALL_BENCH_BEATING ?? "1000");
const watchSeconds = Number(process.env.ROLLCALL_BENCH_SECONDS ?? "180");

// Members of KubeFleet's protocol that are created at once, from the first create until each MemberCluster is ReadyToJoin;
// and members whose agents beat every 60 s, with what the daemon needs for that. The daemon is a process of its own on a
// kube-apiserver; agents are simulated: each beat is one write of a whole status.
describe("members of KubeFleet's protocol, on kube-apiserver", () => {
  it.skipIf(!hasControlPlane())("are created at once", { timeout: 600_000 }, async () => {
    for (const count of counts) await withHub((hub) => timeReady(hub, count));
  });
  it.skipIf(!hasControlPlane())("beat every 60 s", { timeout: 1_800_000 }, () => withHub(measureBeats));
});

interface BenchHub {
  readonly api: KubeApi;
  readonly pid: number;
}

async function withHub(work: (hub: BenchHub) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const plane = await startControlPlane();
  const api = apiOf(readKubeconfig(await readFile(plane.kubeconfigPath, "utf8")));
  const { signal } = new AbortController();
  await installCrds(api, signal);
  await installKubefleet(api, signal);
  const namespace = { apiVersion: "v1", kind: "Namespace" };
  const options = { fieldManager: "bench" };
  await api.create({ ...namespace, metadata: { name: "rollcall-system" } }, options);
  await api.create({ ...namespace, metadata: { name: workspace, labels: { [labelKeys.workspace]: "true" } } }, options);
  const repository = await createRepository(join(folder, "fleet.git"));
  const token = "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: { name: all }\n";
  await repository.commit({ files: { "token.yaml": token } });
  const daemon = startProgram([
    ...["run", "--repo", repository.path, "--kubeconfig", plane.kubeconfigPath, "--serve-kubefleet"],
    ...["--workspaces", workspace, "--default-workspace", workspace, "--cache-dir", join(folder, "cache")],
  ]);
  try {
    await daemon.untilLine((line) => line.includes('"run finished"'));
    await work({ api, pid: daemon.child.pid ?? 0 });
    if (daemon.child.exitCode !== null) throw new Error("the daemon ended");
  } catch (error) {
    process.stdout.write(
      `exit ${daemon.child.exitCode} ${daemon.child.signalCode}\n${daemon.lines.slice(-20).join("\n")}\n`,
    );
    throw error;
  } finally {
    await daemon.end("SIGKILL");
    await api.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeReady({ api, pid }: BenchHub, count: number): Promise<void> {
  const ready = await followReady(api);
  const startMs = performance.now();
  const cpuBefore = await cpuSeconds(pid);
  await declareMembers(api, count);
  const createdMs = performance.now();
  await ready.whenAll(count);
  print("ready", {
    count,
    seconds: ((performance.now() - startMs) / 1000).toFixed(1),
    createSeconds: ((createdMs - startMs) / 1000).toFixed(1),
    daemonCpuSeconds: ((await cpuSeconds(pid)) - cpuBefore).toFixed(1),
    daemonMB: await residentMB(pid),
  });
  await ready.stop();
}

async function measureBeats({ api, pid }: BenchHub): Promise<void> {
  const ready = await followReady(api);
  await declareMembers(api, beatingCount);
  await ready.whenAll(beatingCount);
  await ready.stop();
  const beat = (index: number) => api.mergePatch(internalOf(index), { status: statusNow() }, beatOptions);
  for (let index = 0; index < beatingCount; index++) await beat(index);
  const beating = new AbortController();
  const rounds = sendBeats(beat, beating.signal);
  // The first beats bring every member to Joined; what is counted begins when that is over.
  await realClock.sleep(60_000);
  const [cpuBefore, startMs] = [await cpuSeconds(pid), performance.now()];
  await realClock.sleep(watchSeconds * 1000);
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = (await cpuSeconds(pid)) - cpuBefore;
  beating.abort();
  const beats = await rounds;
  print("beats", {
    members: beatingCount,
    watchedSeconds: seconds.toFixed(0),
    beatsPerSecond: (beats.sent / beats.seconds).toFixed(1),
    daemonMillicores: ((cpu / seconds) * 1000).toFixed(0),
    daemonMB: await residentMB(pid),
  });
}

const beatOptions = { fieldManager: "memberagent", subresource: "status" } as const;

function internalOf(index: number) {
  const name = memberName(index);
  return { type: resourceTypes.internalMemberCluster, namespace: `fleet-member-${name}`, name };
}

/** Beats evenly, each member once in 60 s. */
async function sendBeats(
  beat: (index: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<{ sent: number; seconds: number }> {
  const startMs = performance.now();
  let sent = 0;
  const passed = (): number => performance.now() - startMs;
  while (!signal.aborted) {
    const dueMs = (sent * 60_000) / beatingCount;
    if (dueMs > passed()) await realClock.sleep(dueMs - passed());
    await beat(sent % beatingCount);
    sent++;
  }
  return { sent, seconds: passed() / 1000 };
}

function statusNow() {
  const time = new Date().toISOString().replace(/\.\d{3}Z$/u, "Z");
  const condition = (type: string, reason: string) => {
    return { type, status: "True", reason, message: "", lastTransitionTime: "2030-01-01T00:00:00Z" };
  };
  return {
    agentStatus: [
      {
        type: "MemberAgent",
        conditions: [
          condition("Healthy", "InternalMemberClusterHealthy"),
          condition("Joined", "InternalMemberClusterJoined"),
        ],
        lastReceivedHeartbeat: time,
      },
    ],
    properties: { "kubernetes-fleet.io/node-count": { value: "3", observationTime: time } },
    resourceUsage: {
      capacity: { cpu: "8", memory: "16Gi" },
      allocatable: { cpu: "7800m", memory: "15Gi" },
      available: { cpu: "4", memory: "9Gi" },
      observationTime: time,
    },
  };
}

function memberName(index: number): string {
  return `member-${index}`;
}

async function declareMembers(api: KubeApi, count: number): Promise<void> {
  const members = Array.from({ length: count }, (_, index) => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: memberName(index), namespace: workspace },
    spec: { protocol: "kubefleet", kubefleet: { identity: { kind: "User", name: memberName(index) } } },
  }));
  const queue = members.values();
  const worker = async (): Promise<void> => {
    for (const member of queue) await api.create(member, { fieldManager: "bench" });
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

async function followReady(api: KubeApi) {
  const ready = new Set<string>();
  const cache = startKubeCache(
    api,
    resourceTypes.memberCluster,
    { onChange: ({ ref, object }) => (isReady(object) ? ready.add(ref.name) : undefined) },
    { clock: realClock, random: realRandom },
  );
  await cache.whenSynced();
  const whenAll = (count: number) =>
    until(
      async () => ready.size,
      (size) => size >= count,
      300_000,
    );
  return { whenAll, stop: () => cache.stop() };
}

function isReady(object: KubeObject | undefined): boolean {
  return objectsAt(object, "status", "conditions").some(
    ({ type, status }) => type === "ReadyToJoin" && status === "True",
  );
}

/** Seconds of CPU that a process has used. Source: Linux, proc(5): utime and stime, in hundredths. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function residentMB(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(text)?.[1] ?? 0) / 1024);
}

function print(what: string, facts: Record<string, unknown>): void {
  const fields = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
  process.stdout.write(`${what.padEnd(8)} ${fields.join("  ")}\n`);
}

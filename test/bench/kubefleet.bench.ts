import { loadavg } from "node:os";
import { describe, it } from "vitest";
import { installKubefleet } from "../../src/install/install-kubefleet.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { objectsAt } from "../../src/core/read-json.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { withOwnHubAgent } from "./kubefleet-own.ts";
import { cpuSecondsByProgram } from "../support/cpu-seconds.ts";
import { hasControlPlane } from "../support/control-plane.ts";
import { until } from "../support/until.ts";
import type { BenchHub } from "./serving-hub.ts";
import { cpuSeconds, describeCpu, print, residentMB, withServingHub, workspace } from "./serving-hub.ts";
import { declareObject } from "../support/declare-object.ts";

const counts = (process.env.ROLLCALL_BENCH_MEMBERS ?? "100,300").split(",").map(Number);
const beatingCount = Number(process.env.ROLLCALL_BENCH_BEATING ?? "1000");
const watchSeconds = Number(process.env.ROLLCALL_BENCH_SECONDS ?? "180");

// Members of KubeFleet's protocol that are created at once, from the first create until each MemberCluster is ReadyToJoin;
// and members whose agents send heartbeats every 60 s, with what the daemon needs for that. The daemon is a process of its own on a
// kube-apiserver; agents are simulated: each heartbeat is one write of a whole status. ROLLCALL_KUBEFLEET_HUBAGENT names the
// program of KubeFleet's hub agent, and ROLLCALL_KUBEFLEET_CRDS the folder with its definitions: then that one makes members
// ready, too, in turn with the daemon, and its limits of requests are lifted.
describe("members of KubeFleet's protocol, on kube-apiserver", () => {
  it.skipIf(!hasControlPlane())("are created at once", { timeout: 600_000 }, async () => {
    for (const count of counts) {
      await withHub(({ api, pid }) => timeReady(api, { count, pid, declare: declareMembers }));
      await withOwnHubAgent((api, pid) => timeReady(api, { count, pid, declare: declareMemberClusters }));
    }
  });
  it.skipIf(!hasControlPlane())("send heartbeats every 60 s", { timeout: 1_800_000 }, () => withHub(measureBeats));
});

const withHub = (work: (hub: BenchHub) => Promise<void>) => withServingHub("--serve-kubefleet", installKubefleet, work);

interface Timed {
  readonly count: number;
  /** Of the daemon, or of KubeFleet's hub agent. */
  readonly pid: number;
  readonly declare: (api: KubeApi, names: readonly string[]) => Promise<void>;
}

async function timeReady(api: KubeApi, { count, pid, declare }: Timed): Promise<void> {
  const ready = await followReady(api);
  // The first object of a kind costs an API server that was just started a second.
  await declare(api, ["first"]);
  await ready.whenAll(1);
  const load = loadavg()[0]?.toFixed(1);
  const startMs = performance.now();
  const before = cpuSecondsByProgram();
  await declare(api, memberNames(count));
  const createdMs = performance.now();
  await ready.whenAll(count + 1);
  print("ready", {
    count,
    seconds: ((performance.now() - startMs) / 1000).toFixed(1),
    createSeconds: ((createdMs - startMs) / 1000).toFixed(1),
    loadBefore: load,
    cpuSeconds: describeCpu(before, cpuSecondsByProgram()),
    MB: await residentMB(pid),
  });
  await ready.stop();
}

async function measureBeats({ api, pid }: BenchHub): Promise<void> {
  const ready = await followReady(api);
  await declareMembers(api, memberNames(beatingCount));
  await ready.whenAll(beatingCount);
  await ready.stop();
  const heartbeat = (index: number) => api.mergePatch(internalOf(index), { status: statusNow() }, beatOptions);
  for (let index = 0; index < beatingCount; index++) await heartbeat(index);
  const beating = new AbortController();
  const rounds = sendBeats(heartbeat, beating.signal);
  // The first heartbeats bring every member to Joined; what is counted begins when that is over.
  await realClock.sleep(60_000);
  const [cpuBefore, startMs] = [await cpuSeconds(pid), performance.now()];
  await realClock.sleep(watchSeconds * 1000);
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = (await cpuSeconds(pid)) - cpuBefore;
  beating.abort();
  const heartbeats = await rounds;
  print("beats", {
    members: beatingCount,
    watchedSeconds: seconds.toFixed(0),
    beatsPerSecond: (heartbeats.sent / heartbeats.seconds).toFixed(1),
    daemonMillicores: ((cpu / seconds) * 1000).toFixed(0),
    daemonMB: await residentMB(pid),
  });
}

const beatOptions = { fieldManager: "memberagent", subresource: "status" } as const;

function internalOf(index: number) {
  const name = memberName(index);
  return { type: resourceTypes.internalMemberCluster, namespace: `fleet-member-${name}`, name };
}

/** Heartbeats spread evenly, each member once in 60 s. */
async function sendBeats(
  heartbeat: (index: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<{ sent: number; seconds: number }> {
  const startMs = performance.now();
  let sent = 0;
  const passed = (): number => performance.now() - startMs;
  while (!signal.aborted) {
    const dueMs = (sent * 60_000) / beatingCount;
    if (dueMs > passed()) await realClock.sleep(dueMs - passed());
    await heartbeat(sent % beatingCount);
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

function memberNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => memberName(index));
}

function declareMembers(api: KubeApi, names: readonly string[]): Promise<void> {
  const members = names.map((name) => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: workspace },
    spec: { protocol: "kubefleet", kubefleet: { identity: { kind: "User", name } } },
  }));
  return declareAll(api, members);
}

function declareMemberClusters(api: KubeApi, names: readonly string[]): Promise<void> {
  const members = names.map((name) => ({
    apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
    kind: "MemberCluster",
    metadata: { name },
    spec: { identity: { kind: "User", name } },
  }));
  return declareAll(api, members);
}

async function declareAll(api: KubeApi, members: readonly KubeObject[]): Promise<void> {
  const queue = members.values();
  const worker = async (): Promise<void> => {
    for (const member of queue) await declareObject(api, member);
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

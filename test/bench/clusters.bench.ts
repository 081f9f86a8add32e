import { it } from "vitest";
import type { KubeApi } from "../../src/kube/kube.ts";
import { fieldManagers } from "../../src/model/well-known.ts";
import { openDaemonSession } from "../contract/daemon/daemon-session.ts";
import type { RunReport } from "../../src/reconcile/reconciler-options.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";

const clusterCount = Number(process.env.ROLLCALL_BENCH_CLUSTERS ?? "5000");
const roundCount = Number(process.env.ROLLCALL_BENCH_ROUNDS ?? "3");
const concurrency = 16;

// New Clusters on a real kube-apiserver: a commit that the daemon carries out, beside a loop that applies the same objects
// and does nothing else. Both are timed in turns, each time on a hub of their own.
it.skipIf(!hasControlPlane())(`${clusterCount} new Clusters`, { timeout: 1_200_000 }, async () => {
  const ratios: { readonly writes: number; readonly all: number }[] = [];
  for (let round = 0; round < roundCount; round++) {
    const bare = await onFreshHub(timeBareLoop);
    const { phasesMs, applied, settled } = await onFreshHub(timeDaemon);
    const execute = (phasesMs.execute ?? 0) / 1000;
    ratios.push({ writes: execute / bare, all: applied / bare });
    print("round", {
      bareSeconds: bare.toFixed(2),
      barePerSecond: Math.round(clusterCount / bare),
      read: ((phasesMs.read ?? 0) / 1000).toFixed(2),
      plan: ((phasesMs.plan ?? 0) / 1000).toFixed(2),
      execute: execute.toFixed(2),
      fromPushToLast: applied.toFixed(2),
      ratioOfWrites: (execute / bare).toFixed(2),
      ratioOfAll: (applied / bare).toFixed(2),
      untilSettled: settled.toFixed(2),
    });
  }
  print("median", {
    ratioOfWrites: median(ratios.map(({ writes }) => writes)),
    ratioOfAll: median(ratios.map(({ all }) => all)),
  });
});

async function onFreshHub<T>(time: (kubeconfig: string) => Promise<T>): Promise<T> {
  const plane = await startControlPlane();
  try {
    return await time(plane.kubeconfig);
  } finally {
    await plane.stop();
  }
}

/** Seconds that it takes to apply the Clusters, several at a time, by the daemon's own client. */
async function timeBareLoop(kubeconfig: string): Promise<number> {
  const session = await openDaemonSession({ kubeconfig, stop: () => Promise.resolve() });
  const { api, workspace } = session;
  try {
    await applyOne(api, workspace, clusterCount);
    const start = performance.now();
    const indexes = Array.from({ length: clusterCount }, (_, index) => index).values();
    const worker = async (): Promise<void> => {
      for (const index of indexes) await applyOne(api, workspace, index);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return (performance.now() - start) / 1000;
  } finally {
    await session.close();
  }
}

async function applyOne(api: KubeApi, namespace: string, index: number): Promise<void> {
  await api.apply(
    {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: nameOf(index), namespace, labels: { value: "a" } },
      spec: { displayName: `Cluster ${index}` },
    },
    { fieldManager: fieldManagers.git },
  );
}

interface DaemonTimes {
  readonly phasesMs: RunReport["phasesMs"];
  /** Seconds from the moment the daemon reads a pushed commit until the last Cluster is applied. */
  readonly applied: number;
  /** Seconds until the status commit was pushed and every member has its objects. */
  readonly settled: number;
}

async function timeDaemon(kubeconfig: string): Promise<DaemonTimes> {
  const session = await openDaemonSession({ kubeconfig, stop: () => Promise.resolve() });
  try {
    await session.repository.commit({ files: { "README.md": "empty\n" }, message: "Start\n" });
    await session.startDaemon();
    await session.settle();
    const files: Record<string, string> = {};
    for (let index = 0; index < clusterCount; index++)
      files[`clusters/${Math.floor(index / 100)}/${nameOf(index)}.yaml`] = fileOf(index);
    await session.repository.commit({ files, message: "Add the clusters\n" });
    const applied = session.log.untilLine((line) => line.startsWith("info change applied"));
    const start = performance.now();
    const settled = session.settle();
    await applied;
    const appliedMs = performance.now() - start;
    const { phasesMs } = await settled;
    return { phasesMs, applied: appliedMs / 1000, settled: (performance.now() - start) / 1000 };
  } finally {
    await session.close();
  }
}

function median(values: readonly number[]): string {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]?.toFixed(2) ?? "";
}

function nameOf(index: number): string {
  return `c${index}`;
}

function fileOf(index: number): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${nameOf(index)}\n  labels:\n    value: a\nspec:\n  displayName: Cluster ${index}\n`;
}

function print(what: string, facts: Record<string, unknown>): void {
  process.stdout.write(
    `${what.padEnd(8)} ${Object.entries(facts)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join("  ")}\n`,
  );
}

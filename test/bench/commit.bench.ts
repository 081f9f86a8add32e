import { it } from "vitest";
import type { RunReport } from "../../src/reconcile/reconciler-options.ts";
import { openDaemonSession } from "../contract/daemon/daemon-session.ts";
import { embeddedHub } from "../support/hub-under-test.ts";

const clusterCount = Number(process.env.ROLLCALL_BENCH_CLUSTERS ?? "10000");

// A commit that changes one file of many: what it costs in parses, writes and time, from push to hub and to status branch.
it(`one changed file of ${clusterCount}`, { timeout: 1_800_000 }, async () => {
  const session = await openDaemonSession(await embeddedHub());

  try {
    const files: Record<string, string> = {};
    for (let index = 0; index < clusterCount; index++)
      files[`clusters/${Math.floor(index / 100)}/c${index}.yaml`] = file(index, "a");
    await session.repository.commit({ files, message: "Start\n" });
    const coldStart = performance.now();
    await session.startDaemon();
    const first = await session.settle();
    print("first commit", { seconds: seconds(coldStart), changes: first.changeCount, parsed: first.parsedCount });
    for (let round = 0; round < 5; round++) {
      const index = (round * 7919) % clusterCount;
      await session.repository.commit({
        files: { [`clusters/${Math.floor(index / 100)}/c${index}.yaml`]: file(index, `r${round}`) },
      });
      const start = performance.now();
      const writesBefore = session.api.requestCounts.get("apply") ?? 0;
      const report = await session.settle();
      print("one file", {
        milliseconds: Math.round(performance.now() - start),
        parsed: report.parsedCount,
        changes: report.changeCount,
        ...phasesOf(report.phasesMs),
        applies: (session.api.requestCounts.get("apply") ?? 0) - writesBefore,
        statusCommit: report.statusCommit?.slice(0, 8),
      });
    }
    print("memory", { residentMB: Math.round(process.memoryUsage().rss / 2 ** 20) });
  } finally {
    await session.close();
  }
});

function file(index: number, value: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: c${index}\n  labels:\n    value: ${value}\nspec:\n  displayName: Cluster ${index}\n`;
}

function phasesOf(phasesMs: RunReport["phasesMs"]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(phasesMs).map(([phase, durationMs]) => [`${phase}Ms`, Math.round(durationMs)]),
  );
}

function seconds(startMs: number): number {
  return Math.round((performance.now() - startMs) / 100) / 10;
}

function print(what: string, facts: Record<string, unknown>): void {
  process.stdout.write(
    `${what.padEnd(14)} ${Object.entries(facts)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join("  ")}\n`,
  );
}

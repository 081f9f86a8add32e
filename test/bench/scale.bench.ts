import { it } from "vitest";
import type { DaemonSession } from "../contract/daemon/daemon-session.ts";
import { openDaemonSession } from "../contract/daemon/daemon-session.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import { oneLabel, scaleFleet } from "../support/scale-fleet.ts";

const clusterCount = Number(process.env.ROLLCALL_BENCH_CLUSTERS ?? "10000");
const pushCount = Number(process.env.ROLLCALL_BENCH_PUSHES ?? "9");
/** Requests stay as many for so long: no work is left. */
const calmMs = 2000;

// What one push costs among many clusters, with 20 rules and 50 groups; then a restart. Daemon and embedded hub are in this process,
// so that each number of CPU has both.
it(`one change among ${clusterCount}`, { timeout: 1_800_000 }, async () => {
  const session = await openDaemonSession(await embeddedHub());
  try {
    await session.repository.commit({ files: scaleFleet(clusterCount), message: "Start\n" });
    await session.startDaemon();
    const first = await session.settle();
    print("first status commit: milliseconds", "under 2000", `${Math.round(first.phasesMs.writeBack ?? NaN)}`);
    await untilCalm(session);
    // What the first commit wrote is reconciled as a whole once more.
    await push(session, 0);
    const pushes: Push[] = [];
    for (let round = 1; round <= pushCount; round++) pushes.push(await push(session, round));
    const median = (of: (each: Push) => number): number =>
      pushes.map(of).sort((a, b) => a - b)[Math.floor(pushCount / 2)] ?? NaN;
    print(
      "one label: objects visited by planning",
      "at most 3",
      `${Math.max(...pushes.map(({ visited }) => visited))}`,
    );
    print("one label: files parsed", "1", `${Math.max(...pushes.map(({ parsed }) => parsed))}`);
    print(
      "one label: milliseconds to read and to plan",
      "",
      `${median(({ read }) => read)}, ${median(({ plan }) => plan)}`,
    );
    print("one label: milliseconds for the status commit", "under 300", `${median(({ writeBack }) => writeBack)}`);
    print(
      "one label: ms of CPU until its run ends, daemon and hub",
      "under 30 (daemon)",
      `${median(({ cpuMs }) => cpuMs)}`,
    );
    await session.stopDaemon();
    const writesBefore = countWrites(session);
    const start = performance.now();
    const cpu = process.cpuUsage();
    await session.startDaemon();
    const report = await session.settle();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    print("restart: writes of the daemon's run", "0", `${report.changeCount}`);
    print("restart: seconds until the newest commit is served", "under 5", seconds);
    await untilCalm(session);
    print("restart: writes until all is calm", "0", `${countWrites(session) - writesBefore}`);
    print("restart: seconds of CPU until all is calm, daemon and hub", "", `${Math.round(cpuMs(cpu) / 100) / 10}`);
    print("memory, daemon and hub (MB)", "", `${Math.round(process.memoryUsage().rss / 2 ** 20)}`);
  } finally {
    await session.close();
  }
});

interface Push {
  readonly visited: number;
  readonly parsed: number;
  readonly cpuMs: number;
  readonly read: number;
  readonly plan: number;
  readonly writeBack: number;
}

async function push(session: DaemonSession, round: number): Promise<Push> {
  await session.repository.commit({ files: oneLabel(clusterCount, round) });
  const before = process.cpuUsage();
  const { visitedCount, parsedCount, phasesMs } = await session.settle();
  const used = cpuMs(before);
  await untilCalm(session);
  return {
    visited: visitedCount ?? clusterCount,
    parsed: parsedCount,
    cpuMs: used,
    read: Math.round(phasesMs.read ?? 0),
    plan: Math.round(phasesMs.plan ?? 0),
    writeBack: Math.round(phasesMs.writeBack ?? 0),
  };
}

async function untilCalm(session: DaemonSession): Promise<void> {
  for (let before = -1, now = countWrites(session); now !== before; now = countWrites(session)) {
    before = now;
    await session.whenIdle();
    await new Promise((resolve) => setTimeout(resolve, calmMs));
  }
}

/** Lines of the daemon's log that report a write. */
function countWrites({ log }: DaemonSession): number {
  return log.lines.filter((line) => line.includes("change applied")).length;
}

function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}

function print(question: string, wanted: string, seen: string): void {
  process.stdout.write(`${question.padEnd(58)} wanted ${wanted.padEnd(18)} seen ${seen}\n`);
}

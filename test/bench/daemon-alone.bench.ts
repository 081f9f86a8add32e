// What one label and a restart cost the daemon alone: hub and daemon are processes of their own. CPU seconds decide.
// With ROLLCALL_BENCH_FOLDER the fleet is made there once and used again, and ROLLCALL_PROFILE_DIR gets a profile of each daemon.
// With ROLLCALL_BENCH_HUB=kube-apiserver the hub is that one, and the fleet is always a new one.
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { defaultStatusBranch } from "../../src/reconcile/status-branches.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, repositoryAt, runGit } from "../support/git-repositories.ts";
import { runRollcall } from "../support/rollcall-process.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";
import { oneLabel, scaleFleet } from "../support/scale-fleet.ts";
import { cpuSeconds, cpuSecondsOfEnded, print, residentMB } from "./serving-hub.ts";
import { neverAborted } from "../support/never-aborted.ts";

const clusterCount = Number(process.env.ROLLCALL_BENCH_CLUSTERS ?? "10000");
const pushCount = Number(process.env.ROLLCALL_BENCH_PUSHES ?? "200");
const isKubeApiserver = process.env.ROLLCALL_BENCH_HUB === "kube-apiserver";
const keptFolder = isKubeApiserver ? undefined : process.env.ROLLCALL_BENCH_FOLDER;
/** A fleet that is used again has the labels of earlier rounds. */
const firstRound = keptFolder === undefined ? 0 : Date.now();
/** CPU stays nearly the same for so long: no work is left. */
const calmMs = 2000;
/** What leader election, renewed watches and the collection of garbage may cost in that time, on a slow machine too. */
const calmSeconds = 0.1;
const workspace = "fleet";
const statusBranch = `refs/heads/${defaultStatusBranch}`;

interface Fleet {
  readonly kubeconfigPath: string;
  readonly repository: TestRepository;
  readonly cacheDir: string;
  /** Of the hub. */
  readonly pid: number;
}

it(`the daemon alone among ${clusterCount}`, { timeout: 3_600_000 }, async () => {
  const folder = keptFolder ?? (await mkdtemp(join(tmpdir(), "rollcall-bench-")));
  const hub = isKubeApiserver ? await startKubeApiserver() : await startEmbeddedHub(folder);
  try {
    const fleet = await openFleet(folder, hub);
    if ((await fleet.repository.head()) === undefined) await fillFleet(fleet);
    const daemon = await measureRestart(fleet);
    await measurePushes(fleet, daemon);
    await measureStatusCommit(fleet);
    await measurePlan(fleet);
    await measureRest(daemon);
    // A profile is written by a process that ends by itself.
    await daemon.end();
  } finally {
    await hub.stop();
    if (keptFolder === undefined) await rm(folder, { recursive: true, force: true });
  }
});

interface Hub {
  readonly kubeconfigPath: string;
  readonly pid: number;
  readonly stop: () => Promise<unknown>;
}

async function startEmbeddedHub(folder: string): Promise<Hub> {
  const hub = startProgram(["hub", "--dir", join(folder, "hub")]);
  await hub.untilLine((line) => line.includes("The hub is ready"));
  return { kubeconfigPath: join(folder, "hub/hub.kubeconfig"), pid: pidOf(hub), stop: () => hub.end() };
}

async function startKubeApiserver(): Promise<Hub> {
  const { kubeconfigPath, pidOf: pidOfProgram, stop } = await startControlPlane();
  return { kubeconfigPath, pid: pidOfProgram("kube-apiserver"), stop };
}

async function openFleet(folder: string, { kubeconfigPath, pid }: Hub): Promise<Fleet> {
  const api = apiOf(readKubeconfig(await readFile(kubeconfigPath, "utf8")));
  await installCrds(api, neverAborted());
  const isWorkspace = { [labelKeys.workspace]: "true" };
  for (const metadata of [{ name: "rollcall-system" }, { name: workspace, labels: isWorkspace }])
    await api.apply({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "bench" });
  await api.close();
  const path = join(folder, "fleet.git");
  const isNew = (await mkdir(path, { recursive: true })) !== undefined;
  const repository = isNew ? await createRepository(path) : repositoryAt(path);
  return { kubeconfigPath, repository, cacheDir: join(folder, "cache"), pid };
}

function startDaemon({ repository, kubeconfigPath, cacheDir }: Fleet): RunningProgram {
  return startProgram([
    ...["run", "--repo", repository.path, "--kubeconfig", kubeconfigPath, "--log-level", "debug"],
    ...["--workspaces", workspace, "--default-workspace", workspace, "--cache-dir", cacheDir],
  ]);
}

/** The first commit, until no work is left. */
async function fillFleet(fleet: Fleet): Promise<void> {
  await fleet.repository.commit({ files: scaleFleet(clusterCount), message: "Start\n" });
  const daemon = startDaemon(fleet);
  const head = await fleet.repository.head();
  await untilApplied(daemon, head);
  print("first status commit", { ms: writeBackMsOf(daemon, head) });
  await untilCalm(daemon);
  print("filled", { cpuSeconds: (await cpuSeconds(pidOf(daemon))).toFixed(1), MB: await residentMB(pidOf(daemon)) });
  await daemon.end();
}

async function measureRestart(fleet: Fleet): Promise<RunningProgram> {
  const load = loadavg()[0]?.toFixed(1);
  // A commit that no daemon has seen.
  await fleet.repository.commit({ files: oneLabel(clusterCount, Date.now()) });
  const startMs = performance.now();
  const daemon = startDaemon(fleet);
  await untilPrinted(daemon, (line) => line.includes("change applied"));
  const onHub = { seconds: (performance.now() - startMs) / 1000, cpu: await cpuSeconds(pidOf(daemon)) };
  await untilApplied(daemon, await fleet.repository.head());
  const run = { seconds: (performance.now() - startMs) / 1000, cpu: await cpuSeconds(pidOf(daemon)) };
  await untilCalm(daemon);
  print("restart", {
    secondsUntilOnHub: onHub.seconds.toFixed(1),
    cpuUntilOnHub: onHub.cpu.toFixed(2),
    secondsUntilRunEnds: run.seconds.toFixed(1),
    cpuUntilRunEnds: run.cpu.toFixed(2),
    cpuUntilCalm: (await cpuSeconds(pidOf(daemon))).toFixed(2),
    // One for the label of the new commit.
    writes: daemon.lines.filter((line) => line.includes("change applied")).length,
    MB: await residentMB(pidOf(daemon)),
    load,
  });
  return daemon;
}

async function measurePushes(fleet: Fleet, daemon: RunningProgram): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  // The first plan after a restart is a whole one.
  await push(fleet, daemon, firstRound);
  const before = { daemon: await cpuSeconds(pidOf(daemon)), hub: await cpuSeconds(fleet.pid) };
  const fromNs = process.hrtime.bigint();
  const seen: Pushed[] = [];
  for (let round = 1; round <= pushCount; round++) seen.push(await push(fleet, daemon, firstRound + round));
  const perPush = (from: number, to: number): string => `${Math.round(((to - from) * 1000) / pushCount)}`;
  const cpus = seen.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  const times = seen.map(({ appliedMs }) => appliedMs).sort((a, b) => a - b);
  print("pushes", {
    count: pushCount,
    cpuMsEach: perPush(before.daemon, await cpuSeconds(pidOf(daemon))),
    cpuMsMedian: cpus[Math.floor(pushCount / 2)],
    hubCpuMsEach: perPush(before.hub, await cpuSeconds(fleet.pid)),
    msUntilRunEnds: Math.round(times[Math.floor(pushCount / 2)] ?? NaN),
    msUntilRunEndsP99: Math.round(times[Math.ceil(pushCount * 0.99) - 1] ?? NaN),
    MB: await residentMB(pidOf(daemon)),
    load,
    ...(process.env.ROLLCALL_PROFILE_DIR ? { fromNs, toNs: process.hrtime.bigint() } : {}),
  });
}

/** What the status commit of the last push added, as it lies on the disk. */
async function measureStatusCommit({ repository }: Fleet): Promise<void> {
  const range = `${statusBranch}~1..${statusBranch}`;
  const bytes = Number(await runGit(repository.path, ["rev-list", "--objects", "--disk-usage", range]));
  print("status commit", { kB: Math.round(bytes / 1000) });
}

/** `rollcall plan` of one label on a branch, as a person runs it beside the daemon: the first time, and again. */
async function measurePlan({ repository, kubeconfigPath, cacheDir }: Fleet): Promise<void> {
  const files = oneLabel(clusterCount, firstRound + pushCount + 1);
  await repository.commit({ branch: "change", from: (await repository.head()) ?? null, files });
  const flags = [
    "--repo",
    repository.path,
    "--branch",
    "change",
    "--kubeconfig",
    kubeconfigPath,
    "--cache-dir",
    cacheDir,
  ];
  const planOnce = async (): Promise<string> => {
    const before = await cpuSecondsOfEnded();
    const { code, stdout, stderr } = await runRollcall(["plan", ...flags]);
    if (code !== 0 || !stdout.includes("changes 1 cluster")) throw new Error(stdout + stderr);
    return ((await cpuSecondsOfEnded()) - before).toFixed(2);
  };
  print("plan", { cpuSecondsFirst: await planOnce(), cpuSeconds: await planOnce() });
}

/** What the daemon costs when nothing happens, in the time of as many pushes. */
async function measureRest(daemon: RunningProgram): Promise<void> {
  const before = await cpuSeconds(pidOf(daemon));
  const restMs = 30_000;
  await pause(restMs);
  const cores = (((await cpuSeconds(pidOf(daemon))) - before) * 1000) / restMs;
  print("at rest", { millicores: Math.round(cores * 1000) });
}

interface Pushed {
  readonly cpuMs: number;
  readonly appliedMs: number;
}

/** One label of one file, until a while after its run. */
async function push({ repository }: Fleet, daemon: RunningProgram, round: number): Promise<Pushed> {
  const before = await cpuSeconds(pidOf(daemon));
  const startMs = performance.now();
  await untilApplied(daemon, await repository.commit({ files: oneLabel(clusterCount, round) }));
  const appliedMs = performance.now() - startMs;
  await pause(pauseMs);
  return { cpuMs: Math.round(((await cpuSeconds(pidOf(daemon))) - before) * 1000), appliedMs };
}

/** Until the members have followed: what they have become is reported a second after the last change. */
const pauseMs = 1500;

async function untilApplied(daemon: RunningProgram, head: string | undefined): Promise<void> {
  await untilPrinted(daemon, (line) => isRunOf(line, head));
}

function isRunOf(line: string, head: string | undefined): boolean {
  return line.includes('"run finished"') && line.includes(`"commit":"${head}"`);
}

/** How long the run of a commit took for its status commit. */
function writeBackMsOf({ lines }: RunningProgram, head: string | undefined): number {
  const report = JSON.parse(lines.find((line) => isRunOf(line, head)) ?? "{}") as {
    phasesMs?: Record<string, number>;
  };
  return Math.round(report.phasesMs?.writeBack ?? NaN);
}

async function untilPrinted(daemon: RunningProgram, isWanted: (line: string) => boolean): Promise<void> {
  await until(
    () => Promise.resolve(daemon.lines.some(isWanted)),
    (isApplied) => isApplied,
    600_000,
  );
}

async function untilCalm(daemon: RunningProgram): Promise<void> {
  for (let before = -1, now = await cpuSeconds(pidOf(daemon)); now - before > calmSeconds;) {
    await pause(calmMs);
    before = now;
    now = await cpuSeconds(pidOf(daemon));
  }
}

function pidOf({ child }: RunningProgram): number {
  return child.pid ?? 0;
}

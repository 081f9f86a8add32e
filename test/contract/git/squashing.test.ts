import { chmod, writeFile } from "node:fs/promises";
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FleetSummary } from "../../../src/model/generated/fleet-summary.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { initialState, openRunScope } from "../../../src/reconcile/run-scope.ts";
import type { LastWrite, RunScope } from "../../../src/reconcile/run-scope.ts";
import type { RecordedRun, StatusRecorder } from "../../../src/reconcile/status-recorder.ts";
import { StatusBranch } from "../../../src/reconcile/write-back.ts";
import { writeStatusBranch } from "../../../src/reconcile/write-status-branch.ts";
import { findSignedStatus } from "../../../src/recovery/find-signed-status.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { StatusFiles } from "../../../src/planning/status-files.ts";
import { collectLines } from "../../support/collect-lines.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import { describeEngines } from "./engines.ts";
import type { Remote } from "./engines.ts";

const branch = "rollcall/status";
const past = "rollcall/status-past";
const dayMs = 86_400_000;
const startMs = Date.parse("2026-01-01T00:00:00Z");
const trustKey = createPrivateKey(makeTrustKey());
const publicKey = createPublicKey(trustKey);
const commitOfOther = { branch, files: { "note.txt": "of a person" } };

/** A daemon that keeps the last 30 days, and writes one status commit on a call. */
async function startDaemon(remote: Remote, wrap: (git: GitEngine) => GitEngine = (git) => git) {
  const git = wrap(await remote.open());
  const statusBranch = new StatusBranch(git);
  const { log, lines } = collectLines();
  let lastWrite: LastWrite = initialState.lastWrite;
  return {
    git,
    lines,
    write: async (day: number, more: { readonly history?: number } = { history: 30 }): Promise<RunScope> => {
      const scope = scopeOf(more, lastWrite);
      const nowMs = startMs + day * dayMs;
      const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: () => new Promise<void>(() => undefined) };
      const recorder = { record: (run: RecordedRun) => recordDay(day, run) };
      const ports = { recorder: recorder as unknown as StatusRecorder, statusBranch, hubFacts, clock, log };
      await writeStatusBranch(scope, ports);
      ({ lastWrite } = scope);
      return scope;
    },
  };
}

function scopeOf(more: object, lastWrite: LastWrite): RunScope {
  const writeBack = { interval: "1s", ...more };
  const repository = {
    ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: { name: "fleet", namespace: "system" } },
    ...{ spec: { url: "https://git.example.org/fleet.git", writeBack }, status: { observedCommit: "source" } },
  };
  const { signal } = new AbortController();
  const start = { repository: repository as never, reason: "report" as const, signal, startedAtMs: 0 };
  return openRunScope({ ...start, isFollowing: false }, { ...initialState, lastWrite });
}

const hubFacts = () =>
  ({ hubId: "hub-1", trust: { epoch: 1, sign: (payload: Uint8Array) => sign(null, payload, trustKey) } }) as never;

/** The records of a fleet whose state has the number of the day. */
function recordDay(day: number, { history }: RecordedRun) {
  const counts = { clusters: day, ready: day };
  const summary = { kind: "FleetSummary", counts, ...(history ? { history } : {}) } as FleetSummary;
  const files = new StatusFiles();
  files.set("summary.yaml", toYamlFile(summary));
  return { files, summary };
}

/** Days that can be read, oldest first: those of the past, and those of the branch. */
async function daysOf({ repository }: Remote) {
  const read = async (name: string): Promise<number[]> => {
    if ((await repository.head(name)) === undefined) return [];
    const subjects = (await repository.git("log", "--reverse", "--format=%s", name)).trim().split("\n");
    return subjects.flatMap((subject) => /^status: ([0-9.]+) of/u.exec(subject)?.[1] ?? []).map(Number);
  };
  return { past: await read(past), here: await read(branch) };
}

async function expectSigned(git: GitEngine, head: string): Promise<void> {
  const found = await findSignedStatus({ git, head, publicKey, hubId: "hub-1", repository: "system.fleet" });
  expect(found).toMatchObject({ kind: "signed", commit: head });
}

describeEngines("the history of the status branch", ({ setUp, transport }) => {
  it("keeps at least the days that are asked for, signed, and never loses the newest", async () => {
    const remote = await setUp();
    const daemon = await startDaemon(remote);
    for (let day = 0; day <= 95; day += 5) {
      const { statusCommit = "", writeBackError } = await daemon.write(day);
      expect(writeBackError).toBeUndefined();
      const { past: before, here } = await daysOf(remote);
      expect(here.at(-1)).toBe(day);
      expect(await remote.repository.git("show", `${branch}:summary.yaml`)).toContain(`ready: ${day}\n`);
      const all = [...before, ...here];
      expect(all[0]).toBeLessThanOrEqual(Math.max(0, day - 30));
      expect(all).toEqual(Array.from(all, (_, index) => (all[0] ?? 0) + index * 5));
      await expectSigned(daemon.git, statusCommit);
    }
    expect(await daysOf(remote)).toEqual({ past: [60, 65, 70, 75, 80, 85], here: [90, 95] });
    const root = (await remote.repository.git("rev-list", "--max-parents=0", branch)).trim();
    const before = await remote.repository.head(past);
    const message = await remote.repository.git("log", "-1", "--format=%B", root);
    expect(message).toContain(`Rollcall-Source-Commit: source\nRollcall-Continues: ${before ?? ""}\n`);
    expect(await remote.repository.git("show", `${branch}:summary.yaml`)).toContain(
      `history:\n  since: 2026-04-01T00:00:00Z\n  after: ${before ?? ""}\n  branch: ${past}\n`,
    );
    await expectSigned(daemon.git, before ?? "");
    await remote.repository.assertSound();
    expect(daemon.lines).toEqual([]);
  });

  it("writes nothing after a restart with nothing to do, and continues from the start of the branch", async () => {
    const remote = await setUp();
    const first = await startDaemon(remote);
    for (const day of [0, 10, 31, 32]) await first.write(day);
    const second = await startDaemon(remote);
    const head = await remote.repository.head(branch);
    expect((await second.write(32)).statusCommit).toBe(head);
    await second.write(60);
    expect(await daysOf(remote)).toEqual({ past: [0, 10], here: [31, 32, 60] });
    await second.write(61);
    expect(await daysOf(remote)).toEqual({ past: [31, 32, 60], here: [61] });
  });

  it("squashes nothing without the setting", async () => {
    const remote = await setUp();
    const daemon = await startDaemon(remote);
    for (const day of [0, 100, 500]) await daemon.write(day, {});
    expect(await daysOf(remote)).toEqual({ past: [], here: [0, 100, 500] });
  });

  it("is whole when the daemon is killed after the past is kept, and the next one continues", async () => {
    const remote = await setUp();
    const killed = await startDaemon(remote, (git) => ({
      ...git,
      commitAndPush: (request) => (request.isRoot ? Promise.reject(new Error("killed")) : git.commitAndPush(request)),
    }));
    for (const day of [0, 20]) await killed.write(day);
    const head = await remote.repository.head(branch);
    expect((await killed.write(40)).writeBackError).toBeDefined();
    expect([await remote.repository.head(branch), await remote.repository.head(past)]).toEqual([head, head]);
    await killed.write(41, {});
    const next = await startDaemon(remote);
    await next.write(42);
    expect(await daysOf(remote)).toEqual({ past: [0, 20, 41], here: [42] });
    await remote.repository.assertSound();
  });

  it("F14 squashes no commit of a person, logs it once a day, and continues to write", async () => {
    const remote = await setUp();
    const daemon = await startDaemon(remote);
    await daemon.write(0);
    const theirs = await remote.repository.commit(commitOfOther);
    for (const day of [1, 40, 40.5]) {
      const { writeBackError, historyKept = "" } = await daemon.write(day);
      expect(writeBackError).toBeUndefined();
      if (day > 1) expect(historyKept).toContain(`commit ${theirs.slice(0, 12)} of ${branch}`);
    }
    expect(daemon.lines).toHaveLength(1);
    expect(daemon.lines[0]).toContain("the history of the status branch is not squashed");
    await remote.repository.git("merge-base", "--is-ancestor", theirs, branch);
    expect(await remote.repository.head(past)).toBeUndefined();
  });

  it("F14 loses the race to a person who pushes meanwhile, and keeps that commit", async () => {
    const remote = await setUp();
    let theirs = "";
    const daemon = await startDaemon(remote, (git) => ({
      ...git,
      moveBranch: async (move) => {
        await git.moveBranch(move);
        theirs = await remote.repository.commit(commitOfOther);
      },
    }));
    await daemon.write(0);
    await daemon.write(20);
    expect((await daemon.write(40)).writeBackError).toBeUndefined();
    await remote.repository.git("merge-base", "--is-ancestor", theirs, branch);
    expect((await daysOf(remote)).here).toEqual([0, 20, 40]);
    expect((await daemon.write(41)).historyKept).toContain(theirs.slice(0, 12));
  });

  it("does not change a branch of the past that a person made", async () => {
    const remote = await setUp();
    const theirs = await remote.repository.commit({ branch: past, files: { "note.txt": "of a person" } });
    const daemon = await startDaemon(remote);
    await daemon.write(0);
    await daemon.write(20);
    expect((await daemon.write(40)).historyKept).toContain(`the branch ${past} is at ${theirs.slice(0, 12)}`);
    expect(await remote.repository.head(past)).toBe(theirs);
    expect((await daysOf(remote)).here).toEqual([0, 20, 40]);
  });

  // In a folder of this machine no hook of it runs and, for our own engine, no configuration counts.
  it.skipIf(transport === "folder").each([
    { reason: "forced pushes", refuse: (remote: Remote) => setDenied(remote, "true"), past: [0, 20] },
    { reason: "the new head after it has its objects", refuse: (remote: Remote) => setHook(remote, 1), past: [0, 20] },
  ])("reports that the server refuses $reason, keeps everything, and tries again a day later", async ({ refuse }) => {
    const remote = await setUp();
    const daemon = await startDaemon(remote);
    await daemon.write(0);
    await daemon.write(20);
    await refuse(remote);
    const { historyKept = "", writeBackError } = await daemon.write(40);
    expect(writeBackError).toBeUndefined();
    expect(historyKept).toMatch(/^E_GIT_PUSH_DENIED: push refs\/heads\/rollcall\/status to .*the server refuses: /u);
    expect(historyKept).toContain(`; allow the daemon to force-push ${branch} and ${past}, or remove`);
    expect((await daysOf(remote)).here).toEqual([0, 20, 40]);
    await setDenied(remote, "false");
    await setHook(remote, 0);
    expect((await daemon.write(40.5)).historyKept).toBe(historyKept);
    expect((await daemon.write(41)).historyKept).toBeUndefined();
    expect(await daysOf(remote)).toEqual({ past: [0, 20, 40, 40.5], here: [41] });
    expect(daemon.lines).toHaveLength(1);
    await remote.repository.assertSound();
  });
});

async function setDenied({ repository }: Remote, value: string): Promise<void> {
  await repository.git("config", "receive.denyNonFastForwards", value);
}

/** A hook that ends with this code for a commit without a parent. */
async function setHook({ repository }: Remote, code: number): Promise<void> {
  const path = join(repository.path, "hooks/update");
  const lines = [
    "#!/bin/sh",
    `[ "$1" = "refs/heads/${branch}" ] || exit 0`,
    `git cat-file -p "$3" | grep -q ^parent || exit ${code}`,
  ];
  await writeFile(path, `${lines.join("\n")}\n`);
  await chmod(path, 0o755);
}

import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { CommitStatus, PullRequest } from "../../../src/forge/forge.ts";
import type { MainBranch } from "../../../src/reconcile/review-pull-requests.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { clusterOf, startInMemory } from "./running-reconciler.ts";

const forge = { provider: "GitLab" as const, secretRef: { name: "forge" } };

describe("a reconciler", () => {
  it("reads the branch at its start, and then after each interval", async () => {
    const { counts, clock, nextRun, warnings, reconciler } = await startInMemory({ interval: "10s" });
    expect(counts).toEqual({ reads: 1, runs: 1 });
    expect(warnings.map(({ message }) => message)).toEqual(["proposing clusters failed"]);
    expect(await nextRun([9999, 10_000])).toBe("read after 10000 ms");
    expect(await nextRun([9999, 10_000])).toBe("read after 10000 ms");
    await reconciler.stop();
    await clock.advance(60_000);
    expect(counts.reads).toBe(3);
  });

  it("reads at once when it is asked to", async () => {
    const { counts, clock, reconciler } = await startInMemory();
    await clock.advance(100);
    reconciler.enqueue();
    await clock.advance(0);
    expect([counts.reads, reconciler.queueCounts()]).toEqual([2, { waiting: 0, active: 0, done: 2, failed: 0 }]);
    await reconciler.stop();
  });

  it("does not read later because a status was reported in between", async () => {
    const { change, nextRun, reconciler } = await startInMemory();
    change(resourceTypes.cluster, {
      before: clusterOf("rollcall-git"),
      object: clusterOf("rollcall-git", { status: {} }),
    });
    expect(await nextRun([1000])).toBe("report after 1000 ms");
    expect(await nextRun([58_999, 59_000])).toBe("read after 59000 ms");
    await reconciler.stop();
  });

  it("reads for a change that is more urgent than a later one", async () => {
    const { change, nextRun, reconciler } = await startInMemory();
    change(resourceTypes.cluster, { object: clusterOf("rollcall-hub") });
    change(resourceTypes.cluster, { before: clusterOf("rollcall-git") });
    change(resourceTypes.cluster, { object: clusterOf("rollcall-hub") });
    expect(await nextRun()).toBe("read after 20 ms");
    await reconciler.stop();
  });

  it("reads for new clusters when it is time, although a status is reported before", async () => {
    const { clock, change, nextRun, reconciler } = await startInMemory();
    change(resourceTypes.cluster, {
      before: clusterOf("rollcall-git"),
      object: clusterOf("rollcall-git", { status: {} }),
    });
    await clock.advance(500);
    change(resourceTypes.cluster, { object: clusterOf("rollcall-hub") });
    expect(await nextRun([499, 500])).toBe("report after 500 ms");
    expect(await nextRun([499, 500])).toBe("read after 500 ms");
    await reconciler.stop();
  });

  it("waits for its Repository, whatever changes meanwhile", async () => {
    const { change, counts, clock, warnings, reconciler } = await startInMemory(
      {},
      { readRepository: () => undefined },
    );
    change(resourceTypes.cluster, { before: clusterOf("rollcall-git") });
    await clock.advance(60_000);
    expect([warnings, counts]).toEqual([[], { reads: 0, runs: 0 }]);
    expect(reconciler.queueCounts().done).toBeGreaterThan(0);
    await reconciler.stop();
  });

  it("takes in a change of the hub before the branch was read", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { change, nextRun, reconciler } = await startInMemory({}, {}, () => held);
    change(resourceTypes.cluster, { before: clusterOf("rollcall-git") });
    release();
    await reconciler.whenIdle();
    expect(await nextRun()).toBe("read after 20 ms");
    await reconciler.stop();
  });

  it("tries a failed read again with back-off, and reads then too", async () => {
    let isAway = true;
    const { counts, warnings, clock, reconciler } = await startInMemory({}, {}, () =>
      isAway ? Promise.reject(new AppError("E_GIT_REMOTE", "timeout")) : Promise.resolve(),
    );
    expect(warnings.map(({ message }) => message)).toContain("run failed");
    isAway = false;
    await clock.advance(1000);
    expect([counts.reads, reconciler.queueCounts()]).toMatchObject([2, { done: 1, failed: 1 }]);
    await reconciler.stop();
  });

  it("tries a failed read no sooner because the statuses of members change meanwhile", async () => {
    const { change, counts, clock, reconciler } = await startInMemory({}, {}, () =>
      Promise.reject(new AppError("E_GIT_REMOTE", "too many requests")),
    );
    await changeStatuses({ change, clock }, 600);
    expect(counts.reads).toBeLessThan(25);
    await reconciler.stop();
  });

  it("reads for new clusters a twentieth of the time at most", async () => {
    let sleep = (_durationMs: number): Promise<void> => Promise.resolve();
    const { clock, change, counts, nextRun, reconciler } = await startInMemory({}, {}, () => sleep(100));
    sleep = (durationMs) => clock.sleep(durationMs, new AbortController().signal);
    await clock.advance(5000);
    reconciler.enqueue();
    await clock.advance(100);
    expect(counts.runs).toBe(2);
    change(resourceTypes.cluster, {
      before: clusterOf("rollcall-git"),
      object: clusterOf("rollcall-git", { status: {} }),
    });
    expect(await nextRun([1000])).toBe("report after 1000 ms");
    sleep = () => Promise.resolve();
    change(resourceTypes.cluster, { object: clusterOf("rollcall-hub") });
    expect(await nextRun([1999, 2000])).toBe("read after 2000 ms");
    await reconciler.stop();
  });

  it("reports again when the next write of the status branch is due", async () => {
    const { nextRun, reconciler } = await startInMemory({ writeBack: { interval: "5s" } });
    expect(await nextRun([4999, 5000])).toBe("report after 5000 ms");
    await reconciler.stop();
    const late = await startInMemory({ writeBack: { interval: "5m" } });
    expect(await late.nextRun([59_999, 60_000])).toBe("read after 60000 ms");
    await late.reconciler.stop();
  });
});

describe("what a reconciler gives away", () => {
  it("is what it read of the branch last", async () => {
    const mains: MainBranch[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const onMain = (main: MainBranch) => void mains.push(main);
    const { git, clock, reconciler } = await startInMemory({}, { onMain }, () => held);
    expect(reconciler.snapshot()).toBeUndefined();
    let isIdle = false;
    const idle = reconciler.whenIdle().then(() => (isIdle = true));
    await clock.advance(0);
    expect([isIdle, reconciler.queueCounts().active]).toEqual([false, 1]);
    release();
    await idle;
    expect(reconciler.snapshot()?.commit.id).toBe(git.ids[0]);
    expect(mains.map(({ snapshot }) => snapshot)).toEqual([reconciler.snapshot()]);
    await reconciler.stop();
  });

  it("goes to the forge: the status of the commit, and a review of pull requests after each read", async () => {
    const statuses: CommitStatus[] = [];
    const lists: unknown[] = [];
    const openForge = () =>
      Promise.resolve({
        setCommitStatus: (_commit: string, status: CommitStatus) => Promise.resolve(statuses.push(status)),
        listPullRequests: (options: unknown) => Promise.resolve(lists.push(options)).then(() => []),
      } as never);
    const { clock, change, reconciler } = await startInMemory({ forge }, { openForge });
    await reconciler.whenIdle();
    expect(statuses).toMatchObject([{ context: "rollcall/system.fleet", state: "success" }]);
    expect(lists).toHaveLength(1);
    change(resourceTypes.cluster, {
      before: clusterOf("rollcall-git"),
      object: clusterOf("rollcall-git", { status: {} }),
    });
    await clock.advance(1000);
    expect(lists).toHaveLength(1);
    await clock.advance(59_000);
    expect(lists).toHaveLength(2);
    await reconciler.stop();
  });

  it("goes to the forge again when the hub has changed: the plan of a pull request, after five minutes", async () => {
    let open: readonly Partial<PullRequest>[] = [];
    const openForge = () =>
      Promise.resolve({
        listPullRequests: () => Promise.resolve(open),
        writePlanComment: () => Promise.resolve("created"),
        setCommitStatus: () => Promise.resolve("created"),
      } as never);
    let plans = 0;
    const countPlans = (branch: string): Promise<void> => {
      if (branch === "next") plans += 1;
      return Promise.resolve();
    };
    const { git, clock, change, reconciler } = await startInMemory({ forge }, { openForge }, countPlans);
    open = git.ids.map((headCommit) => ({ number: 1, body: "", headBranch: "next", headCommit, isFork: false }));
    reconciler.enqueue();
    const plansAfterMinutes = async (minutes: number): Promise<number> => {
      for (let passed = 0; passed < minutes; passed += 1) await clock.advance(60_000);
      await reconciler.whenIdle();
      return plans;
    };
    expect(await plansAfterMinutes(0)).toBe(1);
    change(resourceTypes.lease, { object: clusterOf("rollcall-hub") });
    expect(await plansAfterMinutes(6)).toBe(1);
    change(resourceTypes.clusterGroup, { object: clusterOf("rollcall-git", { status: {} }) });
    expect(await plansAfterMinutes(1)).toBe(2);
    expect(await plansAfterMinutes(6)).toBe(2);
    await reconciler.stop();
  });

  it("is not waited for at the forge once it is stopped", async () => {
    const asked: string[] = [];
    const setCommitStatus = (_commit: string, _status: CommitStatus, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        asked.push("status");
        const refuse = (): void => reject(new AppError("E_FORGE_UNREACHABLE", "stopped"));
        signal.addEventListener("abort", refuse, { once: true });
      });
    const openForge = () => Promise.resolve({ setCommitStatus, listPullRequests: () => Promise.resolve([]) } as never);
    const { clock, warnings, reconciler } = await startInMemory({ forge }, { openForge });
    let isIdle = false;
    const idle = reconciler.whenIdle().then(() => (isIdle = true));
    await clock.advance(0);
    expect([asked, isIdle]).toEqual([["status"], false]);
    await reconciler.stop();
    await idle;
    expect(warnings.map(({ message }) => message)).toEqual(["proposing clusters failed"]);
  });

  it("is in the log when the forge does not answer, and no run waits for it", async () => {
    const away = new AppError("E_FORGE_UNREACHABLE", "no answer came");
    const openForge = () => Promise.reject(away);
    const { counts, clock, warnings, reconciler } = await startInMemory({ forge }, { openForge });
    await clock.advance(0);
    expect(counts.runs).toBe(1);
    expect(warnings.map(({ message, error }) => [message, error])).toEqual(
      expect.arrayContaining([
        ["reporting to the forge failed", away],
        ["reviewing pull requests failed", away],
      ]),
    );
    await reconciler.stop();
  });

  it("asks a forge that fails with back-off, however many runs there are", async () => {
    let asked = 0;
    const openForge = () => {
      asked += 1;
      return Promise.reject(new AppError("E_FORGE_THROTTLED", "too many requests"));
    };
    const { change, counts, clock, reconciler } = await startInMemory({ forge, interval: "1h" }, { openForge });
    await changeStatuses({ change, clock }, 120);
    expect(counts.runs).toBeGreaterThan(100);
    expect(asked).toBeLessThan(30);
    await reconciler.stop();
  });

  it("is nothing more once it is stopped", async () => {
    const { change, counts, listeners, workspaceListeners, clock, reconciler } = await startInMemory();
    const listening = listeners.size;
    expect(workspaceListeners.size).toBe(1);
    await reconciler.stop();
    // Indexes of the view keep theirs.
    expect([listening - listeners.size, workspaceListeners.size, clock.sleepers]).toEqual([3, 0, 0]);
    change(resourceTypes.cluster, { before: clusterOf("rollcall-git") });
    await clock.advance(60_000);
    expect(counts).toEqual({ reads: 1, runs: 1 });
  });
});

/** A member reports once a second. */
async function changeStatuses(
  { change, clock }: Pick<Awaited<ReturnType<typeof startInMemory>>, "change" | "clock">,
  seconds: number,
): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    change(resourceTypes.cluster, {
      before: clusterOf("rollcall-git"),
      object: clusterOf("rollcall-git", { status: { second } }),
    });
    await clock.advance(1000);
  }
}

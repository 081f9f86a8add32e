import { describe, expect, it } from "vitest";
import type { UnmergedLimits } from "../../../../src/daemon/unmerged/unmerged-planner.ts";
import { createUnmergedPlanner, defaultUnmergedLimits } from "../../../../src/daemon/unmerged/unmerged-planner.ts";
import type { MergeInputs } from "../../../../src/review/plan-merge.ts";

/** A thread that runs this text in place of the planner; `ask` calls the main thread, `answers` are those to its calls. */
function threadOf(text: string): URL {
  const program = `
    import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
    const answers = [];
    const waiting = new Map();
    parentPort.on("message", (answer) => { answers.push(answer); waiting.get(answer.id)?.(answer); });
    let id = 0;
    const ask = (name, ...args) => new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      parentPort.postMessage({ id, name, args });
    });
    const askNow = (name, ...args) => {
      Atomics.store(workerData.signal, 0, 0);
      parentPort.postMessage({ id: 0, name, args });
      Atomics.wait(workerData.signal, 0, 0);
      return receiveMessageOnPort(workerData.answers).message;
    };
    const { answers: _, signal: __, ...order } = workerData;
    ${text}`;
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

const main = { commit: { id: "m1" }, pathProblems: [], files: new Map(), parsed: new Map(), lastGood: new Map() };
const inputsOf = (more: object = {}): MergeInputs =>
  ({
    git: { readCommit: async (id: string) => ({ id }) },
    observed: { isComplete: true, isWorkspace: (name: string) => name === "fleet" },
    main,
    source: {},
    repository: { metadata: { name: "fleet" } },
    head: "h1",
    nowMs: 5,
    ...more,
  }) as unknown as MergeInputs;

const planIn = (text: string, inputs = inputsOf(), limits: Partial<UnmergedLimits> = {}) =>
  createUnmergedPlanner({
    entry: threadOf(text),
    namespace: "rollcall",
    workspaceLimit: ["fleet*"],
    limits: { ...defaultUnmergedLimits, ...limits },
  })(inputs);

const deliver = (text: string): string =>
  `await ask("field", "plan", "commit", ${text}); await ask("done", { conflicts: [] }); parentPort.close();`;

describe("a plan of a branch in a thread of its own", () => {
  it("is what the thread delivers", async () => {
    expect(await planIn(deliver('"h1"'))).toEqual({ plan: { commit: "h1" }, fleet: {}, conflicts: [] });
  });

  it("is ordered with what the thread cannot ask for, and with the bounds of its work", async () => {
    const { plan } = await planIn(deliver("order"), inputsOf(), { bytes: 1, documents: 2, commits: 3 });
    expect(plan.commit).toEqual({
      repository: { metadata: { name: "fleet" } },
      namespace: "rollcall",
      workspaceLimit: ["fleet*"],
      head: "h1",
      nowMs: 5,
      hasKeys: false,
      hasEvaluator: false,
      needsSignatures: false,
      isComplete: true,
      main: { commit: { id: "m1" }, pathProblems: [], refusedPaths: [] },
      maximumBytes: 1,
      maximumDocuments: 2,
      maximumCommits: 3,
    });
  });

  it("asks for keys, policies and signatures where the Repository has them", async () => {
    const asking = { openKeys: () => undefined, evaluate: () => undefined, isSigned: () => undefined };
    const inputs = inputsOf({ ...asking, main: { ...main, selection: "s", refusedPaths: ["r"] } });
    const { plan } = await planIn(deliver("order"), inputs);
    expect(plan.commit).toMatchObject({
      hasKeys: true,
      hasEvaluator: true,
      needsSignatures: true,
      main: { selection: "s", refusedPaths: ["r"] },
    });
  });

  it("is given answers while it waits, and while it blocks", async () => {
    const { plan } = await planIn(deliver('[await ask("readCommit", "1"), askNow("isWorkspace", "fleet")]'));
    expect(plan.commit).toEqual([
      { id: 1, value: { id: "1" } },
      { id: 0, value: true },
    ]);
  });

  it("gets the failure of a call, and that of a call that there is not", async () => {
    const inputs = inputsOf({ git: { readCommit: () => Promise.reject(new Error("not here")) } });
    const { plan } = await planIn(deliver('[await ask("readCommit", "1"), await ask("deleteBranch")]'), inputs);
    expect(plan.commit).toEqual([
      { id: 1, error: { message: "not here" } },
      { id: 2, error: { message: "a thread asks for deleteBranch" } },
    ]);
  });

  it("rejects with what the thread could not do, once it has ended", async () => {
    const failing = 'await ask("failed", { message: "no tree", code: "E_GIT_OBJECT" }); parentPort.close();';
    await expect(planIn(failing)).rejects.toMatchObject({ code: "E_GIT_OBJECT", message: "no tree" });
    await expect(planIn('throw new Error("a bug");')).rejects.toThrow("a bug");
    await expect(planIn("parentPort.close();")).rejects.toThrow("the thread that plans a branch ended early");
  });

  it.each([
    {
      bound: "time",
      text: "await new Promise(() => setInterval(() => undefined, 1000));",
      limits: { timeMs: 50 },
      says: "50 ms",
    },
    {
      bound: "memory",
      text: "const all = []; for (;;) all.push(new Array(100_000).fill({}));",
      limits: { memoryMiB: 8 },
      says: "8 MiB of memory",
    },
    {
      bound: "commits",
      text: 'await ask("failed", { message: "many", code: "E_BRANCH_LIMIT" });',
      limits: { commits: 7 },
      says: "7 commits",
    },
  ])("changes nothing and has one problem beyond its $bound", async ({ text, limits, says }) => {
    const { plan, fleet, commit, changed, conflicts } = await planIn(text, inputsOf(), limits);
    expect(plan).toMatchObject({ commit: "h1", base: "m1", changes: [], removals: [], withheld: [], heldDeletes: [] });
    expect(plan.budget.isExceeded).toBe(false);
    const message = `the branch was not planned: its plan takes more than ${says}`;
    expect(plan.problems).toEqual([
      { code: "E_BRANCH_LIMIT", severity: "error", file: ".", line: 1, column: 1, message },
    ]);
    expect([commit.id, changed.size, conflicts.length, fleet.clusters.length]).toEqual(["h1", 0, 0, 0]);
  });
});

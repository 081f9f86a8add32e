import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { createBranchPlanner } from "../../../../src/daemon/page/page-branch-plan.ts";
import type { BranchPlanOptions } from "../../../../src/daemon/page/page-branch-plan.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

/** A repository whose branches are deleted once it answers. */
function openPlanner() {
  const fetched: string[] = [];
  const open: (() => void)[] = [];
  const fetchHead = (branch: string): Promise<never> =>
    new Promise((_, reject) => {
      fetched.push(branch);
      open.push(() => reject(new AppError("E_GIT_BRANCH_MISSING", `fetch ${branch}`)));
    });
  const clock = createManualClock();
  const state = { observedCommit: "main-1" };
  const options = { clock, git: { fetchHead }, repository: () => ({ spec: {}, status: { ...state } }) };
  const plan = createBranchPlanner(options as unknown as BranchPlanOptions);
  /** Ends each fetch until these plans have failed. */
  const answerAll = async (...plans: readonly Promise<unknown>[]): Promise<void> => {
    let isDone = false;
    const all = Promise.allSettled(plans).then(() => (isDone = true));
    while (!isDone) {
      open.shift()?.();
      await setImmediate();
    }
    await all;
  };
  return { plan, fetched, answerAll, clock, state };
}

describe("createBranchPlanner", () => {
  it("plans no branch for a name that none can have", async () => {
    const { plan, fetched } = openPlanner();
    expect(await plan("-x")).toBeUndefined();
    expect(fetched).toEqual([]);
  });

  it("A76 plans one branch at a time, lets twenty wait, and refuses the others", async () => {
    const { plan, fetched } = openPlanner();
    const all = Array.from({ length: 60 }, (_, index) => plan(`branch-${index}`));
    const refused = await Promise.allSettled(all.slice(21));
    expect(refused.filter(({ status }) => status === "rejected")).toHaveLength(39);
    expect(fetched).toEqual(["branch-0"]);
    for (const waiting of all) waiting.catch(() => undefined);
  });

  it("shares a plan that takes long with those who load its page again meanwhile", async () => {
    const { plan, fetched, answerAll, clock } = openPlanner();
    const first = plan("feature");
    await clock.advance(12_000);
    await answerAll(first, plan("feature"));
    expect(fetched).toEqual(["feature", "main"]);
  });

  it("plans anew what it planned before the main branch has moved", async () => {
    const { plan, fetched, answerAll, state } = openPlanner();
    const first = plan("feature");
    state.observedCommit = "main-2";
    await answerAll(first, plan("feature"));
    expect(fetched).toEqual(["feature", "main", "feature", "main"]);
  });

  const repository = { spec: { url: "https://git.example.com/fleet", ref: { branch: "prod" } } };

  /** A planner of branches with these heads; what it read. */
  function openPlanned({
    heads = {},
    plan = {},
    spec = {},
  }: {
    heads?: Record<string, string>;
    plan?: object;
    spec?: object;
  }) {
    const asked: unknown[] = [];
    const commit = {
      id: "h",
      parents: [],
      treeId: "t",
      author: { name: "Ann", email: "a@example.org" },
      committedAtMs: 0,
      message: "m",
    };
    const budget = { wanted: 0, recent: 0, limit: 1, isExceeded: false };
    const lists = { changes: [], removals: [], withheld: [], heldDeletes: [], problems: [] };
    const account = { charges: [], returned: [], approvals: [] };
    const objects = [
      { apiVersion: "rollcall.dev/v1alpha1", kind: "Policy", metadata: { name: "house-rules" } },
      { apiVersion: "example.com/v1", kind: "Policy", metadata: { name: "of-others" } },
    ];
    const documents = objects.map((object) => ({ object }));
    const files = { parsed: new Map([["a.yaml", { documents, problems: [] }]]), lastGood: new Map() };
    const options = {
      clock: createManualClock(),
      git: {
        fetchHead: async (branch: string) => {
          if (heads[branch] === "missing") throw new AppError("E_GIT_BRANCH_MISSING", "fetch");
          if (heads[branch] === "away") throw new AppError("E_GIT_REMOTE", "fetch");
          return heads[branch];
        },
      },
      view: { list: () => [], get: () => undefined },
      repository: () => ({ ...repository, spec: { ...repository.spec, ...spec } }),
      snapshot: () => "last snapshot",
      planner: {
        read: async (_: unknown, head: string, before: unknown) => ({ head, before, ...files }),
        planMerge: async (_: unknown, inputs: object) => {
          asked.push(inputs);
          const fleet = { policies: [] };
          return { plan: { commit: "h", base: "b", ...lists, budget, account, ...plan }, commit, fleet };
        },
        planHubWork: async () => ({ work: new Map(), notes: ["The hub then does more."] }),
      },
    };
    return { asked, plan: createBranchPlanner(options as unknown as BranchPlanOptions) };
  }

  it("plans the merge of a branch into the one that is applied, of which only what changed is parsed", async () => {
    const { plan, asked } = openPlanned({ heads: { prod: "p1", feature: "f1" } });
    const view = await plan("feature");
    expect(asked).toMatchObject([{ head: "f1", main: { head: "p1", before: "last snapshot" } }]);
    expect(view).toMatchObject({ branch: "feature", commit: { id: "f1", subject: "m" } });
    expect(view).not.toHaveProperty("advice");
  });

  it("A199 names a policy that the merge removes", async () => {
    const view = await openPlanned({ heads: { prod: "p1", feature: "f1" } }).plan("feature");
    expect(view?.notes).toEqual([
      "A policy is removed, and files are evaluated without: house-rules.",
      "The hub then does more.",
    ]);
  });

  it("shares a plan between those who ask at the same time, and soon after", async () => {
    const { plan, asked } = openPlanned({ heads: { prod: "p1", feature: "f1" } });
    await Promise.all([plan("feature"), plan("feature")]);
    await plan("feature");
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["the branch was deleted", { prod: "p1", feature: "missing" }],
    ["the branch does not exist", { prod: "p1" }],
    ["the applied branch does not exist", { feature: "f1" }],
  ])("has no plan where %s", async (_, heads) => {
    expect(await openPlanned({ heads: heads }).plan("feature")).toBeUndefined();
  });

  it("has no plan without a Repository", async () => {
    const options = { clock: createManualClock(), repository: () => undefined };
    const plan = createBranchPlanner(options as unknown as BranchPlanOptions);
    expect(await plan("feature")).toBeUndefined();
  });

  it("rejects where the remote is not reached", async () => {
    await expect(openPlanned({ heads: { prod: "p1", feature: "away" } }).plan("feature")).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
    });
  });

  it("shows what lets withheld removals through, and that the Repository is suspended", async () => {
    const trailer = "Rollcall-Allow-Deletions: 2";
    const budget = { wanted: 2, recent: 0, limit: 1, isExceeded: true, trailer };
    const withheld = [{ ref: { type: resourceTypes.cluster, namespace: "fleet", name: "a" }, reason: "Budget" }];
    const { plan } = openPlanned({ heads: { prod: "p1", feature: "f1" }, plan: { budget, withheld } });
    expect((await plan("feature"))?.advice).toContain("2");
    const suspended = openPlanned({ heads: { prod: "p1", feature: "f1" }, spec: { suspend: true } });
    expect((await suspended.plan("feature"))?.notes.join(" ")).toContain("suspended");
  });

  it("shows what is known of the hub's own work after the merge", async () => {
    const { plan } = openPlanned({ heads: { prod: "p1", feature: "f1" } });
    expect((await plan("feature"))?.notes).toContain("The hub then does more.");
  });

  it.each([
    ["asks for none", {}, false],
    ["asks for them", { verify: { mode: "Head" } }, true],
  ])("describes which merges keep signatures only where the Repository %s", async (_, spec, isThere) => {
    const withheld = [{ ref: { type: resourceTypes.cluster, namespace: "fleet", name: "a" }, reason: "Budget" }];
    const { plan } = openPlanned({ heads: { prod: "p1", feature: "f1" }, plan: { withheld }, spec });
    expect((await plan("feature"))?.notes.some((note) => note.includes("signatures"))).toBe(isThere);
  });
});

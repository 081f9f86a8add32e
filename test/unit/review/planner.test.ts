import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import type { PlannerInputs } from "../../../src/review/review.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryHub } from "../reconcile/removals/memory-hub.ts";

const clusterOf = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`;
const trailer = "Change\n\nRollcall-Allow-Deletions: 1\n";

/** Three commits, the last with an approval, and the planner of a Repository whose keys vouch for these commits. */
function open(vouched: readonly number[] | undefined, inputs: Partial<PlannerInputs> = {}) {
  const git = createMemoryGit();
  const a = { "a.yaml": clusterOf("a") };
  const commits: Readonly<Record<string, string>>[] = [{}, a, { ...a, "b.yaml": clusterOf("b") }];
  const ids = commits.map((files) => git.commit(files, trailer));
  const isVouched = (commit: string): boolean => vouched?.includes(ids.indexOf(commit)) === true;
  const bases: (string | undefined)[] = [];
  let opened = 0;
  const planner = createRepositoryPlanner({
    git,
    source: sourceOptions(() => undefined),
    checkFleet: fleetChecker("system"),
    observed: createMemoryHub().openView(),
    rememberedLabels: () => undefined,
    nowMs: () => 0,
    openVerifier: () => {
      opened += 1;
      return Promise.resolve(
        vouched && {
          verify: ({ base, head }) => {
            bases.push(base);
            return Promise.resolve({ unverified: isVouched(head) ? [] : ["b.yaml"], reason: "unsigned" });
          },
          isSigned: (commit) => Promise.resolve(isVouched(commit)),
          isVouched: (commit) => Promise.resolve(isVouched(commit)),
        },
      );
    },
    ...inputs,
  });
  const [first = "", second = "", head = ""] = ids;
  return { git, planner, first, second, head, bases, opened: () => opened };
}

function repositoryOf(status: NonNullable<Repository["status"]> = {}, isVerifying = true): Repository {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system", generation: 3 },
    spec: { url: "memory", ...(isVerifying ? { verify: { keysSecretRef: { name: "signers" } } } : {}) },
    status,
  };
}

describe("findVerified of a planner", () => {
  it("takes the head where no signatures are asked for, or it is applied already", async () => {
    const unasked = open(undefined);
    expect(await unasked.planner.findVerified(repositoryOf({}, false), unasked.head)).toEqual({ commit: unasked.head });
    const applied = open([]);
    const repository = repositoryOf({ appliedCommit: applied.head });
    expect(await applied.planner.findVerified(repository, applied.head)).toEqual({ commit: applied.head });
    expect(applied.opened()).toBe(0);
  });

  it.each<[string, { verifiedCommit?: number; observedGeneration?: number }, number]>([
    ["nothing was verified", {}, 0],
    ["it was verified by these settings", { verifiedCommit: 1, observedGeneration: 3 }, 1],
    ["it was verified by other settings", { verifiedCommit: 1, observedGeneration: 2 }, 0],
    ["nothing was verified by these settings", { observedGeneration: 3 }, 0],
    ["what was verified is of another history", { verifiedCommit: 9, observedGeneration: 3 }, 0],
  ])(
    "verifies from the newest commit that is known to be: %s",
    async (_reason, { verifiedCommit, ...status }, from) => {
      const { git, planner, first, second, head, bases } = open([2]);
      const beside = git.commit({}, "Beside\n", { parents: [], isBeside: true });
      const verified = verifiedCommit === undefined ? {} : { verifiedCommit: verifiedCommit === 9 ? beside : second };
      const found = await planner.findVerified(repositoryOf({ appliedCommit: first, ...status, ...verified }), head);
      expect([found.commit, bases]).toEqual([head, [[first, second][from]]]);
    },
  );
});

describe("a plan where signatures are asked for", () => {
  const lapsedOf = async (vouched: readonly number[] | undefined, isVerifying = true) => {
    const { planner, second, head, opened } = open(vouched);
    const repository = repositoryOf({ appliedCommit: second, url: "memory" }, isVerifying);
    const { plan } = await planner.plan(repository, await planner.read(repository, head));
    return { lapsed: plan.account.approvals.map(({ lapsed = false }) => lapsed), opened: opened() };
  };

  it("counts an approval only in a commit that a listed key signed", async () => {
    expect((await lapsedOf([])).lapsed).toEqual([true]);
    expect((await lapsedOf([2])).lapsed).toEqual([false]);
  });

  it("counts each where the Repository asks for none, and opens no keys for it", async () => {
    expect(await lapsedOf([], false)).toEqual({ lapsed: [false], opened: 0 });
    expect((await lapsedOf(undefined)).lapsed).toEqual([false]);
  });

  it("of a merge reports the files that no key vouches for", async () => {
    const codesOf = async (vouched: readonly number[] | undefined) => {
      const { planner, second, head, git } = open(vouched);
      const repository = repositoryOf({ appliedCommit: second });
      git.moveTo(second);
      const main = await planner.read(repository, second);
      const { plan } = await planner.planMerge(repository, { main, head });
      return plan.problems.map(({ code, file }) => `${code} ${file}`);
    };
    expect(await codesOf([])).toEqual(["E_UNVERIFIED b.yaml"]);
    expect(await codesOf([2])).toEqual([]);
    expect(await codesOf(undefined)).toEqual([]);
  });
});

describe("what a planner reads besides", () => {
  it("is a commit with other texts of files, and the file of a commit", async () => {
    const { planner, head } = open(undefined);
    const snapshot = await planner.read(repositoryOf(), head);
    const changed = await planner.readWithFiles(snapshot, new Map([["c.yaml", clusterOf("c")]]));
    expect([...changed.snapshot.files.keys()]).toEqual(["a.yaml", "b.yaml", "c.yaml"]);
    expect(await planner.readFileAt(head, "a.yaml")).toMatchObject({ path: "a.yaml" });
  });

  it("is the work of the hub after the changes of a plan, where that is known", async () => {
    const { planner, head } = open(undefined);
    const { plan } = await planner.plan(repositoryOf(), await planner.read(repositoryOf(), head));
    expect(await planner.planHubWork(plan)).toMatchObject({ notes: [expect.stringContaining("is not planned here")] });
    const asked: unknown[] = [];
    const known = open(undefined, {
      rehearse: (changes) => {
        asked.push(changes);
        return Promise.resolve({ work: new Map(), notes: [] });
      },
    });
    expect(await known.planner.planHubWork(plan)).toEqual({ work: new Map(), notes: [] });
    expect(asked).toEqual([plan.changes]);
  });
});

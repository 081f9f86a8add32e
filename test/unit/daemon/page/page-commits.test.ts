import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { PageCommits } from "../../../../src/daemon/page/page-commits.ts";
import type { Commit, GitEngine, PathChange } from "../../../../src/git/git.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import type { Plan, PlannedChange } from "../../../../src/model/plan.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";

const blob = "b".repeat(40);

function commitOf(number: number): Commit {
  return {
    id: `c${number}`,
    parents: number === 1 ? [] : [`c${number - 1}`],
    ...{ treeId: "t", author: { name: "Ann", email: "a@example.org" }, committedAtMs: number, message: "change" },
  };
}

interface Line {
  /** Default ten. */
  readonly count?: number;
  /** Commits that are not here, or cannot be read. */
  readonly missing?: readonly string[];
  readonly failing?: readonly string[];
  readonly missingTrees?: readonly string[];
  readonly failingTrees?: readonly string[];
  /** The files that a commit changed, by their numbers. Default one of its own. */
  readonly path?: (id: string, number: number) => string;
  /** How many files each changed. Default one. */
  readonly files?: number;
  /** Each commit adds a file, changes one and removes one. */
  readonly sides?: boolean;
}

/** Commits each of which changed a file of its own; of the first one there are too many. */
function openCommits(line: Line = {}) {
  const {
    count = 10,
    missing = [],
    failing = [],
    missingTrees = [],
    failingTrees = [],
    path = (id) => `clusters/${id}.yaml`,
  } = line;
  const asked: string[] = [];
  const side = { path: "", blobId: blob, mode: "file" } as never;
  const git = {
    readCommit: async (id: string) => {
      if (missing.includes(id)) throw new AppError("E_GIT_OBJECT", "read a commit");
      if (failing.includes(id)) throw new AppError("E_GIT_REMOTE", "read a commit");
      return commitOf(Number(id.slice(1)));
    },
    listCommits: async ({ to }: { to: string }) => {
      asked.push(`list ${to}`);
      return Array.from({ length: count }, (_, index) => commitOf(Number(to.slice(1)) - index));
    },
    changedPaths: async (_from: string | undefined, to: string): Promise<PathChange[]> => {
      asked.push(`changes of ${to}`);
      if (missingTrees.includes(to)) throw new AppError("E_GIT_OBJECT", "read a tree");
      if (failingTrees.includes(to)) throw new AppError("E_GIT_REMOTE", "read a tree");
      if (to === "c1") throw new AppError("E_TOO_MANY_FILES", "compare two commits");
      if (line.sides)
        return [
          { path: "a", after: side },
          { path: "c", before: side, after: side },
          { path: "r", before: side },
        ];
      return Array.from({ length: line.files ?? 1 }, (_, number) => ({ path: path(to, number), after: side }));
    },
  } as unknown as GitEngine;
  const repositoryAt = (observedCommit: string) => ({ spec: {}, status: { observedCommit } }) as unknown as Repository;
  return { asked, commits: new PageCommits(git), repositoryAt };
}

describe("PageCommits", () => {
  it("finds the commits that changed a file", async () => {
    const { commits, repositoryAt } = openCommits();
    expect(await commits.touching("clusters/c4.yaml", repositoryAt("c10"))).toMatchObject([{ id: "c4" }]);
    expect(await commits.touching("clusters/none.yaml", repositoryAt("c10"))).toEqual([]);
  });

  it("A157 reads the newest commits once for all clusters that a viewer asks for, also one with too many files", async () => {
    const { asked, commits, repositoryAt } = openCommits();
    const files = Array.from({ length: 100 }, (_, index) => `clusters/c${index}.yaml`);
    await Promise.all(files.map((file) => commits.touching(file, repositoryAt("c10"))));
    expect(asked.filter((text) => text.startsWith("list"))).toEqual(["list c10"]);
    expect(asked.filter((text) => text.startsWith("changes"))).toHaveLength(10);
  });

  it("reads them anew for a new head", async () => {
    const { asked, commits, repositoryAt } = openCommits();
    await commits.touching("clusters/c4.yaml", repositoryAt("c9"));
    await commits.touching("clusters/c4.yaml", repositoryAt("c10"));
    expect(asked.filter((text) => text.startsWith("list"))).toEqual(["list c9", "list c10"]);
  });

  it("reads the changes of the new commit alone, after as many as are searched were read", async () => {
    const { asked, commits, repositoryAt } = openCommits({ count: 200 });
    for (const head of ["c300", "c301", "c302"]) await commits.touching("none.yaml", repositoryAt(head));
    expect(asked.filter((text) => text.startsWith("changes")).slice(200)).toEqual([
      "changes of c301",
      "changes of c302",
    ]);
  });

  it("A231 keeps the files of the newest commits that have room, of others the first ones and their number", async () => {
    const path = (id: string, number: number): string => `${id}/${number}.yaml`;
    const { asked, commits, repositoryAt } = openCommits({ count: 200, files: 9_000, path });
    const find = async (file: string): Promise<number> => (await commits.touching(file, repositoryAt("c900"))).length;
    const found = [];
    for (const file of ["c900/8999.yaml", "c879/8999.yaml", "c878/8999.yaml", "c878/19.yaml", "c878/20.yaml"])
      found.push(await find(file));
    expect(found).toEqual([1, 1, 0, 1, 0]);
    expect(asked.filter((text) => text.startsWith("changes"))).toHaveLength(200);
    const status = { recentCommits: [{ commit: "c878", time: "2026-11-28T00:00:00Z", outcome: "Applied" }] };
    const { commits: views } = await commits.detail({ spec: {}, status } as unknown as Repository);
    expect([views[0]?.files.length, views[0]?.fileCount]).toEqual([20, 9_000]);
  });

  it("finds nothing before a commit was read, and for one that is not here", async () => {
    const { asked, commits, repositoryAt } = openCommits({ missing: ["c11"] });
    for (const repository of [undefined, { spec: {} } as Repository, repositoryAt("c11")])
      expect(await commits.touching("clusters/c4.yaml", repository)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("shows the newest twenty of those that changed one file", async () => {
    const { commits, repositoryAt } = openCommits({ count: 25, path: () => "one.yaml" });
    const found = await commits.touching("one.yaml", repositoryAt("c25"));
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `c${25 - index}`));
  });

  it("reads the changes of a commit again that were not here, and of no other one", async () => {
    const { asked, commits, repositoryAt } = openCommits({ missingTrees: ["c9"] });
    await commits.touching("clusters/c1.yaml", repositoryAt("c10"));
    await commits.touching("clusters/c1.yaml", repositoryAt("c10"));
    const changes = asked.filter((text) => text.startsWith("changes"));
    expect(changes.filter((text) => text === "changes of c9")).toHaveLength(2);
    expect(changes).toHaveLength(11);
  });

  it("rejects with a failure to read that is no missing object", async () => {
    const { commits, repositoryAt } = openCommits({ failing: ["c10"] });
    await expect(commits.touching("a", repositoryAt("c10"))).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    await expect(commits.read("c10")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    const trees = openCommits({ failingTrees: ["c9"] });
    await expect(trees.commits.touching("a", repositoryAt("c10"))).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });

  it("reads ahead what the summary of a repository names, and never rejects", async () => {
    const { commits } = openCommits({ missing: ["c7"], failing: ["c8"] });
    const at = (observedCommit?: string, appliedCommit?: string) =>
      commits.prefetch({ spec: {}, status: { observedCommit, appliedCommit } } as unknown as Repository);
    await at("c10", "c9");
    await at("c8", "c7");
    await at();
    await commits.prefetch(undefined);
    expect(["c10", "c9", "c8", "c7"].map((id) => commits.peek(id)?.id)).toEqual(["c10", "c9", undefined, undefined]);
  });

  it("keeps the sixty commits that were read last", async () => {
    const { commits } = openCommits({ count: 61 });
    for (let number = 1; number <= 60; number++) await commits.read(`c${number}`);
    expect(commits.peek("c1")?.id).toBe("c1");
    await commits.read("c61");
    expect([commits.peek("c1"), commits.peek("c2")?.id]).toEqual([undefined, "c2"]);
  });

  describe("of a repository in detail", () => {
    const outcome = (commit: string, time: string, more: object = {}) => ({
      commit,
      time,
      outcome: "Applied",
      ...more,
    });
    const detailOf = (commits: PageCommits, recentCommits?: readonly object[], withheld?: object) =>
      commits.detail({
        spec: { url: "https://git.example.com/a" },
        status: { recentCommits, withheld },
      } as unknown as Repository);
    const time = (seconds: number): string => new Date(seconds * 1000).toISOString();

    it("has nothing before a commit was reconciled", async () => {
      const { commits } = openCommits();
      expect(await commits.detail(undefined)).toEqual({ commits: [] });
      expect(await detailOf(commits)).toEqual({ commits: [] });
    });

    it("has the commits by the time of their outcome, the newest first, with what they took and their files", async () => {
      const { commits } = openCommits();
      const failed = { outcome: "Failed", message: "a file is bad" };
      const { commits: views } = await detailOf(commits, [
        outcome("c2", time(10), { message: "12 changes" }),
        outcome("c4", time(30), failed),
        outcome("c3", time(0)),
      ]);
      expect(views.map(({ commit, tookSeconds }) => [commit.id, tookSeconds])).toEqual([
        ["c4", 29.996],
        ["c2", 9.998],
        ["c3", 0],
      ]);
      expect(views[0]).toMatchObject({ ...failed, finished: time(30), fileCount: 1, files: [{ kind: "added" }] });
      expect(views[1]).not.toHaveProperty("message");
      expect(views[1]).not.toHaveProperty("changes");
    });

    it("has twenty commits at most, and of a commit twenty files and their number", async () => {
      const { commits } = openCommits({ count: 30, files: 25 });
      const all = Array.from({ length: 22 }, (_, index) => outcome(`c${index + 5}`, time(index)));
      const { commits: views } = await detailOf(commits, all);
      expect(views.map(({ commit }) => commit.id).slice(0, 2)).toEqual(["c26", "c25"]);
      expect(views).toHaveLength(20);
      expect([views[0]?.files.length, views[0]?.fileCount]).toEqual([20, 25]);
    });

    it("has of a commit that is not here its id and outcome alone", async () => {
      const { commits } = openCommits({ missing: ["c4"] });
      const { commits: views } = await detailOf(commits, [outcome("c4", time(5))]);
      expect(views).toEqual([{ commit: { id: "c4" }, outcome: "Applied", finished: time(5), files: [], fileCount: 0 }]);
    });

    it("marks files as added, changed or removed, and links what is still there", async () => {
      const { commits } = openCommits({ sides: true });
      const spec = { url: "https://github.com/team/fleet", forge: { provider: "GitHub" } };
      const status = { recentCommits: [outcome("c4", time(5))] };
      const { commits: views } = await commits.detail({ spec, status } as unknown as Repository);
      expect(views[0]?.files).toEqual([
        { path: "a", kind: "added", link: "https://github.com/team/fleet/blob/c4/a" },
        { path: "c", kind: "changed", link: "https://github.com/team/fleet/blob/c4/c" },
        { path: "r", kind: "removed" },
      ]);
    });

    const change = (name: string): PlannedChange =>
      ({
        kind: "create",
        ref: { type: resourceTypes.cluster, namespace: "fleet", name },
        object: { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name } },
        manager: "rollcall-git",
        fields: [],
      }) as unknown as PlannedChange;
    const planOf = (more: object = {}): Plan => ({
      commit: "c4",
      changes: [],
      removals: [],
      withheld: [],
      heldDeletes: [],
      problems: [],
      budget: { wanted: 0, recent: 0, limit: 1, isExceeded: false },
      account: { charges: [], returned: [], approvals: [] },
      ...more,
    });

    it("has what this process did for a commit in all its runs: a hundred changes, with failures, and their number", async () => {
      const { commits } = openCommits();
      const outcomes = Array.from({ length: 70 }, (_, index) => ({ change: change(`a${index}`) }));
      const error = new AppError("E_KUBE_INVALID", "refused");
      commits.recordPlan(planOf(), [{ change: change("first"), error }, ...outcomes], undefined);
      commits.recordPlan(planOf(), outcomes, undefined);
      commits.recordPlan(planOf(), [], undefined);
      commits.recordPlan(planOf({ commit: undefined }), outcomes, undefined);
      const [view] = (await detailOf(commits, [outcome("c4", time(5))])).commits;
      expect([view?.changes?.length, view?.changeCount]).toEqual([100, 141]);
      expect(view?.changes?.[0]).toMatchObject({ error: "E_KUBE_INVALID: refused" });
      expect(view?.changes?.[1]).not.toHaveProperty("error");
    });

    it.each([
      ["withheld removals", { withheld: [{ object: "x" }] }],
      ["deletions that are held", { heldDeletes: [{ object: "x" }] }],
    ])("shows the last plan while it has %s, and not after", async (_, more) => {
      const { commits } = openCommits();
      const held = { ref: change("a").ref, reason: "Unidentified", why: "x" };
      const plan = Object.fromEntries(Object.keys(more).map((key) => [key, [held]]));
      commits.recordPlan(planOf(plan), [], undefined);
      const waiting = { commit: "c4", count: 1 };
      expect(await detailOf(commits, [], waiting)).toHaveProperty("pending");
      // Another replica led meanwhile: it carried the removal out, or made a plan for a newer commit.
      for (const status of [undefined, { commit: "c5", count: 1 }, { commit: "c4", count: 2 }])
        expect(await detailOf(commits, [], status)).not.toHaveProperty("pending");
      commits.recordPlan(planOf(), [], undefined);
      expect(await detailOf(commits)).not.toHaveProperty("pending");
    });
  });
});

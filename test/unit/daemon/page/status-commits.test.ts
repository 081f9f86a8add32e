import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { StatusCommits } from "../../../../src/daemon/page/status-commits.ts";
import type { Commit, GitEngine, PathChange } from "../../../../src/git/git.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";

/** A line of commits `c1` to `cN`, of which the first `here` are readable, and what was asked of git. */
function openLine(options: {
  readonly head: number;
  readonly here?: number;
  readonly statusCommit?: string;
  /** Records that each commit changes. Default two. */
  readonly changes?: number;
}) {
  const state: {
    head: number | undefined;
    asked: string[];
    /** Of commits that do not follow the one before. */
    parents?: Readonly<Record<string, string>>;
    /** The commits before the head are on the branch no more. */
    missing?: boolean;
    failure?: AppError;
    readFailure?: AppError;
  } = { head: options.head, asked: [] };
  const commit = (number: number): Commit => ({
    id: `c${number}`,
    parents: number === 1 ? [] : [state.parents?.[`c${number}`] ?? `c${number - 1}`],
    ...{ treeId: "t", author: { name: "Rollcall", email: "r@example.org" }, committedAtMs: number, message: "status" },
  });
  const numberOf = (id: string): number => Number(id.slice(1));
  const changed: PathChange = { path: "clusters/one/a.yaml" };
  const git = {
    fetchHead: async (branch: string) => {
      state.asked.push(`fetch ${branch}`);
      return state.head === undefined ? undefined : `c${state.head}`;
    },
    readCommit: async (id: string) => {
      if (state.readFailure) throw state.readFailure;
      if (numberOf(id) > (options.here ?? state.head ?? 0)) throw new AppError("E_GIT_OBJECT", "read a commit");
      return commit(numberOf(id));
    },
    listCommits: async ({ from, to }: { from?: string; to: string }) => {
      state.asked.push(`list ${from ?? ""}..${to}`);
      if (state.missing) return [{ ...commit(numberOf(to)), parents: [] }];
      if (state.parents && from !== undefined) return [commit(numberOf(to))];
      const oldest = from === undefined ? 0 : numberOf(from);
      return Array.from({ length: numberOf(to) - oldest }, (_, index) => commit(numberOf(to) - index));
    },
    changedPaths: async (from: string | undefined, to: string, paths: readonly string[]) => {
      state.asked.push(`compare ${from ?? ""}..${to} ${paths.join()}`);
      if (state.failure) throw state.failure;
      if (to === "c2") throw new AppError("E_GIT_OBJECT", "read a tree");
      if (options.changes === undefined) return [changed, { path: "clusters/one/b.yaml" }];
      return Array.from({ length: options.changes }, (_, index) => ({ path: `clusters/one/r${index}.yaml` }));
    },
  } as unknown as GitEngine;
  const repository = {
    spec: { url: "u" },
    status: options.statusCommit === undefined ? {} : { statusCommit: options.statusCommit },
  } as unknown as Repository;
  return { state, commit, commits: new StatusCommits(git, () => repository) };
}

describe("StatusCommits", () => {
  it("asks no remote for a commit that this daemon wrote", async () => {
    const { state, commits } = openLine({ head: 3, statusCommit: "c3" });
    expect((await commits.list()).map(({ id }) => id)).toEqual(["c3", "c2", "c1"]);
    expect(state.asked).toEqual(["list ..c3"]);
  });

  it("fetches the branch where another process wrote the newest commit", async () => {
    const { state, commits } = openLine({ head: 3, here: 2, statusCommit: "c3" });
    await commits.list();
    expect(state.asked).toEqual(["fetch rollcall/status", "list ..c3"]);
  });

  it("lists what came since, and nothing again", async () => {
    const { state, commits } = openLine({ head: 2 });
    await commits.list();
    await commits.list();
    state.head = 4;
    expect((await commits.list()).map(({ id }) => id)).toEqual(["c4", "c3", "c2", "c1"]);
    expect(state.asked.filter((asked) => asked.startsWith("list"))).toEqual(["list ..c2", "list c2..c4"]);
  });

  it("lists each commit once where two answers are made at the same time", async () => {
    const { state, commits } = openLine({ head: 2 });
    await commits.list();
    state.head = 3;
    const earlier = commits.list();
    state.head = 4;
    const later = commits.list();
    expect((await earlier).map(({ id }) => id)).toEqual(["c3", "c2", "c1"]);
    expect((await later).map(({ id }) => id)).toEqual(["c4", "c3", "c2", "c1"]);
    expect((await commits.list()).map(({ id }) => id)).toEqual(["c4", "c3", "c2", "c1"]);
  });

  it("compares the trees of a commit once, whatever cluster is asked about", async () => {
    const { state, commit, commits } = openLine({ head: 4 });
    await commits.list();
    expect(await commits.changesOf(commit(4), "clusters/one/a.yaml")).toHaveLength(1);
    expect(await commits.changesOf(commit(4), "clusters/one/c.yaml")).toEqual([]);
    expect(await commits.changesOf(commit(4))).toHaveLength(2);
    expect(state.asked.filter((asked) => asked.startsWith("compare"))).toEqual(["compare c3..c4 clusters"]);
  });

  it("reads the first commit, which adds all records, for the one that is asked about", async () => {
    const { state, commit, commits } = openLine({ head: 1 });
    await commits.changesOf(commit(1), "clusters/one/a.yaml");
    expect(state.asked).toEqual(["compare ..c1 clusters/one/a.yaml"]);
  });

  it.each([
    { reason: "here", here: 3, asked: [] },
    { reason: "elsewhere, which it fetches", here: 2, asked: ["fetch rollcall/status-past"] },
  ])("puts the past behind a first commit that continues it and is $reason", async ({ here, asked }) => {
    const id = (number: number): string => `${number}`.repeat(40);
    const seen: string[] = [];
    const commit = (number: number, more: Partial<Commit> = {}): Commit => ({
      ...{ id: id(number), parents: number === 2 ? [] : [id(number - 1)], treeId: "t", committedAtMs: number },
      ...{ author: { name: "Rollcall", email: "r@example.org" }, message: "status", ...more },
    });
    const root = commit(4, { parents: [], message: `status\n\nRollcall-Continues: ${id(3)}\n` });
    const git = {
      fetchHead: async (branch: string) => {
        seen.push(`fetch ${branch}`);
        return id(branch === "rollcall/status" ? 5 : 3);
      },
      readCommit: async (wanted: string) => {
        if (wanted === id(3) && here < 3) throw new AppError("E_GIT_OBJECT", "read a commit");
        return commit(3);
      },
      listCommits: async ({ to }: { to: string }) => (to === id(5) ? [commit(5), root] : [commit(3), commit(2)]),
    } as unknown as GitEngine;
    const commits = await new StatusCommits(git, () => ({ spec: { url: "u" } }) as unknown as Repository).list();
    expect(commits.map(({ id: found, parents }) => [found[0], parents[0]?.[0]])).toEqual([
      ["5", "4"],
      ["4", "3"],
      ["3", "2"],
      ["2", undefined],
    ]);
    expect(seen).toEqual(["fetch rollcall/status", ...asked]);
  });

  it("has no change of a commit whose tree is not here any more", async () => {
    const { commit, commits } = openLine({ head: 2 });
    expect(await commits.changesOf(commit(2))).toEqual([]);
  });

  it("has nothing where the branch does not exist, or is not one, and without a Repository", async () => {
    const asked: string[] = [];
    const fetchHead = async (branch: string) => void asked.push(branch);
    const list = (repository: object | undefined) =>
      new StatusCommits({ fetchHead } as unknown as GitEngine, () => repository as Repository | undefined).list();
    expect(await list({ spec: { url: "u" } })).toEqual([]);
    expect(await list({ spec: { url: "u", writeBack: { branch: "records" } } })).toEqual([]);
    expect(await list({ spec: { url: "u", writeBack: { branch: "-x" } } })).toEqual([]);
    expect(await list(undefined)).toEqual([]);
    expect(asked).toEqual(["rollcall/status", "records"]);
  });

  it("has nothing more where the branch was deleted since", async () => {
    const { state, commits } = openLine({ head: 2 });
    await commits.list();
    Object.assign(state, { head: undefined });
    expect(await commits.list()).toEqual([]);
  });

  it("lists the branch anew where it was written anew, and forgets what its old commits changed", async () => {
    const { state, commit, commits } = openLine({ head: 4 });
    await commits.list();
    await commits.changesOf(commit(4));
    state.parents = { c9: "c7" };
    state.head = 9;
    await commits.list();
    expect(state.asked.filter((asked) => asked.startsWith("list"))).toEqual(["list ..c4", "list c4..c9", "list ..c9"]);
    state.asked.length = 0;
    await commits.changesOf(commit(4));
    expect(state.asked).toEqual([]);
    state.missing = true;
    state.head = 10;
    await commits.list();
    state.asked.length = 0;
    await commits.changesOf(commit(4));
    expect(state.asked).toEqual(["compare c3..c4 clusters"]);
  });

  it("keeps the newest 500 commits", async () => {
    const { state, commits } = openLine({ head: 499 });
    await commits.list();
    state.head = 502;
    const found = await commits.list();
    expect([found.length, found[0]?.id, found.at(-1)?.id]).toEqual([500, "c502", "c3"]);
  });

  it("compares a commit again that changed more than a thousand records, which are too many to keep", async () => {
    const { state, commit, commits } = openLine({ head: 4, changes: 1001 });
    for (const _twice of [1, 2]) expect(await commits.changesOf(commit(4), "clusters/one/r5.yaml")).toHaveLength(1);
    expect(state.asked).toHaveLength(2);
    const few = openLine({ head: 4, changes: 1000 });
    for (const _twice of [1, 2]) expect(await few.commits.changesOf(commit(4))).toHaveLength(1000);
    expect(few.state.asked).toHaveLength(1);
  });

  it("has no change of a commit with too many files, and rejects with what else fails", async () => {
    const { commit, commits, state } = openLine({ head: 4 });
    state.failure = new AppError("E_TOO_MANY_FILES", "compare");
    expect(await commits.changesOf(commit(3))).toEqual([]);
    state.failure = new AppError("E_GIT_REMOTE", "compare");
    await expect(commits.changesOf(commit(4))).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });

  it("rejects where the newest commit cannot be read for another reason than that it is elsewhere", async () => {
    const { commits, state } = openLine({ head: 3, statusCommit: "c3" });
    state.readFailure = new AppError("E_GIT_REMOTE", "read");
    await expect(commits.list()).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });
});

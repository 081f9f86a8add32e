import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import { boundCoverage, findCoverage } from "../../../src/review/read-approvals.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

/** A branch; each commit asks for the removals that its message names. */
function open() {
  const git = createMemoryGit();
  const commit = (removals: string, place: Parameters<typeof git.commit>[2] = {}): string =>
    git.commit({}, removals, place);
  const idsOf = (message: string): ReadonlySet<string> => new Set(message.split(" ").filter(Boolean));
  const cover = async (...commits: readonly string[]) => {
    const head = await git.readCommit((await git.fetchHead("main")) ?? "");
    const asked: string[] = [];
    const context = {
      ...{ git, head, wanted: idsOf(head.message) },
      isInHistory: (id: string) => git.isAncestor(id, head.id),
      wantedAt: async (id: string) => {
        asked.push(id);
        return idsOf((await git.readCommit(id)).message);
      },
    };
    const approvals = commits.map((id): RemovalApproval => ({ commit: id, by: "Trailer", count: 9, spent: 0 }));
    const bounds = await boundCoverage(approvals, context);
    asked.length = 0;
    const found = await findCoverage(bounds, context);
    const shown = (covering: typeof bounds) =>
      covering.map(({ approval, covers }) => [commits.indexOf(approval.commit), [...(covers ?? [])].join(" ")]);
    return { bounds: shown(bounds), found: shown(found), asked };
  };
  return { git, commit, cover };
}

describe("an earlier approval", () => {
  it("covers what its commit, the head and every commit between asked for", async () => {
    const { commit, cover } = open();
    const approved = commit("a b c");
    const between = commit("a c");
    commit("a b d");
    expect(await cover(approved)).toEqual({ bounds: [[0, "a b"]], found: [[0, "a"]], asked: [between, approved] });
  });

  it("covers at most what its own commit asked for", async () => {
    const { commit, cover } = open();
    const first = commit("a");
    const second = commit("a b");
    commit("a b c");
    expect(await cover(first, second)).toMatchObject({
      bounds: [
        [0, "a"],
        [1, "a b"],
      ],
      found: [
        [0, "a"],
        [1, "a b"],
      ],
    });
  });

  it("covers nothing where its commit asked for none of them, or is not in this history", async () => {
    const { commit, cover } = open();
    const other = commit("x");
    const beside = commit("a", { parents: [], isBeside: true });
    commit("a");
    expect(await cover(other, beside)).toEqual({ bounds: [], found: [], asked: [] });
  });

  it("covers nothing where a commit between asked for none of them", async () => {
    const { commit, cover } = open();
    const approved = commit("a");
    const between = commit("");
    commit("a");
    expect(await cover(approved)).toEqual({ bounds: [[0, "a"]], found: [], asked: [between] });
  });

  it("covers what it approved on a branch from the merge of it on", async () => {
    const { git, commit, cover } = open();
    const start = commit("");
    const approved = commit("a b", { isBeside: true });
    const merge = commit("a b", { parents: [start, approved] });
    commit("a b");
    expect(await cover(approved)).toEqual({ bounds: [[0, "a b"]], found: [[0, "a b"]], asked: [merge] });
    expect(git.ids).toHaveLength(4);
  });

  it("covers only what the merge of it asked for", async () => {
    const { commit, cover } = open();
    const start = commit("");
    const approved = commit("a b", { isBeside: true });
    const other = commit("", { isBeside: true, parents: [start] });
    commit("a", { parents: [start, other, approved] });
    commit("a b");
    expect(await cover(approved)).toMatchObject({ bounds: [[0, "a b"]], found: [[0, "a"]] });
  });

  it("is searched further down where a merge brings another branch", async () => {
    const { commit, cover } = open();
    const approved = commit("a");
    const beside = commit("a", { isBeside: true });
    const merge = commit("a", { parents: [approved, beside] });
    expect(await cover(approved)).toMatchObject({ found: [[0, "a"]], asked: [approved] });
    expect(merge).not.toBe(approved);
  });

  it.each([
    [199, true],
    [200, false],
  ])("counts %i commits behind the head: %s", async (behind, isFound) => {
    const { commit, cover } = open();
    const approved = commit("a");
    for (let count = 0; count < behind; count++) commit("a");
    const { bounds, found } = await cover(approved);
    expect([bounds, found]).toEqual([[[0, "a"]], isFound ? [[0, "a"]] : []]);
  });
});

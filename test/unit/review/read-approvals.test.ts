import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import type { Repository, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { mergeApprovals } from "../../../src/planning/approvals.ts";
import { readApprovals } from "../../../src/review/read-approvals.ts";
import type { MemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const trailerOf = (count: number): string => `Change\n\nRollcall-Allow-Deletions: ${count}\n`;

/** Reads as a daemon does that writes what it found into Repository.status; `spend` makes each new approval a used one. */
function reader(git: MemoryGit, annotation = "") {
  let command = annotation;
  let status: RepositoryStatus = {};
  return {
    approve: (text: string) => {
      command = text;
    },
    read: async (spend: boolean, base?: string) => {
      const head = (await git.fetchHead("main")) ?? "";
      const annotations = { [annotationKeys.approvedDeletions]: command };
      const repository: Repository = {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Repository",
        metadata: { name: "fleet", namespace: "system", annotations },
        spec: { url: "memory" },
        status,
      };
      const isInHistory = (commit: string) => git.isAncestor(commit, head);
      const isSigned = () => Promise.resolve(true);
      const found = await readApprovals(git, { repository, head, base, reserved: new Set(), isInHistory, isSigned });
      const approvals = mergeApprovals(status.approvals ?? [], found.known);
      const after = approvals.map((approval) => (spend ? { ...approval, spent: approval.count } : approval));
      status = { ...status, approvals: after, scannedCommit: head };
      return found;
    },
    remembered: (): readonly RemovalApproval[] => status.approvals ?? [],
  };
}

const letThrough = ({ atHead, earlier }: { atHead: readonly RemovalApproval[]; earlier: readonly RemovalApproval[] }) =>
  [...atHead, ...earlier].filter(({ spent, count }) => spent < count);

describe("A59 more approvals than are remembered", () => {
  it("make no spent command new again, whose annotation stays on the Repository", async () => {
    const git = createMemoryGit();
    const first = git.commit({}, "Start\n");
    const repository = reader(git, `${first.slice(0, 12)} 5 2026-11-21T04:00:00Z`);
    await repository.read(true);
    for (let index = 0; index < 130; index++) {
      git.commit({}, trailerOf(1));
      const found = await repository.read(true);
      expect(letThrough(found).filter(({ by }) => by === "Command")).toEqual([]);
    }
    expect(repository.remembered()).toHaveLength(100);
  });

  it("make no spent trailer new again when the branch leaves the history that was read", async () => {
    const git = createMemoryGit();
    const base = git.commit({}, "Start\n");
    const repository = reader(git);
    await repository.read(true);
    const ids = Array.from({ length: 130 }, () => git.commit({}, trailerOf(1)));
    await repository.read(true, base);
    git.moveTo(ids[119] ?? "");
    expect(letThrough(await repository.read(false, base))).toEqual([]);
  });

  it("forget what is used up before what is not", () => {
    const trailer = (index: number, spent: number): RemovalApproval => ({
      commit: `c${index}`,
      by: "Trailer",
      count: 1,
      spent,
    });
    const all = Array.from({ length: 150 }, (_value, index) => trailer(index, index % 2));
    const kept = mergeApprovals(all.slice(0, 100), all.slice(100));
    expect(kept).toHaveLength(100);
    expect(kept.filter(({ spent }) => spent === 0)).toEqual(all.filter(({ spent }) => spent === 0));
    const inUse = mergeApprovals(all.slice(0, 100), all.slice(100), new Set(["Trailer/c1"]));
    expect(inUse).toContainEqual(trailer(1, 1));
  });

  it("take no command that was forgotten for a new one, and each new one", async () => {
    const git = createMemoryGit();
    const head = git.commit({}, "Start\n");
    const repository = reader(git);
    const commandOf = (minute: number): string =>
      `${head} 1 ${new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()}`;
    for (let minute = 0; minute < 105; minute++) {
      repository.approve(commandOf(minute));
      expect(letThrough(await repository.read(true))).toHaveLength(1);
    }
    for (const text of [commandOf(0), commandOf(4), commandOf(104), `${head} 1`]) {
      repository.approve(text);
      expect(letThrough(await repository.read(true))).toEqual([]);
    }
  });

  it("are named where they are not used up and are not read any more", async () => {
    const git = createMemoryGit();
    const base = git.commit({}, "Start\n");
    const repository = reader(git);
    await repository.read(false);
    const ids = Array.from({ length: 130 }, () => git.commit({}, trailerOf(1)));
    git.commit({}, "Change\n");
    const { earlier, overlooked } = await repository.read(false, base);
    expect(earlier.map(({ commit }) => commit)).toEqual(ids.slice(-20));
    expect(overlooked.map(({ commit }) => commit)).toEqual(ids.slice(0, -20));
  });
});

describe("a commit range of more than 1,000 commits", () => {
  it("has the approval of its first commit, and is read once: later runs read new commits alone", async () => {
    const git = createMemoryGit();
    const read: string[] = [];
    const counted: MemoryGit = {
      ...git,
      listCommits: async (range) => {
        const commits = await git.listCommits(range);
        read.push(...commits.map(({ id }) => id));
        return commits;
      },
    };
    const base = git.commit({}, "Start\n");
    const approved = git.commit({}, trailerOf(3));
    for (let index = 0; index < 1200; index++) git.commit({}, "Change\n");
    const repository = reader(counted);
    expect(letThrough(await repository.read(false, base))).toMatchObject([{ commit: approved, count: 3 }]);
    expect(read).toHaveLength(1201);
    read.length = 0;
    const head = git.commit({}, "Change\n");
    expect(letThrough(await repository.read(false, base))).toMatchObject([{ commit: approved, count: 3 }]);
    expect(read).toEqual([head]);
  });
});

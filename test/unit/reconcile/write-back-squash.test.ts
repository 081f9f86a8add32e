import { describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { toFile } from "../../../src/planning/render-status.ts";
import { StatusFiles } from "../../../src/planning/status-files.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";
import { StatusBranch } from "../../../src/reconcile/write-back.ts";

const owner = { hubId: "sha256:mine", repository: "system.fleet", adopted: undefined };
const { signal } = new AbortController();
const start = { since: "2026-01-01T00:00:00Z", after: "head", branch: "rollcall/status-past" };
const dayMs = 86_400_000;
const old = "a".repeat(40);
const first = "b".repeat(40);

/** A status branch of two commits without files; `asked` is what is asked of git, in order. */
function open() {
  const asked: unknown[] = [];
  const git: Partial<GitEngine> = {
    fetchHead: (branch) => {
      asked.push(`fetch ${branch}`);
      return Promise.resolve(old);
    },
    readCommit: (id) => {
      const parents = id === old ? [first] : [];
      return Promise.resolve({ id, treeId: "t", parents, author: statusAuthor, committedAtMs: 0, message: "status" });
    },
    listFiles: () => Promise.resolve([]),
    listBranches: () => Promise.resolve(new Map()),
    moveBranch: ({ branch, from, to }) => Promise.resolve(void asked.push({ move: branch, from, to })),
    commitAndPush: ({ parent, isRoot, message }) => {
      asked.push({ parent, isRoot, trailer: message.split("\n").at(-2) });
      return Promise.resolve("new");
    },
  };
  const branch = new StatusBranch(git as GitEngine);
  const files = new StatusFiles();
  files.set("a", toFile("1"));
  const parents: (string | undefined)[] = [];
  const write = (squash?: { readonly head: string; readonly pastHead: string | undefined }) =>
    branch.write({
      ...{
        branch: "rollcall/status",
        owner,
        files,
        sourceCommit: undefined,
        subject: "status",
        committedAtMs: 0,
        signal,
      },
      sign: ({ parent }) => {
        parents.push(parent);
        return {} as never;
      },
      ...(squash ? { squash: { ...squash, start } } : {}),
    });
  const read = (days: number | undefined, nowMs = 40 * dayMs) =>
    branch.readHistory({ branch: "rollcall/status", days, owner, nowMs, signal });
  return { branch, asked, parents, write, read };
}

describe("a status branch that begins anew", () => {
  it("has its past on another branch first, and a first commit that continues it", async () => {
    const { asked, parents, write } = open();
    expect(await write({ head: old, pastHead: "past" })).toBe("new");
    expect(asked).toEqual([
      "fetch rollcall/status",
      { move: "rollcall/status-past", from: "past", to: old },
      { parent: old, isRoot: true, trailer: `Rollcall-Continues: ${old}` },
    ]);
    expect(parents.at(-1)).toBeUndefined();
  });

  it("is left as it is when it was moved meanwhile, and that is not tried again", async () => {
    const { asked, write } = open();
    await expect(write({ head: first, pastHead: undefined })).rejects.toMatchObject({ code: "E_GIT_PUSH_RACE" });
    expect(asked).toEqual(["fetch rollcall/status"]);
  });

  it("continues otherwise: nothing is moved", async () => {
    const { asked, parents, write } = open();
    await write();
    expect(asked).toEqual(["fetch rollcall/status", { parent: old, isRoot: undefined, trailer: "status [skip ci]" }]);
    expect(parents.at(-1)).toBe(old);
  });
});

describe("the history of a status branch", () => {
  it("is not read where all of it is kept", async () => {
    const { asked, read } = open();
    expect([await read(undefined), asked]).toEqual([{}, []]);
  });

  it("is due to be squashed when its first commit is older than what is kept", async () => {
    const { read } = open();
    expect(await read(30)).toMatchObject({ due: { head: old, pastHead: undefined } });
    expect(await open().read(50)).toEqual({ start: undefined });
  });

  it("is not squashed for a day after the server refused it", async () => {
    const { branch, read } = open();
    await read(30);
    expect(branch.keepHistory(30, 40 * dayMs, "refused")).toMatchObject({ kept: "refused", isNews: true });
    expect(await read(30, 40 * dayMs + 1)).toMatchObject({ kept: "refused" });
    expect(await read(30, 41 * dayMs)).toHaveProperty("due");
  });
});

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLocalEngine } from "../../../../src/git/engine/local-engine.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import { createInstantClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";

/** A repository with two commits on main, of which `other` is at the first. */
async function setUp({ isBare = false } = {}) {
  const { path, remove } = await makeTempFolder();
  onTestFinished(remove);
  const repository = await createRepository(join(path, "fleet"), { isBare });
  const older = await repository.commit({ files: { a: "1" } });
  await repository.git("branch", "other", older);
  const head = await repository.commit({ files: { a: "2", b: "2", c: "2" } });
  const clock = createInstantClock();
  const open = (maximumEntries?: number): Promise<GitEngine> =>
    openLocalEngine({
      path: repository.path,
      clock,
      random: realRandom,
      ...(maximumEntries === undefined ? {} : { maximumEntries }),
    });
  const lock = async (branch: string): Promise<void> => {
    const file = join(repository.path, isBare ? "." : ".git", "refs/heads", `${branch}.lock`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
  };
  return { repository, older, head, clock, open, lock };
}

interface Change {
  readonly engine: GitEngine;
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  readonly signal?: AbortSignal;
}

const changes: readonly (readonly [string, (change: Change) => Promise<unknown>])[] = [
  [
    "commits to",
    ({ engine, branch, from, to: _to, ...stop }) => {
      const author = { name: "Rollcall", email: "rollcall@example.org" };
      const request = { branch, parent: from, changes: new Map([["s", "1"]]), message: "m\n", author };
      return engine.commitAndPush({ ...request, committedAtMs: 1_800_000_000_000, ...stop });
    },
  ],
  ["moves", ({ engine, ...move }) => engine.moveBranch(move)],
  ["deletes", ({ engine, branch, from, signal }) => engine.deleteBranch(branch, from, signal)],
];

describe("the local engine", () => {
  it.each(changes)("%s no branch that a work tree has checked out", async (_what, change) => {
    const { repository, older, head, open } = await setUp();
    const engine = await open();
    const outcome = change({ engine, branch: "main", from: head, to: older });
    await expect(outcome).rejects.toMatchObject({ code: "E_GIT_PUSH_DENIED", data: { ref: "refs/heads/main" } });
    expect(await repository.head("main")).toBe(head);
    await change({ engine, branch: "other", from: older, to: head });
    expect(await repository.head("other")).not.toBe(older);
  });

  it.each(changes)("%s no branch that is elsewhere", async (_what, change) => {
    const { repository, older, head, open } = await setUp();
    const outcome = change({ engine: await open(), branch: "other", from: head, to: head });
    await expect(outcome).rejects.toMatchObject({
      code: "E_GIT_PUSH_RACE",
      data: { expected: head, actual: older },
    });
    expect(await repository.head("other")).toBe(older);
  });

  it.each(changes)("%s a branch, and waits for its lock no longer when it is stopped", async (_what, change) => {
    const { repository, older, head, open, lock, clock } = await setUp({ isBare: true });
    await lock("other");
    const reason = new Error("enough");
    const stop = { branch: "other", from: older, to: head, signal: AbortSignal.abort(reason) };
    await expect(change({ engine: await open(), ...stop })).rejects.toBe(reason);
    expect([await repository.head("other"), clock.sleepsMs]).toEqual([older, []]);
  });

  it("moves no branch to what is not here or is no commit, and deletes a deleted one", async () => {
    const { repository, older, head, open } = await setUp();
    const engine = await open();
    const blob = (await repository.git("rev-parse", `${head}:a`)).trim();
    for (const to of ["1".repeat(40), blob])
      await expect(engine.moveBranch({ branch: "other", from: older, to })).rejects.toMatchObject({
        code: "E_GIT_OBJECT",
      });
    for (const _time of [1, 2]) await engine.deleteBranch("other", older);
    expect((await engine.listBranches()).get("other")).toBeUndefined();
  });

  it("has the given bound of files, and the signal is obeyed by what reads refs", async () => {
    const { head, open } = await setUp();
    expect(await (await open(3)).listFiles(head)).toHaveLength(3);
    await expect((await open(2)).listFiles(head)).rejects.toMatchObject({
      code: "E_TOO_MANY_FILES",
      data: { maximumEntries: 2 },
    });
    const [engine, reason] = [await open(), new Error("enough")];
    await expect(engine.fetchHead("main", AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(engine.listBranches(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

import { expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { describeEngines } from "./engines.ts";
import { request } from "./local-request.ts";

interface Call {
  readonly engine: GitEngine;
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

const calls: readonly (readonly [string, (call: Call) => Promise<unknown>])[] = [
  ["fetchHead", ({ engine, signal }) => engine.fetchHead("side", signal)],
  ["listBranches", ({ engine, signal }) => engine.listBranches(signal)],
  [
    "commitAndPush",
    ({ engine, from, signal }) => engine.commitAndPush({ ...request("side", from, { s: "1" }), signal }),
  ],
  [
    "commitAndPush of a new branch",
    ({ engine, signal }) => {
      return engine.commitAndPush({ ...request("new", undefined, { s: "1" }), signal });
    },
  ],
  ["moveBranch", ({ engine, ...move }) => engine.moveBranch({ branch: "side", ...move })],
  ["deleteBranch", ({ engine, from, signal }) => engine.deleteBranch("side", from, signal)],
];

describeEngines("a signal that is aborted", ({ setUp }) => {
  it("ends every call that reaches the repository, and nothing is changed", async () => {
    const { repository, open } = await setUp();
    const from = await repository.commit({ files: { a: "1" } });
    await repository.git("update-ref", "refs/heads/side", from);
    const to = await repository.commit({ files: { a: "2" } });
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(to);
    expect(await engine.fetchHead("side")).toBe(from);
    for (const [name, call] of calls) {
      const reason = new Error(name);
      const outcome = await call({ engine, from, to, signal: AbortSignal.abort(reason) }).catch(
        (error: unknown) => error,
      );
      expect(outcome, name).toBe(reason);
    }
    // What the engine keeps of the branches is right, too.
    expect([...(await engine.listBranches())]).toEqual([
      ["main", to],
      ["side", from],
    ]);
    expect(await engine.fetchHead("side")).toBe(from);
  });
});

import { describe, expect, it } from "vitest";
import { leadingGit } from "../../../src/daemon/leading-git.ts";
import { AppError } from "../../../src/core/errors.ts";
import { refusingEngine } from "../../../src/daemon/patient-engine.ts";
import type { GitEngine } from "../../../src/git/git.ts";

const author = { name: "a", email: "a@example.com" };
const commit = { branch: "b", parent: "1", changes: new Map(), message: "m", author, committedAtMs: 0 };
const pushes: readonly (readonly [string, (git: GitEngine) => Promise<unknown>])[] = [
  ["commitAndPush", (git) => git.commitAndPush(commit)],
  ["moveBranch", (git) => git.moveBranch({ branch: "b", from: "1", to: "2" })],
  ["deleteBranch", (git) => git.deleteBranch("b", "1")],
];

/** An engine that refuses everything it is asked, in a term that has ended or not. */
function open({ isOver }: { readonly isOver: boolean }): GitEngine {
  const term = new AbortController();
  const isCurrent = (): boolean => {
    if (isOver) term.abort();
    return !isOver;
  };
  const asked = new AppError("E_GIT_REMOTE", "the engine was asked");
  return leadingGit(refusingEngine("https://git.example.com/fleet", asked), { signal: term.signal, isCurrent });
}

describe("leadingGit", () => {
  it.each(pushes)("passes %s on while the term is current, and not after its end", async (_, push) => {
    await expect(push(open({ isOver: false }))).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    await expect(push(open({ isOver: true }))).rejects.toMatchObject({ name: "AbortError" });
  });

  it("continues to read", async () => {
    await expect(open({ isOver: true }).fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });
});

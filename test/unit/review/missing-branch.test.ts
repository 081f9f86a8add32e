import { expect, it } from "vitest";
import { missingBranch, nameBranches } from "../../../src/review/missing-branch.ts";

it.each<[string, readonly string[], string]>([
  ["none", [], ""],
  ["one", ["main"], "main"],
  ["the first five", ["a", "b", "c", "d", "e", "f", "g"], "a, b, c, d, e and 2 more"],
  ["five", ["a", "b", "c", "d", "e"], "a, b, c, d, e"],
  ["text that is no name", ["a\u001B[2J\nb", "\u202Ec"], "a [2J b, c"],
  ["the beginning of a long name", ["x".repeat(100)], `${"x".repeat(60)}...`],
])("names %s", (_what, branches, text) => {
  expect(nameBranches(branches)).toBe(text);
});

it.each([
  [["a", "b"], "it does not exist; the repository has a, b"],
  [[], "the repository has no branch"],
])("reports a branch that is missing among %j", async (names, reason) => {
  const signals: unknown[] = [];
  const git = {
    url: "https://git.example.com/fleet.git",
    listBranches: (signal?: AbortSignal) => {
      signals.push(signal);
      return Promise.resolve(new Map(names.map((name) => [name, "1".repeat(40)])));
    },
  };
  const { signal } = new AbortController();
  expect(await missingBranch(git, "main", signal)).toMatchObject({
    code: "E_GIT_BRANCH_MISSING",
    message: `read branch main of ${git.url}: ${reason}`,
    data: { branch: "main" },
  });
  expect(signals).toEqual([signal]);
});

it("reports why the branches cannot be listed", async () => {
  const error = new Error("the server is away");
  const git = { url: "file:///fleet.git", listBranches: () => Promise.reject(error) };
  await expect(missingBranch(git, "main")).rejects.toBe(error);
});

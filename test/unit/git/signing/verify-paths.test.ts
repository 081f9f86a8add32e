import { describe, expect, it } from "vitest";
import type { CommitResult } from "../../../../src/git/signing/verify-commit.ts";
import { satisfiesAll, unverifiedPaths } from "../../../../src/git/signing/verify-paths.ts";

const changes = ["README.md", "clusters/dev/a.yaml", "clusters/prod/b.yaml", "tokens/door.yaml"].map((path) => ({
  path,
}));
const nobody: CommitResult = { kind: "refused", reason: "unsigned", message: "" };
const alice: CommitResult = {
  kind: "verified",
  principal: "alice",
  principals: ["alice", "a@example.org"],
  fingerprint: "",
};

describe("unverifiedPaths", () => {
  it("names every changed file when the rule is for all and no commit is signed", () => {
    expect(unverifiedPaths(changes, { rules: [{}] }, nobody)).toEqual(changes.map(({ path }) => path));
  });

  it("names the files that need a signature, and no others", () => {
    const policy = { rules: [{ paths: ["tokens/", "clusters/prod/**"] }] };
    expect(unverifiedPaths(changes, policy, nobody)).toEqual(["clusters/prod/b.yaml", "tokens/door.yaml"]);
    expect(unverifiedPaths(changes, policy, alice)).toEqual([]);
  });

  it.each([
    [".", changes.map(({ path }) => path)],
    ["./tokens", ["tokens/door.yaml"]],
  ])("applies a rule whose path is written as %s", (path, expected) => {
    expect(unverifiedPaths(changes, { rules: [{ paths: [path] }] }, nobody)).toEqual(expected);
  });

  it("wants the owners of each rule that is for a file", () => {
    const policy = { rules: [{ paths: ["clusters/"] }, { paths: ["tokens/", "clusters/prod/"], principals: ["bob"] }] };
    expect(unverifiedPaths(changes, policy, alice)).toEqual(["clusters/prod/b.yaml", "tokens/door.yaml"]);
    expect(unverifiedPaths(changes, { rules: [{ principals: ["a@example.org"] }] }, alice)).toEqual([]);
  });

  it("needs nothing without rules", () => {
    expect(unverifiedPaths(changes, { rules: [] }, nobody)).toEqual([]);
  });
});

describe("satisfiesAll", () => {
  it.each([
    { rules: [], result: nobody, expected: true },
    { rules: [{}], result: nobody, expected: false },
    { rules: [{}], result: alice, expected: true },
    { rules: [{ paths: ["tokens/"] }, { principals: ["bob"] }], result: alice, expected: false },
    { rules: [{ principals: ["bob"] }, { paths: ["tokens/"] }], result: alice, expected: false },
    { rules: [{ principals: ["bob", "alice"] }, {}], result: alice, expected: true },
  ])("$expected for the rules $rules and $result.kind", ({ rules, result, expected }) => {
    expect(satisfiesAll({ rules }, result)).toBe(expected);
  });
});

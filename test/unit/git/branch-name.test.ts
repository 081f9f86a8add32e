import { describe, expect, it } from "vitest";
import { branchesOf, branchRef, isBranchName } from "../../../src/git/branch-name.ts";
import { runGit } from "../../support/git-repositories.ts";

describe("isBranchName", () => {
  const names = [
    ..."main a/b rollcall/status feature.x ünï @ @x x@ -x x- HEAD .x x. a/.b a/b. a..b a/../b /a a/ a//b a.lock".split(
      " ",
    ),
    ..."a.lock/b a.lockx a~b a^b a:b a?b a*b a[b a]b a\\b a@{b {a} a{b #a %a refs/heads/x '".split(" "),
    "a b",
    "a\tb",
    "a\u007fb",
    "a\nb",
    "--upload-pack=x",
  ];

  it.each(names.map((name) => ({ name })))("evaluates $name as git does", async ({ name }) => {
    const isGood = await runGit("/", ["check-ref-format", "--branch", name]).then(
      () => true,
      () => false,
    );
    expect(isBranchName(name)).toBe(isGood);
  });

  it("refuses the empty name and a name that no file system takes", () => {
    expect(isBranchName("")).toBe(false);
    expect([1000, 1001].map((length) => isBranchName("x".repeat(length)))).toEqual([true, false]);
    expect(isBranchName("ü".repeat(501))).toBe(false);
    expect(isBranchName("a\0b")).toBe(false);
  });
});

describe("branchRef", () => {
  it("is the full ref of a branch", () => {
    expect(branchRef("a/b")).toBe("refs/heads/a/b");
  });

  it("names what is no branch, up to 200 characters", () => {
    const error = { code: "E_GIT_BRANCH_MISSING", recovery: "stalled" };
    expect(() => branchRef("--upload-pack=x\n")).toThrow(
      expect.objectContaining({ ...error, message: '"--upload-pack=x\\n" is no name of a branch' }) as Error,
    );
    expect(() => branchRef(`-${"x".repeat(300)}`)).toThrow(
      expect.objectContaining({ ...error, message: `"-${"x".repeat(199)}" is no name of a branch` }) as Error,
    );
  });
});

describe("branchesOf", () => {
  const [sha1, sha256] = ["a1".repeat(20), "b2".repeat(32)];

  it("has the branches of a repository by name, sorted", () => {
    const refs = new Map([
      ["refs/heads/main", sha1],
      ["refs/heads/a/b", sha256],
      ["refs/heads/Main", sha1],
    ]);
    expect([...branchesOf(refs)]).toEqual([
      ["Main", sha1],
      ["a/b", sha256],
      ["main", sha1],
    ]);
  });

  it.each([
    ["another ref", "refs/tags/main", sha1],
    ["a ref behind another", "x/refs/heads/main", sha1],
    ["a name that is none", "refs/heads/-main", sha1],
    ["an id that is too short", "refs/heads/main", sha1.slice(1)],
    ["an id that is too long", "refs/heads/main", `${sha256}0`],
    ["an id of no known length", "refs/heads/main", `${sha1}0`],
    ["an id that is none", "refs/heads/main", `${sha1.slice(1)}g`],
    ["an id in capitals", "refs/heads/main", sha1.toUpperCase()],
  ])("leaves out %s", (_what, ref, id) => {
    expect([...branchesOf(new Map([[ref, id]]))]).toEqual([]);
  });
});

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isBranchName } from "../../../src/git/branch-name.ts";
import { authorizationFor } from "../../../src/git/wire/credentials.ts";
import { makePathFilter } from "../../../src/git/objects/path-filter.ts";
import { isUnsafeName } from "../../../src/git/objects/unsafe-name.ts";

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

  it.each(names.map((name) => ({ name })))("evaluates $name as git does", ({ name }) => {
    const { status } = spawnSync("git", ["check-ref-format", "--branch", name], { cwd: "/" });
    expect(isBranchName(name)).toBe(status === 0);
  });

  it("refuses the empty name and a name that no file system takes", () => {
    expect(isBranchName("")).toBe(false);
    expect(isBranchName("x".repeat(1001))).toBe(false);
    expect(isBranchName("a\0b")).toBe(false);
  });
});

describe("isUnsafeName", () => {
  const unsafe = ["", ".", "..", ".git", ".GIT", ".Git", "git~1", "GIT~2", ".git ", ".git.", ".git. .", ".git::$INDEX"];
  it.each([
    ...unsafe,
    ".g\u200cit",
    ".git\ufeff",
    "a/b",
    "a\\b",
    "\\",
    "a\0",
    "a\nb",
    "\u007f",
    "bad\ufffd",
    ".\u200d.",
  ])("A12 A27 takes %j for unsafe", (name) => expect(isUnsafeName(name)).toBe(true));

  it.each([
    "a",
    ".gitignore",
    ".gitattributes",
    ".github",
    "...",
    "..a",
    "git",
    "git~",
    "a~1",
    "ünï 🎉",
    "a:b",
    "*",
    "-rf",
  ])("takes %j for a name", (name) => expect(isUnsafeName(name)).toBe(false));
});

describe("makePathFilter", () => {
  it("enters only folders on the way to what is asked for", () => {
    const filter = makePathFilter(["clusters/eu", "./tokens/"]);
    const enters = ["clusters", "clusters/eu", "clusters/eu/a", "clusters/us", "clusters/eu-2", "tokens", "tok"];
    expect(enters.filter((path) => filter.entersFolder(path))).toEqual([
      "clusters",
      "clusters/eu",
      "clusters/eu/a",
      "tokens",
    ]);
    expect(
      ["clusters", "clusters/eu", "clusters/eu/a", "clusters/eu.yaml", "tokens/x"].filter((p) =>
        filter.includesFile(p),
      ),
    ).toEqual(["clusters/eu", "clusters/eu/a", "tokens/x"]);
  });

  it.each([[undefined], [["."]], [["./"]], [[""]], [["a", "/"]]])("takes %j for everything", (paths) => {
    expect(makePathFilter(paths).includesFile("any/thing")).toBe(true);
  });

  it("A12 A28 knows no wildcard and no way up", () => {
    const filter = makePathFilter(["*", "../clusters", ":(top)x", "clusters/../tokens"]);
    for (const path of ["clusters/a", "tokens/a", "x"]) expect(filter.includesFile(path)).toBe(false);
    expect(filter.includesFile("*/a")).toBe(true);
  });
});

describe("authorizationFor", () => {
  const userOf = (host: string): string => {
    const { header } = authorizationFor(host, { kind: "token", secret: "t" });
    return Buffer.from(header.slice("Basic ".length), "base64").toString().split(":")[0] ?? "";
  };

  it("uses the user name that a host wants with a token", () => {
    expect(["github.com", "gitlab.example.org", "my-gitlab.org", "bitbucket.org", "gitea.io"].map(userOf)).toEqual([
      "x-access-token",
      "oauth2",
      "oauth2",
      "x-token-auth",
      "x-access-token",
    ]);
  });

  it("names what must not show", () => {
    const { secrets } = authorizationFor("h", { kind: "basic", username: "u", secret: "s:1" });
    expect(secrets).toEqual(["s:1"]);
  });
});

import { describe, expect, it } from "vitest";
import { isUnsafeName } from "../../../../src/git/objects/unsafe-name.ts";

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
    ".git~1",
    "git~10.",
    "a\u001fb",
    ".GIT:x:y",
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
    "x.git",
    "xgit~1",
    "git~1x",
    "git~x",
    "a b",
    ".git-x",
    "a\u0080",
  ])("takes %j for a name", (name) => expect(isUnsafeName(name)).toBe(false));
});

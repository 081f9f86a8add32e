import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInWorkTree } from "../../../src/system/in-work-tree.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "in-work-tree-")));
  mkdirSync(join(folder, "clone/.git"), { recursive: true });
  mkdirSync(join(folder, "clone/.cache"));
  mkdirSync(join(folder, "worktree"));
  writeFileSync(join(folder, "worktree/.git"), "gitdir: elsewhere\n");
  mkdirSync(join(folder, "home"));
  symlinkSync(join(folder, "clone/.cache"), join(folder, "home/.cache"));
  symlinkSync(join(folder, "home"), join(folder, "clone/out"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("isInWorkTree", () => {
  it.each(["clone", "clone/.cache", "clone/.cache/not/there", "worktree/cache", "home/.cache/rollcall", "clone/out/a"])(
    "A80 is true for %s",
    (path) => expect(isInWorkTree(join(folder, path))).toBe(true),
  );

  it.each(["home", "home/not/there", "clone-of-no-git"])("is false for %s", (path) =>
    expect(isInWorkTree(join(folder, path))).toBe(false),
  );
});

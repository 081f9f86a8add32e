import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compilePathPatterns } from "../../../src/core/path-patterns.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "path-patterns-"));
  execFileSync("git", ["init", "--quiet", folder]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ignoredByGit(lines: readonly string[], paths: readonly string[]): string[] {
  writeFileSync(join(folder, ".gitignore"), `${lines.join("\n")}\n`);
  const result = spawnSync("git", ["-C", folder, "check-ignore", "--no-index", "-z", "--stdin"], {
    input: `${paths.join("\0")}\0`,
    encoding: "utf8",
  });
  return result.stdout.split("\0").filter((path) => path !== "");
}

describe("compilePathPatterns", () => {
  it("ignores what git ignores", () => {
    const part = fc.constantFrom("a", "b", "ab", "*", "a*", "?", "**", "*b", "[ab]", "[!a]", "\\a", "a\\*");
    const line = fc
      .tuple(
        fc.constantFrom("", "", "!", "#"),
        fc.constantFrom("", "/"),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "/", " ", "\r"),
      )
      .map(([mark, front, parts, end]) => `${mark}${front}${parts.join("/")}${end}`);
    const path = fc
      .array(fc.constantFrom("a", "b", "ab", "ba", "a*"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join("/"));
    const paths = fc.uniqueArray(path, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), paths, (lines, names) => {
        const patterns = compilePathPatterns(lines);
        expect(names.filter((name) => patterns.matches(name))).toEqual(ignoredByGit(lines, names));
      }),
      { numRuns: 150 },
    );
  });
});

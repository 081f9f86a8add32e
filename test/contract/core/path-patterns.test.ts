import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compilePathPatterns } from "../../../src/core/path-patterns.ts";
import { runGit } from "../../support/git-repositories.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "path-patterns-"));
  await runGit(folder, ["init", "--quiet"]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ignoring {
  readonly lines: readonly string[];
  readonly paths: readonly string[];
}

/** The paths that git ignores, each list of patterns in a folder of its own: one process answers for all. */
async function ignoredByGit(cases: readonly Ignoring[]): Promise<string[][]> {
  const folders = cases.map(({ lines }) => {
    const path = mkdtempSync(join(folder, "case-"));
    writeFileSync(join(path, ".gitignore"), `${lines.join("\n")}\n`);
    return relative(folder, path);
  });
  const asked = cases.flatMap(({ paths }, index) => paths.map((path) => `${folders[index]}/${path}\0`));
  const input = asked.join("");
  const ignored = (await runGit(folder, ["check-ignore", "--no-index", "-z", "--stdin"], { input })).split("\0");
  return folders.map((name) =>
    ignored.filter((path) => path.startsWith(`${name}/`)).map((path) => path.slice(name.length + 1)),
  );
}

describe("compilePathPatterns", () => {
  it("ignores what git ignores", async () => {
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
    const ignoring = fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 3 }), paths });
    await fc.assert(
      fc.asyncProperty(fc.array(ignoring, { minLength: 150, maxLength: 150 }), async (cases) => {
        const byGit = await ignoredByGit(cases);
        for (const [index, { lines, paths: names }] of cases.entries()) {
          const patterns = compilePathPatterns(lines);
          expect({ lines, ignored: names.filter((name) => patterns.matches(name)) }).toEqual({
            lines,
            ignored: byGit[index],
          });
        }
      }),
      // Each smaller case would start git again.
      { numRuns: 1, endOnFailure: true },
    );
  });
});

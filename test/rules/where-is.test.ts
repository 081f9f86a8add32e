import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/where-is.md"), "utf8");
const rows = [...page.matchAll(/^\| (.+?) +\| \[(.+?)\]\(\.\.\/src\/(.+?)\) +\| `(\w+)` +\|$/gmu)];

describe("docs/where-is.md", () => {
  it("has forty answers", () => {
    expect(rows).toHaveLength(40);
    expect(page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| question"))).toHaveLength(41);
  });

  it.each(rows.map(([, question = "", shown = "", file = "", symbol = ""]) => ({ question, shown, file, symbol })))(
    "$question",
    ({ shown, file, symbol }) => {
      expect(shown).toBe(file);
      const exported = new RegExp(`^export (?:async )?(?:function\\*?|const|class) ${symbol}\\b`, "mu");
      expect(readFileSync(join(root, "src", file), "utf8")).toMatch(exported);
    },
  );
});

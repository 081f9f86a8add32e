import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const pages = [
  { page: "docs/promises-at-the-edges.md", lastNumber: 19 },
  { page: "docs/embedded-hub-checks.md", lastNumber: 12 },
];

describe.each(pages)("$page", ({ page, lastNumber }) => {
  const rows = [
    ...readFileSync(join(root, page), "utf8").matchAll(
      /^\| (\d+)\. [^|]+ \| ([^|]+?) +\| \[[^\]]+\]\(\.\.\/([^)]+)\) +\|(?: [0-9a-f]{7} \|)?$/gmu,
    ),
  ];

  it("has a test for each number", () => {
    const numbers = new Set(rows.map(([, number]) => Number(number)));
    expect([...numbers]).toEqual(Array.from({ length: lastNumber }, (_value, index) => index + 1));
  });

  it("names tests that are there", () => {
    const missing = rows.flatMap(([, , title = "", file = ""]) => {
      const path = join(root, file);
      return existsSync(path) && readFileSync(path, "utf8").includes(title) ? [] : [`${file}: ${title}`];
    });
    expect(missing).toEqual([]);
  });
});

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/promises-at-the-edges.md"), "utf8");
const rows = [
  ...page.matchAll(/^\| (\d+)\. [^|]+ \| ([^|]+?) +\| \[[^\]]+\]\(\.\.\/([^)]+)\) +\| ([0-9a-f]{7}) \|$/gmu),
];

it("docs/promises-at-the-edges.md has a test for each of the nineteen edges", () => {
  const numbers = new Set(rows.map(([, number]) => Number(number)));
  expect([...numbers]).toEqual(Array.from({ length: 19 }, (_value, index) => index + 1));
});

it("docs/promises-at-the-edges.md names tests that are there", () => {
  const missing = rows.flatMap(([, , title = "", file = ""]) => {
    const path = join(root, file);
    return existsSync(path) && readFileSync(path, "utf8").includes(title) ? [] : [`${file}: ${title}`];
  });
  expect(missing).toEqual([]);
});

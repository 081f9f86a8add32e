import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

interface Row {
  readonly number: string;
  /** Files that the row names, from the root of the repository. */
  readonly files: readonly string[];
  readonly reason: string;
}

/** The numbers that each file's titles begin with, such as: A23 A26 runs no hook. */
function readTitles(): ReadonlyMap<string, ReadonlySet<string>> {
  const titles = new Map<string, Set<string>>();
  for (const entry of readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })) {
    const file = `test/${entry.replaceAll("\\", "/")}`;
    if (!file.endsWith(".ts") || file.startsWith("test/bench/")) continue;
    const starts = readFileSync(join(root, file), "utf8").matchAll(/(?<=["'`])(?:[AF]\d{1,3}:? )+/gu);
    const numbers = [...starts].flatMap(([start]) => start.match(/[AF]\d+/gu) ?? []);
    if (numbers.length > 0) titles.set(file, new Set(numbers));
  }
  return titles;
}

function readRows(): Row[] {
  const lines = readFileSync(join(root, "docs/security.md"), "utf8").split("\n");
  return lines.flatMap((line) => {
    const [, number = "", , tests = "", reason = ""] = line.split(/(?<!\\)\|/u).map((cell) => cell.trim());
    if (!/^[AF]\d+$/u.test(number)) return [];
    const files = [...tests.matchAll(/\]\(\.\.\/([^)]+)\)/gu)].map(([, file = ""]) => file);
    return [{ number, files, reason }];
  });
}

/** Every number that must have a row, in order. */
function expectedNumbers(): string[] {
  const range = (letter: string, last: number): string[] =>
    Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
  return [...range("A", 99), ...range("F", 30)];
}

describe("docs/security.md", () => {
  const titles = readTitles();
  const rows = readRows();

  it("has one row for each number, and for each number that a test has", () => {
    const numbers = rows.map(({ number }) => number);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
    const used = [...titles.values()].flatMap((found) => [...found]);
    const missing = [...expectedNumbers(), ...used].filter((number) => !numbers.includes(number));
    expect([...new Set(missing)]).toEqual([]);
  });

  it("has tests for all that a holder cannot do", () => {
    const text = readFileSync(join(root, "docs/security.md"), "utf8");
    const [section = ""] = text.slice(text.indexOf("## Who can do what")).split(/\n## (?!Who can)/u);
    const holders = section.split("\n").filter((line) => /^\| (?!who \||---)/u.test(line));
    expect(holders.length).toBeGreaterThan(8);
    const tested = new Set(rows.filter(({ files }) => files.length > 0).map(({ number }) => number));
    for (const line of holders) {
      const [, who, , cannot = ""] = line.split("|").map((cell) => cell.trim());
      // Each claim ends with its numbers.
      expect(cannot, who).toMatch(/\)$/u);
      const numbers = cannot.match(/[AF]\d+/gu) ?? [];
      expect(
        numbers.filter((number) => !tested.has(number)),
        who,
      ).toEqual([]);
    }
  });

  it.each(rows)("names tests of $number, or gives the reason why it does not apply", ({ number, files, reason }) => {
    if (files.length === 0) expect(reason).toMatch(/^Does not apply: .{20}/u);
    expect(files.filter((file) => titles.get(file)?.has(number) !== true)).toEqual([]);
  });
});

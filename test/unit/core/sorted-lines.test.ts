import { describe, expect, it } from "vitest";
import { compareText } from "../../../src/core/compare-text.ts";
import { SortedLines } from "../../../src/core/sorted-lines.ts";
import { seededRandom } from "../../support/seeded-random.ts";

describe("SortedLines", () => {
  it("has the same text as all lines sorted, after any changes", () => {
    const random = seededRandom(22);
    const lines = new SortedLines(compareText);
    const expected = new Map<string, string>();
    for (let round = 0; round < 6000; round++) {
      const key = `k${Math.floor(random() * 3000)}`;
      const line = random() < (round < 4000 ? 0.1 : 0.7) ? undefined : `${key} ${round}\n`;
      lines.set(key, line);
      if (line === undefined) expected.delete(key);
      else expected.set(key, line);
      if (round % 500 === 0) {
        expect(lines.bytes().toString()).toBe(sorted(expected));
        expect(lines.firstLines(700).join("")).toBe(sorted(expected, 700));
      }
    }
    expect(lines.bytes().toString()).toBe(sorted(expected));
    for (const key of [...expected.keys()]) lines.set(key, undefined);
    expect(lines.bytes().toString()).toBe("");
  });

  it.each([1000, 10_000])("makes of %s lines one block anew when one changes", (count) => {
    const lines = new SortedLines(compareText);
    for (let index = 0; index < count; index++) lines.set(`k${index}`, `line ${index}\n`);
    const before = new Set(lines.bytes().parts);
    lines.set("k500", "changed\n");
    const made = lines.bytes().parts.filter((part) => !before.has(part));
    expect(made).toHaveLength(1);
    expect(made[0]?.byteLength).toBeLessThanOrEqual(128 * "line 10000\n".length);
  });

  it("removes nothing where there is nothing", () => {
    const lines = new SortedLines(compareText);
    lines.set("b", undefined);
    lines.set("b", "b\n");
    lines.set("a", undefined);
    expect(lines.bytes().toString()).toBe("b\n");
  });
});

function sorted(lines: ReadonlyMap<string, string>, atMost = Infinity): string {
  return [...lines]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, line]) => line)
    .slice(0, atMost)
    .join("");
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const { renderTour } = (await import(new URL("../../../scripts/generate/tour.mjs", import.meta.url).href)) as {
  readonly renderTour: (folder: string) => string;
};
const [header = "", ...events] = readFileSync(join(root, "docs/tour.cast"), "utf8").trimEnd().split("\n");
const shown = events.map((line) => JSON.parse(line) as [number, string, string]);

describe("docs/tour.cast", () => {
  it("is what the accepted screens of a terminal show now", () => {
    expect(readFileSync(join(root, "docs/tour.cast"), "utf8")).toBe(renderTour(root));
  });

  it("is a recording of two minutes in asciinema's format", () => {
    expect(JSON.parse(header)).toMatchObject({ version: 2, width: 124, height: 40 });
    const times = shown.map(([seconds]) => seconds);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeGreaterThan(90);
    expect(times.at(-1)).toBeLessThan(125);
  });

  it("has no line that its terminal would break, and none of the words that replace what differs", () => {
    const text = shown.map(([, , part]) => part).join("");
    expect(text.split("\r\n").filter((line) => line.length > 124)).toEqual([]);
    expect(text).not.toMatch(/FOLDER|PORT\b|COMMIT|\bTIME\b|PROGRAM|X\.Y\.Z|\/tmp\//u);
  });
});

import { describe, expect, it } from "vitest";
import { createProgressBar } from "../../../../src/cli/render/progress-bar.ts";

function written(isTTY: boolean, total: number): readonly string[] {
  const parts: string[] = [];
  const bar = createProgressBar({ isTTY, write: (text) => parts.push(text) }, "Read", "file");
  for (let done = 1; done <= total; done++) bar.show(done, total);
  bar.end();
  return parts;
}

describe("createProgressBar", () => {
  it("writes a line at each tenth where there is no terminal", () => {
    const lines = written(false, 10_000);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("Read 1000 of 10000 files\n");
    expect(lines.at(-1)).toBe("Read 10000 of 10000 files\n");
  });

  it("moves one line on a terminal, at most once for each hundredth, and takes it away", () => {
    const parts = written(true, 10_000);
    expect(parts).toHaveLength(102);
    expect(parts[50]).toBe("\r\u001b[K[##########          ] Read 5000 of 10000 files");
    expect(parts.at(-1)).toBe("\r\u001b[K");
    expect(parts.join("")).not.toContain("\n");
  });

  it.each([40, 20, 4])(
    "stays in one line of a terminal with %s columns, which it could not take away else",
    (columns) => {
      const parts: string[] = [];
      const bar = createProgressBar({ isTTY: true, columns, write: (text) => parts.push(text) }, "Read", "file");
      bar.show(5000, 10_000);
      expect(parts.join("").replace("\r\u001b[K", "").length).toBeLessThan(columns);
      expect(parts.join("")).toContain("Rea");
    },
  );

  it("takes a terminal that does not know its columns for a usual one", () => {
    const parts: string[] = [];
    createProgressBar({ isTTY: true, columns: 0, write: (text) => parts.push(text) }, "Read", "file").show(
      5000,
      10_000,
    );
    expect(parts).toEqual(["\r\u001b[K[##########          ] Read 5000 of 10000 files"]);
  });

  it.each([true, false])("shows nothing of what is done at once (terminal: %s)", (isTTY) => {
    expect(written(isTTY, 999)).toEqual([]);
  });
});

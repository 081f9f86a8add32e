import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/demo/up-progress.ts";
import { createProgress } from "../../../src/demo/up-progress.ts";

function stepOf(number: number, isDone: boolean, detail = "v1.34.0"): Step {
  return { cluster: `fleet/c${number}`, state: isDone ? "Ready" : "Joining", detail, isDone };
}

/** What is written to a terminal of this size, by the parts of one `show` each. */
function openTerminal({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  let text = "";
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  Object.assign(stdout, { isTTY: true, rows, columns });
  const progress = createProgress(stdout as NodeJS.WriteStream);
  const show = (steps: readonly Step[]): string => {
    text = "";
    progress.show(steps);
    return text;
  };
  return { show };
}

/** Without what moves the cursor up and clears what is below it. */
function linesOf(text: string): string[] {
  return text
    .replace(/^\u001b\[\d+A\u001b\[0J/u, "")
    .split("\n")
    .slice(0, -1);
}

describe("createProgress", () => {
  it("moves a table that is higher than the terminal: lines that scrolled away cannot be written again", () => {
    const { show } = openTerminal({ rows: 8, columns: 80 });
    const steps = Array.from({ length: 30 }, (_, index) => stepOf(index, index < 20));
    for (const shown of [show(steps), show(steps)]) {
      const lines = linesOf(shown);
      expect(lines).toHaveLength(7);
      expect(lines[0]).toContain("fleet/c20");
      expect(lines.at(-1)).toBe("  and 24 more");
    }
  });

  it("shows each cluster in its order where the terminal is high enough", () => {
    const { show } = openTerminal({ rows: 8, columns: 80 });
    const lines = linesOf(show(Array.from({ length: 7 }, (_, index) => stepOf(index, index % 2 === 1))));
    expect(lines.map((line) => line.trim().split(/\s/u)[0])).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `fleet/c${n}`));
  });

  it("takes one line for each cluster, whatever its message and however narrow the terminal", () => {
    const { show } = openTerminal({ rows: 8, columns: 40 });
    const detail = `first line\nsecond line \u001b[2J ${"x".repeat(100)}`;
    const lines = linesOf(show([stepOf(1, false, detail), { ...stepOf(2, false), state: "\u001b[31m" }]));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line.length).toBeLessThan(40);
      expect(line).not.toContain("\u001b");
    }
  });

  it("writes a line for each change of a state where there is no terminal, and none after its end", () => {
    let text = "";
    const write = (part: string) => {
      text += part;
      return true;
    };
    const progress = createProgress({ isTTY: false, write } as unknown as NodeJS.WriteStream);
    const line = (number: number, state: string) => `  ${`fleet/c${number}`.padEnd(28)} ${state}\n`;
    progress.print("begins");
    for (const steps of [[stepOf(1, false)], [stepOf(1, false), stepOf(2, false)], [stepOf(1, true), stepOf(2, false)]])
      progress.show(steps);
    expect(text).toBe(`begins\n${line(1, "Joining")}${line(2, "Joining")}${line(1, "Ready")}`);
    text = "";
    progress.end("done");
    progress.show([stepOf(1, false)]);
    expect(text).toBe("\ndone\n");
  });
});

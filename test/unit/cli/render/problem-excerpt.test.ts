import { describe, expect, it } from "vitest";
import { excerptsFrom } from "../../../../src/cli/render/problem-excerpt.ts";
import { renderProblems } from "../../../../src/cli/render/render-problems.ts";
import { renderSarif } from "../../../../src/cli/render/render-sarif.ts";
import type { Problem } from "../../../../src/model/problem.ts";

const problem = (file: string, line: number, changes: Partial<Problem> = {}): Problem => ({
  code: "E_YAML",
  severity: "error",
  file,
  line,
  column: 3,
  message: "wrong",
  ...changes,
});

describe("excerptsFrom", () => {
  it.each<{ reason: string; text: string | undefined; place: Problem; expected: string | undefined }>([
    { reason: "the line of the problem", text: "a\n  b: c\r\n", place: problem("f", 2), expected: "  b: c" },
    { reason: "nothing of a file that is not there", text: undefined, place: problem("f", 1), expected: undefined },
    { reason: "nothing of an empty line", text: "a\n\n", place: problem("f", 2), expected: undefined },
    { reason: "nothing behind the end", text: "a", place: problem("f", 7), expected: undefined },
    { reason: "nothing of a file with a Secret", text: "kind: Secret\na", place: problem("f", 2), expected: undefined },
    {
      reason: "nothing of a plain Secret",
      text: "a: b",
      place: problem("f", 1, { code: "E_PLAIN_SECRET" }),
      expected: undefined,
    },
  ])("shows $reason", ({ text, place, expected }) => {
    expect(excerptsFrom(() => text)(place)?.line).toBe(expected);
  });

  it("marks the column in what is shown of a long line", () => {
    const excerpt = excerptsFrom(() => `${"x".repeat(500)}y${"z".repeat(500)}`)(problem("f", 1, { column: 501 }));
    expect(excerpt?.line.length).toBe(160);
    expect(excerpt?.line[excerpt.offset]).toBe("y");
  });

  it("A16 reads a file once for all of its problems, as text and as SARIF", () => {
    const problems = ["a", "b"].flatMap((file) => Array.from({ length: 1000 }, (_, line) => problem(file, line + 1)));
    const text = "x: y\n".repeat(1000);
    const reads = { count: 0 };
    const textOf = (): string => {
      reads.count += 1;
      return text;
    };
    expect(renderProblems(problems, { isColour: false, textOf })).toContain("1000 | x: y");
    expect(reads.count).toBe(2);
    expect(renderSarif(problems, "1.0.0", textOf)).toContain("x: y");
    expect(reads.count).toBe(4);
  });
});

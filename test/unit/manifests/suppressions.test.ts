import { describe, expect, it } from "vitest";
import { applySuppressions } from "../../../src/manifests/suppressions.ts";
import type { Problem } from "../../../src/model/problem.ts";

const warning = (line: number, changes: Partial<Problem> = {}): Problem => ({
  code: "W_EMPTY_SELECTOR",
  severity: "warning",
  file: "a.yaml",
  line,
  column: 1,
  message: "m",
  ...changes,
});
const left = (text: string, problems: readonly Problem[]): string[] =>
  applySuppressions(problems, [{ path: "a.yaml", text }]).map(({ code, file, line, column, message }) =>
    code === "W_SUPPRESSION" ? `${file}:${line}:${column} ${message}` : `${file}:${line} ${code}`,
  );
const bare = "# rollcall-ignore W_EMPTY_SELECTOR";
const error = warning(1, { severity: "error" });
const comment = "# rollcall-ignore W_EMPTY_SELECTOR: the clusters come next week";

describe("applySuppressions: a comment that hides a warning", () => {
  it.each<[string, string, number]>([
    ["on its own line", `a: 1\nb: 2 ${comment}\n`, 2],
    ["on the line after it", `a: 1\n${comment}\nb: 2\n`, 3],
    ["below empty lines and comments", `${comment}\n\n# more\nb: 2\n`, 4],
    ["in a file with other line ends", `a: 1\r\n${comment}\r\nb: 2\r\n`, 3],
  ])("hides one %s", (_where, text, line) => {
    expect(left(text, [warning(line)])).toEqual([]);
  });

  it("hides all of its code on that line, and no other code, line or file", () => {
    const text = `${comment}\nb: 2\nc: 3\n`;
    const others = [warning(3), warning(2, { code: "E_REFERENCE" }), warning(2, { file: "b.yaml" })];
    expect(left(text, [warning(2), warning(2, { column: 5 }), ...others])).toEqual([
      "a.yaml:3 W_EMPTY_SELECTOR",
      "a.yaml:2 E_REFERENCE",
      "b.yaml:2 W_EMPTY_SELECTOR",
    ]);
  });

  it.each<[string, string, readonly Problem[], string]>([
    ["names no code", "b: 2 # rollcall-ignore", [], "the comment names no code to ignore"],
    ["names an unknown code", "b: 2 # rollcall-ignore W_NO_SUCH: x", [], "the comment names no code to ignore"],
    ["gives no reason", `b: 2 ${bare}`, [warning(1)], "the comment gives no reason to ignore W_EMPTY_SELECTOR"],
    ["gives an empty reason", `b: 2 ${bare}: `, [warning(1)], "the comment gives no reason to ignore W_EMPTY_SELECTOR"],
    ["hides nothing", `b: 2 ${comment}`, [], "there is no W_EMPTY_SELECTOR to ignore here"],
    [
      "is about an error",
      `b: 2 ${comment}`,
      [error],
      "W_EMPTY_SELECTOR is an error here, and errors cannot be ignored",
    ],
    [
      "is about both",
      `b: 2 ${comment}`,
      [warning(1), error],
      "W_EMPTY_SELECTOR is an error here, and errors cannot be ignored",
    ],
  ])("is a warning itself when it %s", (_what, text, problems, complaint) => {
    expect(left(text, problems)).toEqual([
      ...problems.map(({ code, line }) => `a.yaml:${line} ${code}`),
      `a.yaml:1:6 ${complaint}`,
    ]);
  });

  it("is none where the words are part of another text", () => {
    const text =
      "b: 2 # see rollcall-ignore in the documentation\nc: 3 # rollcall-ignored\nd: 4 # rollcall-ignore W_X and more\n";
    expect(left(text, [warning(1)])).toEqual(["a.yaml:1 W_EMPTY_SELECTOR"]);
    expect(left("b: 2\n", [warning(1)])).toEqual(["a.yaml:1 W_EMPTY_SELECTOR"]);
  });

  it("is the last of a line that has two", () => {
    expect(left(`b: 2 # rollcall-ignore me not ${comment}`, [warning(1)])).toEqual([]);
  });

  it("at the end of a file is about its own line", () => {
    expect(left(`b: 2\n${comment}`, [warning(1)])).toEqual([
      "a.yaml:1 W_EMPTY_SELECTOR",
      "a.yaml:2:1 there is no W_EMPTY_SELECTOR to ignore here",
    ]);
  });
});

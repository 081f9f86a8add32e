import { describe, expect, it } from "vitest";
import { renderGithub } from "../../../../src/cli/render/render-github.ts";
import { renderProblems, summarizeProblems } from "../../../../src/cli/render/render-problems.ts";
import { renderSarif } from "../../../../src/cli/render/render-sarif.ts";
import { errorCodes } from "../../../../src/core/error-codes.ts";
import type { Problem } from "../../../../src/model/problem.ts";

const remedy = errorCodes.E_DUPLICATE.remedy;
const problems: readonly Problem[] = [
  {
    ...{ code: "E_YAML", severity: "error", file: "a/b c.yaml", line: 12, column: 3 },
    message: "bad: 50%",
    fix: "mend it",
  },
  { code: "E_DUPLICATE", severity: "warning", file: "::d,e.yaml", line: 1, column: 1, message: "twice\u001b" },
];
const text = `${"x\n".repeat(11)}  "bad"\n`;
const textOf = (file: string) => (file === "a/b c.yaml" ? text : undefined);

describe("renderProblems", () => {
  it("has the place, the line with a mark, and what to do", () => {
    expect(renderProblems(problems, { isColour: false, textOf })).toBe(
      [
        "a/b c.yaml:12:3 E_YAML bad: 50%",
        '    12 |   "bad"',
        "       |   ^",
        "    fix: mend it",
        "./::d,e.yaml:1:1 E_DUPLICATE warning: twice\\u{1b}",
        `    fix: ${remedy}`,
        "",
      ].join("\n"),
    );
  });

  it("has no lines of files without their texts, and colours where they are wanted", () => {
    const plain = renderProblems(problems, { isColour: false });
    expect(plain.split("\n").map((line) => line.slice(0, 9))).toEqual([
      ...["a/b c.yam", "    fix: ", "./::d,e.y", "    fix: ", ""],
    ]);
    const coloured = renderProblems(problems, { isColour: true });
    expect(coloured).toContain("\u001b[31mE_YAML\u001b");
    expect(coloured).toContain("\u001b[33mE_DUPLICATE warning:\u001b");
  });
});

it.each([
  [[], "no problems"],
  [[0], "1 problem in 1 file"],
  [[1], "1 warning in 1 file"],
  [[0, 0, 1], "2 problems and 1 warning in 2 files"],
])("summarizeProblems of %j", (indexes, summary) => {
  expect(summarizeProblems(indexes.flatMap((index) => problems[index] ?? []))).toBe(summary);
});

it("renderGithub has a command for each, with its characters escaped", () => {
  expect(renderGithub(problems)).toBe(
    [
      "::error file=a/b c.yaml,line=12,col=3,title=E_YAML::bad: 50%25%0Amend it",
      `::warning file=%3A%3Ad%2Ce.yaml,line=1,col=1,title=E_DUPLICATE::twice\\u{1b}%0A${remedy.replaceAll("%", "%25")}`,
      "",
    ].join("\n"),
  );
});

it("renderSarif has a rule for each code that occurs, and a result for each problem", () => {
  const log = JSON.parse(renderSarif([...problems, ...problems], "1.2.3", textOf)) as {
    readonly runs: readonly [{ readonly tool: { readonly driver: object }; readonly results: readonly unknown[] }];
  };
  const [{ tool, results }] = log.runs;
  const ruleOf = (id: "E_DUPLICATE" | "E_YAML") => ({
    ...{ id, shortDescription: { text: errorCodes[id].title }, help: { text: errorCodes[id].remedy } },
  });
  expect(tool.driver).toEqual({ name: "rollcall", version: "1.2.3", rules: [ruleOf("E_DUPLICATE"), ruleOf("E_YAML")] });
  const placeOf = (uri: string, region: object) => ({
    physicalLocation: { artifactLocation: { uri, uriBaseId: "%SRCROOT%" }, region },
  });
  const first = {
    ...{ ruleId: "E_YAML", ruleIndex: 1, level: "error", message: { text: "bad: 50%. mend it" } },
    locations: [placeOf("a/b%20c.yaml", { startLine: 12, startColumn: 3, snippet: { text: '  "bad"' } })],
  };
  const second = {
    ...{ ruleId: "E_DUPLICATE", ruleIndex: 0, level: "warning", message: { text: "twice\\u{1b}" } },
    locations: [placeOf("%3A%3Ad%2Ce.yaml", { startLine: 1, startColumn: 1 })],
  };
  expect(results).toEqual([first, second, first, second]);
});

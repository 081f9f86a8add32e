import { describe, expect, it } from "vitest";
import { readSeverities, withSeverities } from "../../../../src/cli/render/problem-severities.ts";
import type { Problem } from "../../../../src/model/problem.ts";

describe("readSeverities", () => {
  it("reads codes with their severities, of which the last one of a code counts", () => {
    const read = readSeverities(["E_YAML=off", "E_DUPLICATE=warning", "E_YAML=error"]);
    expect([...read]).toEqual([
      ["E_YAML", "error"],
      ["E_DUPLICATE", "warning"],
    ]);
    expect(readSeverities([])).toEqual(new Map());
  });

  it.each([
    ["E_YAMLL=off", "--severity E_YAMLL=off: there is no code E_YAMLL, did you mean E_YAML?"],
    ["something=off", /there is no code something$/u],
    ["toString=off", "there is no code toString"],
    ["E_YAML", "--severity E_YAML: write E_YAML=error, E_YAML=warning or E_YAML=off"],
    ["E_YAML=on", "write E_YAML=error"],
    ["", "there is no code "],
  ])("refuses %j", (piece, message) => {
    expect(() => readSeverities([piece])).toThrow(message);
    expect(() => readSeverities([piece])).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  });
});

describe("withSeverities", () => {
  const problemOf = (code: "E_YAML" | "E_DUPLICATE", severity: Problem["severity"]): Problem => ({
    ...{ code, severity, file: "a.yaml", line: 1, column: 1, message: "m" },
  });
  const problems = [problemOf("E_YAML", "error"), problemOf("E_DUPLICATE", "warning")];
  it.each([
    [[], false, ["error", "warning"]],
    [[], true, ["error", "error"]],
    [["E_YAML=warning"], false, ["warning", "warning"]],
    [["E_YAML=warning"], true, ["error", "error"]],
    [["E_YAML=off"], true, ["error"]],
    [["E_DUPLICATE=error", "E_YAML=off"], false, ["error"]],
  ])("of %j, strict %s, are %j", (pieces, isStrict, severities) => {
    const found = withSeverities(problems, { severities: readSeverities(pieces), isStrict });
    expect(found.map(({ severity }) => severity)).toEqual(severities);
  });
});

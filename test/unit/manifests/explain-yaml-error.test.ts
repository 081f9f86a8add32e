import { describe, expect, it } from "vitest";
import { explainYamlError, slashComment } from "../../../src/manifests/explain-yaml-error.ts";
import { parseText } from "./read-text.ts";

const noColon = {
  message: "the line has no colon, so it is no `key: value`",
  fix: "Write the colon and a space behind the key, or indent the line if it belongs to the value above.",
};
const noSpace = { message: "a space is missing behind the colon", fix: "Write `key: value`." };
const missing = {
  message: "something is missing here: a colon with a space behind a key, a comma, or a space before a comment",
  fix: "Write `key: value`, one per line.",
};
const manyLines = {
  message: "a key spans more than one line",
  fix: "Check the line above: it may lack its colon, its quote or its indentation.",
};

describe("explainYamlError", () => {
  it.each([
    ["name", noColon],
    ["  - name", noColon],
    ["name:edge", noSpace],
    ["n:e", noSpace],
    ["    name:edge", noSpace],
    ["- name:edge", noSpace],
    ["  -   name:edge", noSpace],
    ["rollcall.dev/a-b:edge", noSpace],
    ["the name:edge", undefined],
    ["https://example.com", undefined],
    ["name: edge", undefined],
    ["name:", undefined],
    ['"name":edge', undefined],
  ])("sees in the line %j whether a colon or a space is missing", (line, explanation) => {
    expect(explainYamlError("MISSING_CHAR", line)).toEqual(explanation ?? missing);
    expect(explainYamlError("MULTILINE_IMPLICIT_KEY", line)).toEqual(explanation ?? manyLines);
  });

  it.each([
    ["MULTILINE_IMPLICIT_KEY", "// my cluster", true],
    ["MISSING_CHAR", "  /* my: cluster */", true],
    ["UNEXPECTED_TOKEN", '{"name": "eu-1"} // the end', true],
    ["UNEXPECTED_TOKEN", "[1] /* the end */", true],
    ["UNEXPECTED_TOKEN", '{"url": "https://example.com"} x', false],
  ] as const)("%s in the line %j is a comment of JavaScript: %s", (code, line, isComment) => {
    expect(explainYamlError(code, line) === slashComment).toBe(isComment);
  });

  it("suggests no colon where something else is wrong", () => {
    const tab = { message: "a tab is used as indentation", fix: "Use spaces: YAML does not allow tabs here." };
    expect(explainYamlError("TAB_AS_INDENT", "\tname")).toEqual(tab);
    expect(explainYamlError("TAB_AS_INDENT", "\tname:edge")).toEqual(tab);
  });

  it.each([
    { text: "kind: Cluster\nname:edge\nspec: {}\n", line: 2, explanation: noSpace },
    { text: "kind: Cluster\nmetadata\nspec: {}\n", line: 2, explanation: noColon },
  ])("reports it at the line of the file: $text", ({ text, line, explanation }) => {
    expect(parseText(text).problems[0]).toMatchObject({ code: "E_YAML", line, ...explanation });
  });
});

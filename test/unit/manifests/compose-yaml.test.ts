import { describe, expect, it } from "vitest";
import { composeYaml } from "../../../src/manifests/compose-yaml.ts";
import { yamlFindings } from "./yaml-findings.ts";

const conflict = "a merge conflict was left in the file (Resolve the conflict and delete its marker lines.)";
const template =
  "double braces: templates are not filled in, files are read as they are (Commit what the template becomes, or list the file in .rollcallignore.)";
const bracket = (sign: string): string =>
  `the bracket (${sign}) that opens here is never closed, or closed on a line that is indented too little (Close the bracket.)`;
const quote = (sign: string): string =>
  `the quote (${sign}) that opens here is never closed (Close the quote at the end of the value.)`;
const outdentedQuote = (sign: string): string =>
  `the quote (${sign}) that opens here is never closed, or closed on a line that is indented too little (Close the quote at the end of the value, or indent the lines below more than the key.)`;

describe("composeYaml", () => {
  it.each([
    { text: "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> main\n", finding: `2:1 E_YAML ${conflict}` },
    { text: "a: 1\n>>>>>>> main\nb: 2\n", finding: `2:1 E_YAML ${conflict}` },
    { text: "a: 1\n=======\r\nb: 2\n", finding: `2:1 E_YAML ${conflict}` },
    { text: "a: 1\n{{ if .b }}\nc: d\n{{ end }}\n", finding: `2:1 E_YAML ${template}` },
    { text: "a: 1\n\t {{- if .b }}\nc: d\n", finding: `2:3 E_YAML ${template}` },
    { text: "a: {{ .Values.b }}-c\nd: e\n", finding: `1:4 E_YAML ${template}` },
    { text: 'a:\n  - {{ include "b" . }}-c\n', finding: `2:5 E_YAML ${template}` },
    { text: `a: b\n${"c: {{ .d | quote }} e\n".repeat(200)}`, finding: `2:4 E_YAML ${template}` },
    { text: `{{ if .a }}\n${"]\n".repeat(200)}`, finding: `1:1 E_YAML ${template}` },
    { text: `a: b\n<<<<<<< HEAD\n${"c: @\n".repeat(200)}`, finding: `2:1 E_YAML ${conflict}` },
    { text: "a: 'b\n\n'\nc: d\n", finding: `1:4 E_YAML ${outdentedQuote("'")}` },
    { text: 'a:\n  b: "c\n  d"\n', finding: `2:6 E_YAML ${outdentedQuote('"')}` },
    { text: "a: [1, {b: c\nd: e\n", finding: `1:8 E_YAML ${bracket("{")}` },
    { text: "a: [1, {b: c}\nd: e\n", finding: `1:4 E_YAML ${bracket("[")}` },
    { text: "a: {b: [c]\nd: e\n", finding: `1:4 E_YAML ${bracket("{")}` },
    { text: "a: {b: [c\nd: e\n", finding: `1:8 E_YAML ${bracket("[")}` },
    { text: "a: [[b], [c\n", finding: `1:10 E_YAML ${bracket("[")}` },
    { text: 'a: ["c"\nd: e\n', finding: `1:4 E_YAML ${bracket("[")}` },
    { text: "a: {b: 'c'\nd: e\n", finding: `1:4 E_YAML ${bracket("{")}` },
    { text: "a: ['b\n", finding: `1:5 E_YAML ${quote("'")}` },
    { text: 'a: [b, "c\nd: e\n', finding: `1:8 E_YAML ${quote('"')}` },
    { text: 'a: "\n', finding: `1:4 E_YAML ${quote('"')}` },
    { text: "a: '\n", finding: `1:4 E_YAML ${quote("'")}` },
    {
      text: "%YAML 1.1\n---\na: 1\n",
      finding: "1:1 E_YAML the file asks for another version of YAML than 1.2 (Delete the %YAML line.)",
    },
    {
      text: "a: 1\n...\n%YAML 1.1\n---\nb: @\n",
      finding: "3:1 E_YAML the file asks for another version of YAML than 1.2 (Delete the %YAML line.)",
    },
  ])("names the one cause in $text", ({ text, finding }) => {
    expect(yamlFindings(text)).toEqual([finding]);
  });

  it.each([
    { reason: "markers within a block of text", text: "a: |\n  b\n  =======\n  {{ c }}\n" },
    { reason: "a rule of equal signs in a comment", text: "# =======\n# {{ a }}\na: 1\n" },
    { reason: "its own version", text: "%YAML 1.2\n---\na: 1\n" },
  ])("finds nothing in a good file with $reason", ({ text }) => {
    expect(yamlFindings(text)).toEqual([]);
  });

  it.each([
    { text: "a: {{ b\n======= \n", reason: "a line that only begins like a marker" },
    { text: "a: @\n<<<<<<<\n", reason: "a marker without what follows it" },
    { text: "a: @\nb <<<<<<< c\n", reason: "a marker within a line" },
    { text: "a: @\nb: {{ c }}\n", reason: "a template within another line" },
    { text: "a: '{{ b }}' c\n", reason: "double braces in quotes" },
    { text: "a: @ # {{ b }}\n", reason: "double braces in a comment" },
    { text: "a: b: {{ c }}\n", reason: "double braces behind the error" },
  ])("does not take for the cause $reason", ({ text }) => {
    for (const finding of yamlFindings(text)) {
      expect(finding).not.toContain(conflict);
      expect(finding).not.toContain(template);
    }
    expect(yamlFindings(text)).not.toEqual([]);
  });

  it("names one cause for each document that it spoils", () => {
    const causes = yamlFindings("a: @\n---\n<<<<<<< HEAD\nb: !c d\n");
    expect(causes).toEqual([`3:1 E_YAML ${conflict}`, `3:1 E_YAML ${conflict}`]);
  });

  it("finds each unknown tag of a document, and reads the rest of it", () => {
    const { documents, streamError } = composeYaml("a: !b c\nd: !e f\n---\ng: !h i\nj: @\n");
    expect(
      documents.map(({ syntaxError, tagFindings }) => [syntaxError?.offset, tagFindings.map(({ offset }) => offset)]),
    ).toEqual([
      [undefined, [3, 11]],
      [31, [23]],
    ]);
    expect(streamError).toBeUndefined();
  });

  it.each([
    { reason: "is too deep", text: "[".repeat(70), fix: "Make the structure flatter." },
    {
      reason: "has too many errors",
      text: "]".repeat(200),
      fix: "Correct it from this line on, or list the file in .rollcallignore when it is no YAML.",
    },
    { reason: "has too many values", text: `[${"1, ".repeat(50_000)}]`, fix: "Split the file, or make it simpler." },
  ])("reads no document of a file that $reason", ({ text, fix }) => {
    const { documents, streamError, pieces } = composeYaml(text);
    expect(documents).toEqual([]);
    expect(streamError).toMatchObject({ code: "E_YAML", fix });
    expect(streamError?.message).toMatch(/; the file was not read$/u);
    expect(pieces).toBeGreaterThan(0);
  });
});

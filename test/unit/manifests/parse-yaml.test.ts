import { describe, expect, it } from "vitest";
import { createLineTable } from "../../../src/core/yaml/line-table.ts";
import { parseYaml } from "../../../src/manifests/parse-yaml.ts";

function findings(text: string): string[] {
  const { documents, streamError } = parseYaml(text);
  return [...documents.flatMap((document) => document.findings), ...(streamError ? [streamError] : [])].map(
    ({ code, offset, message }) => {
      const { line, column } = createLineTable(text)(offset);
      return `${line}:${column} ${code} ${message}`;
    },
  );
}

function values(text: string): unknown[] {
  return parseYaml(text).documents.map(({ value }) => value);
}

describe("parseYaml", () => {
  it.each([
    { text: "a: b: c\n", finding: "1:4 E_YAML the line has a second `key: value` in it" },
    { text: "a:\n\tb: 1\n", finding: "2:1 E_YAML a tab is used as indentation" },
    { text: 'x: 1\na: "b\nc: 1\n', finding: '2:4 E_YAML the quote (") that opens here is never closed' },
    { text: "a: 'b\n", finding: "1:4 E_YAML the quote (') that opens here is never closed" },
    {
      text: "a: [1, 2\nb: 3\n",
      finding:
        "1:4 E_YAML the bracket ([) that opens here is never closed, or closed on a line that is indented too little",
    },
    { text: "a: 1\nb\nc: 2\n", finding: "2:1 E_YAML the line has no colon, so it is no `key: value`" },
    { text: "a: 1\nb:2\nc: 3\n", finding: "2:1 E_YAML a space is missing behind the colon" },
    { text: "a:\n  b: 1\n c: 2\n", finding: "3:1 E_YAML the indentation does not fit the lines above" },
    { text: "a: @b\n", finding: "1:4 E_YAML a value without quotes cannot start with this character" },
    { text: 'a: "\\q"\n', finding: "1:5 E_YAML a backslash in double quotes starts an escape that does not exist" },
    { text: "]\n", finding: "1:1 E_YAML this does not belong here" },
    { text: "%YAML 1.1\n---\na: yes\n", finding: "1:1 E_YAML the file asks for another version of YAML than 1.2" },
    { text: "a: 1\n=======\nb: 2\n", finding: "2:1 E_YAML a merge conflict was left in the file" },
    { text: "a: {{ .Values.b }}\n", finding: /1:5 E_YAML double braces: templates are not filled in/u },
    {
      text: "a:\n  {{- if .b }}\n  c: d\n  {{- end }}\n",
      finding: /2:3 E_YAML double braces: templates are not filled in/u,
    },
    { text: "a: {b: {\n    {{ c }\n", finding: /2:5 E_YAML double braces/u },
    { text: "? [a]\n: b\n", finding: "1:3 E_YAML the key is not text" },
    { text: ": b\n", finding: "1:1 E_YAML the key is empty" },
    { text: "a: .inf\n", finding: "1:4 E_YAML the value is no finite number" },
    { text: "a: 1e400\n", finding: "1:4 E_YAML the value is no finite number" },
    {
      text: "a: 12345678901234567890\n",
      finding: "1:4 E_YAML the number has too many digits to be kept exactly",
    },
    { text: 'a: "\\ud800"\n', finding: /1:4 E_YAML the text has half of a surrogate pair/u },
    { text: "a: *b\n", finding: "1:4 E_YAML the alias (*) refers to an anchor (&) that is not above it" },
  ])("reports what is wrong in $text", ({ text, finding }) => {
    expect(findings(text)).toEqual([typeof finding === "string" ? finding : expect.stringMatching(finding)]);
  });

  it("A18 refuses keys that are there twice, custom tags, prototype keys and merge keys", () => {
    expect(findings("a: 1\nb: 2\na: 3\n")).toEqual(['3:1 E_NOT_UNIQUE_KEY the key "a" occurs twice in this map']);
    expect(findings("a: !b c\nd: !!js/function e\n")).toEqual([
      "1:4 E_YAML a tag (!) is not known; only plain values are read",
      "2:4 E_YAML a tag (!) is not known; only plain values are read",
    ]);
    expect(findings("__proto__: 1\n")).toEqual(["1:1 E_YAML the key __proto__ is not allowed"]);
    expect(findings("a: &x {b: 1}\nc:\n  <<: *x\n")).toEqual([
      expect.stringMatching(/^3:3 E_YAML merge keys \(<<\) are not supported/u),
    ]);
  });

  it("A18 keeps keys that objects inherit as plain keys", () => {
    const [value] = values("constructor: 1\ntoString: 2\n");
    expect(Object.keys(value ?? {})).toEqual(["constructor", "toString"]);
  });

  it("A17 counts what aliases expand to before it expands them", () => {
    const line = (name: string, of: string) =>
      `${name}: &${name} [${Array.from({ length: 9 }, () => of).join(", ")}]\n`;
    const bomb = `${line("a", "x")}${line("b", "*a")}${line("c", "*b")}${line("d", "*c")}${line("e", "*d")}`;
    expect(findings(bomb)).toEqual([
      expect.stringMatching(
        /^3:\d+ E_ALIAS with this one, the aliases \(\*\) of the document expand to more than 100/u,
      ),
    ]);
  });

  it("A17 refuses an alias inside its own anchor", () => {
    expect(findings("a: &a [*a]\n")).toEqual(["1:8 E_ALIAS the alias (*) is inside the value that it refers to"]);
  });

  it("gives an alias the value of the anchor above it, and no shared reference", () => {
    const [value] = values("a: &x {k: 1}\nb: *x\nc: &x 2\nd: *x\n") as [Record<string, unknown>];
    expect(value).toEqual({ a: { k: 1 }, b: { k: 1 }, c: 2, d: 2 });
    expect(value["a"]).not.toBe(value["b"]);
  });

  it.each([
    { text: "a: yes\n", finding: /1:4 .* take it as true$/u },
    { text: "a: NO\n", finding: /1:4 .* take it as false$/u },
    { text: "on: a\n", finding: /1:1 .*key.* take it as true$/u },
    { text: "a: 010\n", finding: /1:4 .* take it as an octal number$/u },
    { text: "a: 0o10\n", finding: /1:4 .* take it as text$/u },
    { text: "a: 0b11\n", finding: /1:4 .* take it as a binary number$/u },
    { text: "a: 12:30:45\n", finding: /1:4 .* take it as a number to the base of 60$/u },
    { text: "a: 1_000\n", finding: /1:4 .* take it as a number$/u },
  ])("warns of $text, which others read differently", ({ text, finding }) => {
    expect(findings(text)).toEqual([expect.stringMatching(/W_YAML_AMBIGUOUS/u)]);
    expect(findings(text)).toEqual([expect.stringMatching(finding)]);
  });

  it("does not warn of quoted text, or of text that only resembles it", () => {
    expect(findings("a: 'yes'\nb: \"010\"\nc: yesterday\nd: 10.0.0.1\ne: 5m\nf: 2024-01-01\ng: 1.2.3\n")).toEqual([]);
  });

  it("keeps good documents of a stream with a bad one", () => {
    const { documents } = parseYaml("a: 1\n---\nb: : c\n---\nd: 2\n");
    expect(documents.map(({ index, isReadable, value }) => ({ index, isReadable, value }))).toEqual([
      { index: 0, isReadable: true, value: { a: 1 } },
      { index: 1, isReadable: false, value: null },
      { index: 2, isReadable: true, value: { d: 2 } },
    ]);
  });

  it.each([
    { name: "brackets", text: "[".repeat(200_000) },
    { name: "braces", text: "{a: ".repeat(50_000) },
    { name: "dashes", text: "- ".repeat(100_000) },
    { name: "question marks", text: "? ".repeat(100_000) },
    { name: "indentation", text: Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("") },
  ])("A16 stops at nesting made of $name", ({ text }) => {
    expect(findings(text)).toEqual([expect.stringMatching(/E_YAML values are nested more than 64 levels deep/u)]);
  });

  it("reads nesting up to the limit", () => {
    const text = `${"[".repeat(64)}${"]".repeat(64)}\n`;
    expect(findings(text)).toEqual([]);
  });

  it("A16 refuses a list with too many entries and reads on", () => {
    const text = `a: [${"1,".repeat(10_001)}]\nb: 2\n`;
    expect(findings(text)).toEqual(["1:4 E_YAML the map or list has 10001 entries; at most 10000 are read"]);
  });
});

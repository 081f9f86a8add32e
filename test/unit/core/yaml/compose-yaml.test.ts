import { describe, expect, it } from "vitest";
import { composeYaml } from "../../../../src/core/yaml/compose-yaml.ts";
import { createLineTable } from "../../../../src/core/yaml/line-table.ts";
import { readYamlDocument } from "../../../../src/core/yaml/read-document.ts";
import { fileBounds } from "../../../../src/core/yaml/yaml-bounds.ts";
import { yamlValue } from "../../../../src/core/yaml/yaml-value.ts";
import { countOfRun } from "../../../support/full-counts.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const pieces = [
  ..."\n\n\n\n    -?:,[]{}#&*!|>'\"%ab1".split(""),
  ...[
    "a: ",
    "- ",
    "\n  ",
    "\n# c\n",
    "\n\n",
    " # c",
    "---\n",
    "...\n",
    "&a ",
    "*a",
    "!!str ",
    "|\n ",
    ">-\n  ",
    `\n# ${"c".repeat(1100)}\n`,
    "\t",
    "\r\n",
  ],
];

describe("composeYaml", () => {
  it("gives the same with and without lines that are blank or a comment", () => {
    const random = seededRandom(16);
    const rounds = countOfRun({ full: 20_000, short: 5_000 });
    for (let round = 0; round < rounds; round++) {
      const text = Array.from({ length: 1 + Math.floor(random() * 24) }, () => pickFrom(pieces, random())).join("");
      expect({ text, read: facts(text, false) }).toEqual({ text, read: facts(text, true) });
    }
  });

  it.each([
    ["a: &b 1\n", "c: 2\n"],
    ["a: &b |\n  1\n", '"c" : 2\n'],
    ["a: &b\n  - 1\n", "c: 2\n"],
    ["[1,\n", "c: 2]\n"],
  ])("reads a key below a comment of more than 1024 characters: %j, %j", (above, below) => {
    const comment = "# a comment of forty characters, or so\n".repeat(40);
    const [document] = composeYaml(`${above}${comment}${below}`, fileBounds).documents;
    expect(document?.errors).toEqual([]);
  });

  it("finds a key of more than 1024 characters", () => {
    const long = "c".repeat(1100);
    const texts = [`a: &b 1\n# c\n${long}: 2\n`, `a: &b 1\n# c\n&${long} c: 2\n`, `- [1, ${long}: 2]\n`];
    const found = texts.map((text) => composeYaml(text, fileBounds).documents[0]?.errors[0]?.code);
    expect(found).toEqual(["KEY_OVER_1024_CHARS", "KEY_OVER_1024_CHARS", "KEY_OVER_1024_CHARS"]);
  });

  it.each([
    ["bytes", "a".repeat(fileBounds.maxBytes + 1)],
    ["depth", "[".repeat(20_000)],
    ["depth", "- ".repeat(20_000)],
    ["depth", "? ".repeat(80)],
    ["tokens", "- a\n".repeat(60_000)],
    ["documents", "---\n[]\n".repeat(11_000)],
    ["directives", "%TAG !a! x\n".repeat(200)],
    ["properties", `a: ${"!a ".repeat(200)}`],
    ["errors", '- "\n'.repeat(200)],
    ["errors", "]".repeat(200)],
  ])("A17 stops at too many %s", (kind, text) => {
    expect(composeYaml(text, fileBounds)).toMatchObject({ documents: [], excess: { kind } });
  });
});

describe("readYamlDocument", () => {
  it.each([
    ["a: &a x\nb: *a\n", { value: { a: "x", b: "x" } }],
    ["", { value: null }],
    ["__proto__: 1\n", { value: JSON.parse('{"__proto__":1}') as unknown }],
    ["1: a\nnull: b\n", { value: { 1: "a", "": "b" } }],
    ["a: 1\na: 2\n", { problem: "a key occurs twice in a map", line: 2 }],
    ["a: *b\n", { problem: "unknown alias", line: 1 }],
    ["a: &a [*a]\n", { problem: "alias in itself", line: 1 }],
    ["a: !secret x\n", { problem: "it is not valid YAML (TAG_RESOLVE_FAILED)", line: 1 }],
    ["? [a]\n: b\n", { problem: "key is no scalar", line: 1 }],
  ])("reads %j strictly", (text, expected) => {
    expect(readYamlDocument(text)).toEqual(expected);
  });

  it("A17 counts what aliases expand to before it is used", () => {
    const lines = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
    expect(readYamlDocument(["a0: &a0 x", ...lines].join("\n"))).toMatchObject({ problem: "too many aliases" });
    const text = `a: &a ${"x".repeat(5000)}\nb: [*a, *a, *a]\n`;
    expect(readYamlDocument(text)).toEqual({ problem: "too many aliases", line: 2 });
  });
});

describe("createLineTable", () => {
  it("gives line and column of each offset", () => {
    const at = createLineTable("ab\n\nc");
    const places = [0, 2, 3, 4, 5, 99, -1].map((offset) => `${at(offset).line}:${at(offset).column}`);
    expect(places).toEqual(["1:1", "1:3", "2:1", "3:1", "3:2", "3:2", "1:1"]);
  });
});

function pickFrom(list: readonly string[], share: number): string {
  return list[Math.floor(share * list.length)] ?? "";
}

function facts(text: string, keepsComments: boolean): unknown {
  const { documents, outsideErrors, excess } = composeYaml(text, fileBounds, { keepsComments });
  return {
    excess: excess?.kind,
    isRefusedOutside: outsideErrors.length > 0,
    documents: documents.map((document) => {
      if (document.errors.length > 0) return "refused";
      const { value, ...rest } = yamlValue(document, { maxDepth: 64 });
      // Where nothing stands is a matter of taste.
      return value === null || value === "" ? rest : { ...rest, value, at: document.contents?.range[0] };
    }),
  };
}

import { Linter } from "eslint";
import type { Rule } from "eslint";
import ts from "typescript";
import { parser } from "typescript-eslint";
import { describe, expect, it } from "vitest";

const rulePath = new URL("../../scripts/own-keys-rule.mjs", import.meta.url).href;
const { ownKeys } = (await import(rulePath)) as { readonly ownKeys: Rule.RuleModule };

const file = "/table.ts";
const table = `const table: { [key: string]: number } = { a: 1 };
declare const key: string;
declare const known: "a" | "b";
`;

/** The lines of `text`, behind those of the table, that the rule refuses. */
function refused(text: string): number[] {
  const code = table + text;
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.ESNext, true);
  const program = ts.createProgram(
    [file],
    { noLib: true, noResolve: true, strict: true },
    {
      getSourceFile: (name) => (name === file ? source : undefined),
      getDefaultLibFileName: () => "/lib.d.ts",
      writeFile: () => undefined,
      getCurrentDirectory: () => "/",
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => "\n",
      fileExists: (name) => name === file,
      readFile: () => code,
    },
  );
  const messages = new Linter({ cwd: "/" }).verify(
    code,
    [
      {
        files: ["**/*.ts"],
        languageOptions: { parser, parserOptions: { programs: [program] } },
        plugins: { rollcall: { rules: { "own-keys": ownKeys } } },
        rules: { "rollcall/own-keys": "error" },
      },
    ],
    { filename: file },
  );
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  return messages.map(({ line }) => line - 3);
}

describe("the lint rule own-keys", () => {
  it.each([
    ["any text", "table[key];"],
    ["a text with any text in it", "table[`a${key}`];"],
    ["a question for any text", "key in table;"],
    [
      "a text that another key is asked for",
      "function f(other: string) { return Object.hasOwn(table, other) && table[key]; }",
    ],
  ])("A58 refuses %s", (_, text) => {
    expect(refused(text)).toEqual([1]);
  });

  it.each([
    ["a known key", "table[known];"],
    ["a literal", 'table["a"];'],
    ["a key that is asked for", "function f() { return Object.hasOwn(table, key) ? table[key] : 0; }"],
    [
      "a table without a prototype",
      "const bare = { __proto__: null, a: 1 } as { [key: string]: unknown };\nbare[key];",
    ],
    ["a write", "table[key] = 1;"],
  ])("allows %s", (_, text) => {
    expect(refused(text)).toEqual([]);
  });
});

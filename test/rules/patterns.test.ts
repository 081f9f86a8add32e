import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkSync } from "recheck";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { longestWaitMs } from "../support/until.ts";

const root = resolve(import.meta.dirname, "../../src");
/** Patterns that were found to be linear, so that they are not checked at each run: to check all takes some minutes. */
const listPath = join(import.meta.dirname, "golden/linear-patterns.txt");

const schemas = resolve(import.meta.dirname, "../../schemas");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/u.test(file));

/** Every regular expression in the sources, and its first place. */
function patternsInSource(): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const file of files) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && !places.has(node.text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        places.set(node.text, `${file}:${line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return places;
}

/** The patterns of schemas, of values and of names of fields: a validator makes regular expressions of them. */
function patternsInSchemas(): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const file of readdirSync(schemas, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  )) {
    const note = (pattern: string): void => void places.set(`/${pattern}/u`, `schemas/${file}`);
    JSON.parse(readFileSync(join(schemas, file), "utf8"), (key, value: unknown) => {
      if (key === "pattern" && typeof value === "string") note(value);
      if (key === "patternProperties") for (const pattern of Object.keys(value as object)) note(pattern);
      return value;
    });
  }
  return places;
}

/** Who makes a regular expression of a text at run time, and of what. */
const made: ReadonlyMap<string, string> = new Map([
  ["cli/commands/read-labels.ts", "constants"],
  ["core/formats/kube-names.ts", "constants"],
  ["core/formats/named-formats.ts", "constants"],
  ["embedded-hub/validation/validate-pod-spec.ts", "constants"],
  ["planning/hidden-line.ts", "constants"],
]);

/** Too large for the checker's automaton, and its guess differs from run to run: the first part ends at a slash. */
const byHand = ["/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u"].flatMap(
  (pattern) => [pattern, pattern.replace("\\/", "/")],
);

/** `ROLLCALL_PATTERNS=all` checks every pattern, and writes the list anew. */
const checksAll = process.env["ROLLCALL_PATTERNS"] === "all";

describe("regular expressions", () => {
  it("A61 take linear time on any text: none backtracks or starts again and again over the same run", () => {
    const linear = new Set(checksAll ? byHand : readFileSync(listPath, "utf8").split("\n"));
    const patterns = new Map([...patternsInSource(), ...patternsInSchemas()]);
    const found = [...patterns].flatMap(([literal, place]) => {
      if (linear.has(literal)) return [];
      const end = literal.lastIndexOf("/");
      const result = checkSync(literal.slice(1, end), literal.slice(end + 1), { timeout: longestWaitMs });
      if (result.status === "safe") return [];
      return [`${place} ${literal}: ${result.status === "vulnerable" ? result.complexity.summary : result.status}`];
    });
    expect(found).toEqual([]);
    if (checksAll) writeFileSync(listPath, `${[...patterns.keys()].sort().join("\n")}\n`);
  });

  it("A61 are made of constants alone", () => {
    const makers = files.filter((file) => /\bRegExp\(/u.test(readFileSync(join(root, file), "utf8")));
    expect(makers.sort()).toEqual([...made.keys()]);
  });
});

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Folders of src that test/unit mirrors. */
const mirrored = [
  ...["adopt", "agent", "daemon", "forge", "git", "hub", "install", "join"],
  ...["manifests", "planning", "policy", "publish", "reconcile", "recovery", "review", "secrets"],
];

/**
 * Files with a decision and without a test of the same path, each with a test that runs it. The list only shrinks: a new file
 * gets its test, and an entry is deleted when its file has one.
 */
const listed: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "golden/unit-mirror.json"), "utf8"),
) as Record<string, string>;
const mostListed = 76;

const decidingOperators: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

/** Whether a source text has an `if`, a `switch`, `?:`, `&&`, `||` or `??`. */
function hasDecision(text: string, path = "a.tsx"): boolean {
  const isDeciding = (node: ts.Node): boolean =>
    ts.isIfStatement(node) ||
    ts.isSwitchStatement(node) ||
    ts.isConditionalExpression(node) ||
    (ts.isBinaryExpression(node) && decidingOperators.has(node.operatorToken.kind)) ||
    ts.forEachChild(node, isDeciding) === true;
  return isDeciding(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false));
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => /\.tsx?$/u.test(path));
}

function mirrorOf(path: string): string {
  return `test/unit/${path.replace(/\.tsx?$/u, ".test.ts")}`;
}

/** The files that a file names in quotes: what it imports, and workers that it starts. */
function namedBy(path: string): string[] {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/"(?<file>(?:\.{1,2}|src)\/[^"\s]+\.tsx?)"/gu)].flatMap(({ groups }) => {
    const file = groups?.["file"] ?? "";
    const target = file.startsWith("src/") ? join(root, file) : resolve(dirname(path), file);
    return existsSync(target) ? [target] : [];
  });
}

const reachedFrom = new Map<string, ReadonlySet<string>>();
const named = new Map<string, readonly string[]>();

/** Every file that a test imports, directly or through other files. */
function reach(test: string): ReadonlySet<string> {
  const known = reachedFrom.get(test);
  if (known) return known;
  const reached = new Set<string>();
  for (const open = [join(root, test)]; open.length > 0;) {
    const path = open.pop() ?? "";
    if (reached.has(path)) continue;
    reached.add(path);
    const next = named.get(path) ?? namedBy(path);
    named.set(path, next);
    open.push(...next);
  }
  reachedFrom.set(test, reached);
  return reached;
}

const deciding = mirrored
  .flatMap(sourcesIn)
  .filter((path) => hasDecision(readFileSync(join(root, "src", path), "utf8"), path));

describe("test/unit", () => {
  it("has a test of the same path for each file with a decision, or the list names one that runs it", () => {
    expect(deciding.length).toBeGreaterThan(400);
    const missing = deciding.filter((path) => !existsSync(join(root, mirrorOf(path))) && !(path in listed));
    expect(missing.map(mirrorOf)).toEqual([]);
  });

  it("has no entry in the list for a file that has its test, or that needs none", () => {
    const decidingFiles = new Set(deciding);
    const needless = Object.keys(listed).filter(
      (path) => existsSync(join(root, mirrorOf(path))) || !decidingFiles.has(path),
    );
    expect(needless).toEqual([]);
    expect(Object.keys(listed).length).toBeLessThanOrEqual(mostListed);
  });

  it("has a list whose tests run the files", () => {
    const strange = Object.entries(listed).filter(
      ([path, test]) => !existsSync(join(root, test)) || !reach(test).has(join(root, "src", path)),
    );
    expect(strange).toEqual([]);
  });
});

describe("a decision", () => {
  it.each([
    ["if (a) b();", true],
    ["switch (a) { case 1: b(); }", true],
    ["const a = b ? 1 : 2;", true],
    ["const a = () => b && c;", true],
    ["const a = b || c;", true],
    ["const a = <p>{b ?? c}</p>;", true],
    ["export type A<T> = T extends string ? 1 : 2;", false],
    ["// if (a) b();\nexport const a = [1, 2].map((b) => b + 1);", false],
    ["const a = b?.c;", false],
  ])("in %s: %s", (text, expected) => {
    expect(hasDecision(text)).toBe(expected);
  });
});

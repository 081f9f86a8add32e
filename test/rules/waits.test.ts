import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { longestWaitMs } from "../support/until.ts";

const root = resolve(import.meta.dirname, "..");
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));

/** Calls whose last argument, or the `timeout` of their options, is how long they wait, or how long what they call may take. */
const bounded =
  /(?:^|\.)(?:until|untilShown|whenPrinted|setDefaultTimeout|it|test|describe|(?:before|after)(?:All|Each)|poll|waitFor|waitUntil)$|^AbortSignal\.timeout$/u;

/** Bounds of a wait that end it sooner than `longestWaitMs`, as `file:line`. */
function shortWaits(file: string, text: string): readonly string[] {
  // Most files have no such number, and to parse them all takes seconds.
  if (!/\b\d{1,2}_000\b|\b[1-9]\d{3}\b/u.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && bounded.test(node.expression.getText(source).replace(/\.each\(.*/su, ""))) {
      const last = node.arguments.at(-1);
      const bounds = [...(last === undefined ? [] : [last]), ...node.arguments.flatMap(timeoutOf)];
      if (bounds.some((bound) => ts.isNumericLiteral(bound) && Number(bound.text) < longestWaitMs))
        found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Loops that give up after a number of tries: how many there are within a time depends on the machine. */
const countedLooks = /\bfor \(let (?:tries|tried|try|attempts?|waits?|waited)\b[^;]*;[^;]*<=? \d/u;

/** The `timeout` of an options object. */
function timeoutOf(argument: ts.Expression): readonly ts.Expression[] {
  if (!ts.isObjectLiteralExpression(argument)) return [];
  return argument.properties.flatMap((property) =>
    ts.isPropertyAssignment(property) && property.name.getText() === "timeout" ? [property.initializer] : [],
  );
}

describe("a wait of a test", () => {
  it("has no bound of its own below the one of all: another machine is slower", () => {
    expect(files.flatMap((file) => shortWaits(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
  });

  it("does not end after a number of tries", () => {
    const others = files.filter((file) => file !== "rules/waits.test.ts");
    const counted = others.filter((file) => countedLooks.test(readFileSync(join(root, file), "utf8")));
    expect(counted).toEqual([]);
    expect(countedLooks.test("for (let tries = 0; tries < 300; tries++) {")).toBe(true);
  });

  it.each([
    ["await until(look, (seen) => seen,\n  10_000);", ["a.ts:1"]],
    ["await until(look, isMet);\nawait until(look, isMet, 120_000);", []],
    ["await up.whenPrinted(/ready/u, 5000);", ["a.ts:1"]],
    ['it("takes long", async () => undefined, 60_000);', ["a.ts:1"]],
    ['it("takes long", { timeout: 60_000 }, async () => undefined);', ["a.ts:1"]],
    ["const signal = AbortSignal.timeout(10_000);", ["a.ts:1"]],
    ["await expect.poll(look, { timeout: 5000 }).toBe(1);", ["a.ts:1"]],
    ["const soon = clock.until(60_000 * 2);", []],
  ])("is found in %j", (text, found) => {
    expect(shortWaits("a.ts", text)).toEqual(found);
  });
});

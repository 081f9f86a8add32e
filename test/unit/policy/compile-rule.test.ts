import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { compileRule } from "../../../src/policy/compile-rule.ts";

function evaluate(expression: string, object: Json = {}, units = 1000) {
  const compiled = compileRule(expression);
  if (compiled.kind === "refused") return { kind: compiled.kind, detail: compiled.detail };
  return compiled.evaluate({ object, oldObject: null, path: "a.yaml" }, units);
}

describe("compileRule", () => {
  it.each([
    { expression: "true", kind: "good" },
    { expression: "false", kind: "bad" },
    { expression: "object.is", kind: "good" },
    { expression: "object.no", kind: "bad" },
    { expression: "object.text", kind: "failed" },
    { expression: "object.none", kind: "failed" },
    { expression: "'text'", kind: "refused" },
    { expression: "1 +", kind: "refused" },
  ])("takes $expression for $kind", ({ expression, kind }) => {
    expect(evaluate(expression, { is: true, no: false, text: "true" }).kind).toBe(kind);
  });

  it.each([
    { units: 10, kind: "stopped" },
    { units: 10_000, kind: "good" },
  ])("may cost $units units: $kind", ({ units, kind }) => {
    const outcome = evaluate(
      "object.list.all(item, item != '')",
      { list: Array.from({ length: 100 }, () => "x") },
      units,
    );
    expect(outcome.kind).toBe(kind);
    expect("units" in outcome && outcome.units > 0).toBe(true);
  });

  it("counts the place of an error from one", () => {
    expect(evaluate("x")).toMatchObject({ detail: "undeclared reference to 'x' (in container '') (at character 1)" });
  });

  it("explains on one line of two hundred characters why a rule has no value, without hidden characters", () => {
    const outcome = evaluate(`object['${String.raw`a\n\u202Eb`}${"c".repeat(300)}']`);
    expect(outcome.kind).toBe("failed");
    const detail = "detail" in outcome ? outcome.detail : "";
    expect(detail).toMatch(/^no such key: a bc+\.\.\.$/u);
    expect(detail).toHaveLength(203);
  });

  it("leaves no space at the end of a reason", () => {
    expect(evaluate(String.raw`object['a\n\u202E ']`)).toMatchObject({ kind: "failed", detail: "no such key: a" });
  });

  it.each([
    { length: 200, isCut: false },
    { length: 201, isCut: true },
  ])("cuts a reason of $length characters: $isCut", ({ length, isCut }) => {
    const before = "no such key: ".length;
    const outcome = evaluate(`object['${"c".repeat(length - before)}']`);
    expect("detail" in outcome && outcome.detail.endsWith("...")).toBe(isCut);
  });

  it("gives each document its own values", () => {
    const compiled = compileRule("object.name == 'a' && path == 'a.yaml'");
    if (compiled.kind !== "rule") throw new Error(compiled.detail);
    const kinds = ["a", "b"].map(
      (name) => compiled.evaluate({ object: { name }, oldObject: null, path: "a.yaml" }, 100).kind,
    );
    expect(kinds).toEqual(["good", "bad"]);
  });

  it.each(["getHours()", "getHours('UTC')"])("takes the hour of a time by %s without a table of zones", (call) => {
    const outcome = evaluate(`timestamp('2024-01-01T01:00:00Z').${call} == 1`);
    expect(outcome.kind).toBe(call.includes("UTC") ? "refused" : "good");
  });
});

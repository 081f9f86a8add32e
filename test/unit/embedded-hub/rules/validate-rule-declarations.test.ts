import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { validateRuleCosts } from "../../../../src/embedded-hub/rules/rule-costs.ts";
import { validateRuleDeclarations } from "../../../../src/embedded-hub/rules/validate-rule-declarations.ts";
import type { Schema } from "../../../../src/embedded-hub/schema/schema.ts";

/** What kube-apiserver 1.34 answered to definitions with rules in the schema of one property. */
interface Recording {
  /** The end of each message about costs. */
  readonly remedy: string;
  readonly answers: readonly (readonly [schema: Schema, causes: readonly string[]])[];
}

const path = "spec.validation.openAPIV3Schema";
const file = new URL("golden/declarations.json", import.meta.url);
const { remedy, answers } = JSON.parse(readFileSync(file, "utf8")) as Recording;

function answerTo(property: Schema): readonly string[] {
  const schema: Schema = { type: "object", properties: { v: property } };
  const faults = validateRuleDeclarations(schema, path, true);
  const errors = faults.length > 0 ? faults : validateRuleCosts(schema, path);
  return errors.map(({ field, message }) => `${field.slice(path.length)}: ${message.replace(remedy, "remedy")}`);
}

describe("rules of a definition that were recorded", () => {
  it.each(answers.map(([schema, causes], index) => [index, schema, causes] as const))(
    "%d",
    (_index, schema, causes) => {
      expect(answerTo(schema)).toEqual(causes);
    },
  );
});

it("names only faults of form in a schema that has others, and in one whose rules have such", () => {
  const rules = (...texts: readonly string[]): Schema => ({
    type: "integer",
    "x-kubernetes-validations": texts.map((rule) => ({ rule })),
  });
  const fieldsOf = (schema: Schema, isSound: boolean): readonly string[] =>
    validateRuleDeclarations(schema, "s", isSound).map(({ field }) => field);
  expect(fieldsOf(rules("self +"), false)).toEqual([]);
  expect(fieldsOf(rules("self +"), true)).toEqual(["s.x-kubernetes-validations[0].rule"]);
  expect(fieldsOf(rules("self +", " "), true)).toEqual(["s.x-kubernetes-validations[1].rule"]);
});

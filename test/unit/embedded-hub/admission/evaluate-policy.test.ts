import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { readPolicy } from "../../../../src/embedded-hub/admission/admission-policy.ts";
import { authorizerValue } from "../../../../src/embedded-hub/admission/authorizer-library.ts";
import { compilePolicy } from "../../../../src/embedded-hub/admission/compile-policy.ts";
import { evaluatePolicy } from "../../../../src/embedded-hub/admission/evaluate-policy.ts";

const authorizer = { authorize: () => ({ isAllowed: true, reason: "" }) };
const user = { username: "jane", groups: [] };

/** What a policy has against a request. */
function evaluate(spec: JsonObject) {
  const header = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" };
  const policy = readPolicy({ ...header, metadata: { name: "p" }, spec });
  const values = {
    object: { kind: "map", entries: new Map() } as never,
    authorizer: authorizerValue(authorizer, user, { group: "", resource: "pods" }),
  };
  return evaluatePolicy({ policy, compiled: compilePolicy(policy), values });
}

const messageOf = (messageExpression: string, more: JsonObject = {}): string | undefined =>
  evaluate({ validations: [{ expression: "false", message: "fixed", messageExpression, ...more }] }).denials[0]
    ?.message;

const textOfBytes = (count: number): string => `'${"é".repeat(count / 2)}'`;
const check = "authorizer.requestResource.check('get').allowed()";
/** 700,000 of the 10,000,000 that a policy has. */
const costly = `${check} && ${check}`;
const exhausted = "validation failed due to running out of cost budget, no further validation rules will be run";
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("the message of a denial", () => {
  it.each([
    ["of the expression, without spaces around it", "' because '", "because"],
    ["of 5 KiB", textOfBytes(5120), "é".repeat(2560)],
    ["the fixed one in place of a longer one", textOfBytes(5122), "fixed"],
    ["the fixed one in place of two lines", "'one\\ntwo'", "fixed"],
    ["the fixed one in place of spaces", "'  '", "fixed"],
    ["the fixed one where the expression fails", "string(1 / 0)", "fixed"],
  ])("is %s", (_what, messageExpression, shown) => {
    expect(messageOf(messageExpression)).toBe(shown);
  });

  it("names the expression where there is no other", () => {
    expect(messageOf("", { message: " ", expression: " false " })).toBe("failed expression: false");
  });
});

describe("the budget of a policy", () => {
  const spec = (count: number) => ({ validations: times(count, () => ({ expression: costly })) });
  const variables = (count: number) => ({
    variables: times(count, (index) => ({ name: `v${index}`, expression: costly })),
    validations: times(count, (index) => ({ expression: `variables.v${index}` })),
  });

  it.each<readonly [string, number, (count: number) => JsonObject]>([
    ["validations", 14, spec],
    ["variables", 14, variables],
    [
      "match conditions",
      3,
      (count) => ({
        matchConditions: times(count, (index) => ({ name: `c${index}`, expression: costly })),
        validations: [{ expression: "true" }],
      }),
    ],
    [
      "audit annotations",
      14,
      (count) => ({
        validations: [{ expression: "true" }],
        auditAnnotations: times(count, (index) => ({ key: `k${index}`, valueExpression: `${costly} ? 'v' : ''` })),
      }),
    ],
  ])("is shared by its %s, and what is beyond it denies the request", (_what, most, of) => {
    expect(evaluate(of(most)).denials).toEqual([]);
    expect(evaluate(of(most + 1)).denials).toEqual([{ message: exhausted, reason: "", index: 0 }]);
    expect(evaluate({ ...of(most + 1), failurePolicy: "Ignore" }).denials).toEqual([]);
  });
});

describe("what cannot be evaluated", () => {
  const failing = { name: "c", expression: "1 / 0 == 1" };

  it("is a reason of its own in a match condition, unless another one does not hold", () => {
    const validations = [{ expression: "false" }];
    const one = "expression '1 / 0 == 1' resulted in error: division by zero";
    const of = (more: JsonObject) => evaluate({ validations, ...more }).denials.map(({ message }) => message);
    expect(of({ matchConditions: [failing] })).toEqual([one]);
    expect(of({ matchConditions: [failing, { ...failing, name: "d" }] })).toEqual([`[${one}, ${one}]`]);
    expect(of({ matchConditions: [failing, { name: "d", expression: "false" }] })).toEqual([]);
    expect(of({ matchConditions: [failing], failurePolicy: "Ignore" })).toEqual([]);
  });

  it("lets a match condition use no variable", () => {
    const variables = [{ name: "v", expression: "true" }];
    const matchConditions = [{ name: "c", expression: "variables.v" }];
    const { denials } = evaluate({ variables, matchConditions, validations: [{ expression: "true" }] });
    expect(denials).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^compilation error: /u) as string }),
    ]);
  });

  it("is a fault of its own in an audit annotation, whatever a binding does with denials", () => {
    const auditAnnotations = [{ key: "k", valueExpression: "string(1 / 0)" }];
    const message = "expression 'string(1 / 0)' resulted in error: division by zero";
    expect(evaluate({ auditAnnotations })).toMatchObject({ denials: [], faults: [{ message }], annotations: [] });
  });
});

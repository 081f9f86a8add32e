import { describe, expect, it } from "vitest";

import { compileCel } from "../../../../src/cel/cel.ts";
import { authorizerValue, policyLibrary } from "../../../../src/embedded-hub/admission/authorizer-library.ts";
import { policyVariables } from "../../../../src/embedded-hub/admission/policy-environment.ts";
import { PatternBudget } from "../../../../src/core/formats/patterns.ts";

const user = { username: "jane", groups: ["devs"] };
const request = { group: "apps", resource: "deployments", subresource: "scale", namespace: "shop", name: "a" };

/** What an expression asks for, and what it results in. */
function evaluate(expression: string, isAllowed = true, budget = 1_000_000) {
  const questions: unknown[] = [];
  const authorizer = {
    authorize: (question: unknown) => {
      questions.push(question);
      return { isAllowed, reason: "by a role" };
    },
  };
  const variables = policyVariables({ hasParams: false, hasAuthorizer: true });
  const program = compileCel(expression, { variables, library: policyLibrary, patterns: new PatternBudget() });
  if (program.kind === "refused") throw new Error(program.message);
  const outcome = program.run({ authorizer: authorizerValue(authorizer, user, request) }, budget);
  return { questions, outcome };
}

const asked = { kind: "resource", user, verb: "get", version: "*" };
const pods = { ...asked, group: "", resource: "pods" };

describe("the authorizer of an expression", () => {
  it.each<readonly [string, object]>([
    ["requestResource", { ...asked, ...request }],
    ["path('/metrics')", { kind: "path", user, verb: "get", path: "/metrics" }],
    ["group('').resource('pods')", pods],
    ["group('apps').resource('pods')", { ...pods, group: "apps" }],
    ["group('').resource('pods').subresource('log')", { ...pods, subresource: "log" }],
    ["group('').resource('pods').namespace('other')", { ...pods, namespace: "other" }],
    ["group('').resource('pods').name('b')", { ...pods, name: "b" }],
    ["group('').resource('pods').subresource('').namespace('').name('')", pods],
    ["group('').resource('pods').fieldSelector('a=b').labelSelector('a=b')", pods],
    [
      "serviceAccount('shop', 'robot').group('').resource('pods')",
      { ...pods, user: expect.objectContaining({ username: "system:serviceaccount:shop:robot" }) as object },
    ],
  ])("is asked for the right that %s names", (expression, question) => {
    expect(evaluate(`authorizer.${expression}.check('get').allowed()`)).toEqual({
      questions: [question],
      outcome: expect.objectContaining({ kind: "value", value: true }) as object,
    });
  });

  it("answers what was decided, and why", () => {
    const check = "authorizer.group('').resource('pods').check('get')";
    const isRefused = `!${check}.allowed() && ${check}.reason() == 'by a role'`;
    expect(evaluate(isRefused, false).outcome).toMatchObject({ kind: "value", value: true });
    const isWhole = `!${check}.errored() && ${check}.error() == ''`;
    expect(evaluate(isWhole).outcome).toMatchObject({ kind: "value", value: true });
  });

  it.each(["path('/metrics')", "group('').resource('pods')"])("costs 350,000 for each question: %s", (expression) => {
    const check = `authorizer.${expression}.check('get').allowed()`;
    const { cost } = evaluate(check).outcome;
    expect(Math.floor(cost / 1000)).toBe(350);
    expect(evaluate(`${check} && ${check} && ${check}`).outcome).toMatchObject({ kind: "failure", isOverBudget: true });
  });
});

import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { selectorProblems } from "../../../../src/embedded-hub/reviews/selector-problems.ts";

function problemsOf(resourceAttributes: JsonObject): string {
  return selectorProblems({ apiVersion: "a/v1", kind: "A", metadata: { name: "a" }, spec: { resourceAttributes } });
}

function requirements(...items: readonly (readonly [operator: string, ...values: string[]])[]): JsonObject {
  return { requirements: items.map(([operator, ...values]) => ({ key: "a", operator, values })) };
}

const all = "ignored due to parse error";
const some = "partially ignored due to parse error";

it.each<readonly [JsonObject, string, string]>([
  [{}, "", ""],
  [{ rawSelector: "a=b" }, "", ""],
  [{ rawSelector: "a=b=c" }, all, all],
  [{ rawSelector: "a in (b)" }, all, ""],
  [requirements(["In", "b"], ["NotIn", "b"]), "", ""],
  [requirements(["In", "b", "c"]), all, ""],
  [requirements(["In", "b"], ["NotIn", "b", "c"]), some, ""],
  [requirements(["Exists"], ["DoesNotExist"]), all, ""],
  [requirements(["Like", "b"]), all, all],
  [requirements(["In", "b"], ["Like", "b"]), some, some],
])("the selector of an access review %j is ignored in part or in whole", (selector, ofFields, ofLabels) => {
  const textOf = (name: string, problem: string) =>
    problem === "" ? "" : `spec.resourceAttributes.${name} ${problem}`;
  expect(problemsOf({ fieldSelector: selector })).toBe(textOf("fieldSelector", ofFields));
  expect(problemsOf({ labelSelector: selector })).toBe(textOf("labelSelector", ofLabels));
  expect(problemsOf({ fieldSelector: { rawSelector: "x" }, labelSelector: selector })).toBe(
    [textOf("fieldSelector", all), textOf("labelSelector", ofLabels)].filter((text) => text !== "").join("; "),
  );
});

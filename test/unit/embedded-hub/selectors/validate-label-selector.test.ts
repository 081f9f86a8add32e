import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateRequirement,
  validateSelectorAt,
} from "../../../../src/embedded-hub/selectors/validate-label-selector.ts";

function problems(selector: JsonObject | undefined): readonly string[] {
  const holder = selector === undefined ? {} : { selector };
  return validateSelectorAt(holder, "selector", "spec").map(
    ({ field, message }) => `${field}: ${message.split(": ")[0] ?? ""}`,
  );
}

const at = "spec.selector.matchExpressions[1]";

describe("a LabelSelector of an object", () => {
  it.each<[JsonObject | undefined, readonly string[]]>([
    [undefined, []],
    [{}, []],
    [{ matchLabels: { "a.example.org/b": "c" } }, []],
    [{ matchLabels: { "-": "c" } }, ["spec.selector.matchLabels: Invalid value"]],
    [{ matchLabels: { a: "-" } }, ["spec.selector.matchLabels: Invalid value"]],
  ])("is valid or not: %j", (selector, expected) => {
    expect(problems(selector)).toEqual(expected);
  });

  it.each<[JsonObject, readonly string[]]>([
    [{ key: "a", operator: "In", values: ["b", ""] }, []],
    [{ key: "a", operator: "NotIn", values: ["b"] }, []],
    [{ key: "a", operator: "Exists" }, []],
    [{ key: "a", operator: "DoesNotExist", values: [] }, []],
    [{ key: "a", operator: "In" }, [`${at}.values: Required value`]],
    [{ key: "a", operator: "NotIn", values: [] }, [`${at}.values: Required value`]],
    [{ key: "a", operator: "Exists", values: ["b"] }, [`${at}.values: Forbidden`]],
    [{ key: "a", operator: "DoesNotExist", values: [""] }, [`${at}.values: Forbidden`]],
    [{ key: "a", operator: "in", values: ["b"] }, [`${at}.operator: Invalid value`]],
    [{ key: "a" }, [`${at}.operator: Invalid value`]],
    [{ key: "a b", operator: "Exists" }, [`${at}.key: Invalid value`]],
    [{ key: "a", operator: "In", values: ["b", "-"] }, [`${at}.values[1]: Invalid value`]],
  ])("has a valid expression or not: %j", (requirement, expected) => {
    expect(problems({ matchExpressions: [{ key: "x", operator: "Exists" }, requirement] })).toEqual(expected);
  });

  it("may have an unknown operator where a review asks, and nothing else that is wrong", () => {
    const given = { key: "a b", operator: "Like", values: ["-"] };
    const fields = validateRequirement(given, "x", { allowsUnknownOperator: true }).map(({ field }) => field);
    expect(fields).toEqual(["x.key", "x.values[0]"]);
  });
});

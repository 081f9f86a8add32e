import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("items by their index or key", () => {
  it.each([
    "{1: 'a'}[dyn(1.0)] == 'a'",
    "{1u: 'a'}[dyn(1)] == 'a'",
    "{true: 'a'}[true] == 'a'",
    "{dyn([1]): 1}.size() == 1",
    "[1, 2, 3][dyn(1u)] == 2",
    "[1, 2, 3][dyn(1.0)] == 2",
    "[1,2,3][?dyn(1u)].hasValue()",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each(["[1,2,3][?-1].hasValue()", "[1,2,3][?3].hasValue()", "{'a': 1}[?dyn(1)].hasValue()"])(
    "it is false: %s",
    (text) => {
      expect(celOutcome(text)).toBe(false);
    },
  );

  it.each([
    ["{1: 'a'}[dyn(1.5)] == 'a'", "no such key: 1.5"],
    ["[1, 2, 3][dyn(1.5)] == 2", "unsupported index value 1.5 in list"],
    ["[1, 2, 3][dyn(true)] == 2", "unsupported index type 'bool' in list"],
    ["[1,2,3][?dyn('a')].hasValue()", "unsupported index type 'string' in list"],
    ["[1] + [dyn('a')] == [1, dyn('a')]", "ERROR: <input>:1:28: expected type 'int' but found 'dyn'"],
    ["[dyn('a'), dyn(1)].join() == 'a,1'", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

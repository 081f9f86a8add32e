import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("logic beside failures", () => {
  it.each([
    "type(1u) == uint && type(b'a') == bytes && type(true) == bool && type([]) == list",
    "!true == false",
    "'a' in ['a'] && true",
    "dyn(1) || true",
    "1 / 0 == 1 || true",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each(["dyn(1) && false", "1 / 0 == 1 && false"])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["dyn(1) ? true : false", "no such overload"],
    ["dyn(1) && true", "no such overload"],
    ["dyn(1) || false", "no such overload"],
    ["true && dyn(1)", "no such overload"],
    ["1 / 0 == 1 || 1 % 0 == 1", "division by zero"],
    ["!dyn(1)", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("what is there of optional values", () => {
  it.each([
    "optional.of([1,2])[0] == optional.of(1)",
    "optional.of({'a': 1})['a'] == optional.of(1)",
    "optional.of({'a': 1}).a == optional.of(1)",
    "has(optional.of({'a': 1}).a)",
    "has({'a': {'b': 1}}.?a.b)",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "optional.of([1,2])[5].hasValue()",
    "optional.of([1,2])[?5].hasValue()",
    "optional.of({'a': 1}).b.hasValue()",
    "optional.of({'a': 1}).?b.hasValue()",
    "optional.none()[0].hasValue()",
    "has(optional.of({'a': 1}).b)",
    "has(optional.none().b)",
    "has({'a': {'b': 1}}.?x.b)",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([["has({'a': 1}.?a)", "ERROR: <input>:1:13: invalid argument to has() macro"]])(
    "it fails with the message of an API server: %s",
    (text, why) => {
      expect(celOutcome(text)).toBe(why);
    },
  );
});

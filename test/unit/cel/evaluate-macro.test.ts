import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("comprehensions", () => {
  it.each([
    "[1, 2].map(x, [3, 4].map(y, x * y)) == [[3, 4], [6, 8]]",
    "[1, 2].map(x, [3].map(x, x)) == [[3], [3]]",
    "[1, 2].all(x, [3].all(x, x == 3) && x < 3)",
    "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v) == {'b': 2}",
    "[5, 6].transformMap(i, v, v) == {0: 5, 1: 6}",
    "[5, 6].transformList(i, v, i) == [0, 1]",
    "{'a': 1}.transformList(k, v, k) == ['a']",
    "{'a': 1}.transformMapEntry(k, v, v == 1, {v: k}) == {1: 'a'}",
    "{'a': 1}.transformMapEntry(k, v, v == 2, {v: k}) == {}",
    "[].all(x, x / 0 == 1)",
    "[0, 1].exists(x, 1 / x == 1)",
    "[dyn(1), dyn(true)].exists(x, x)",
    "optional.of(1).optMap(x, x + 1).value() == 2",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "[1, 2].exists_one(x, x > 0)",
    "[].exists(x, x / 0 == 1)",
    "[0, 2].all(x, 1 / x == 1)",
    "[dyn(1), dyn(false)].all(x, x)",
    "optional.none().optMap(x, 1).hasValue()",
    "optional.of(1).optFlatMap(x, optional.none()).hasValue()",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["[1, 0].all(x, 1 / x == 1)", "division by zero"],
    ["[dyn(1)].all(x, x)", "no such overload"],
    ["[dyn(1)].exists(x, dyn(x))", "no such overload"],
    ["[dyn(1)].filter(x, x).size() == 0", "no such overload"],
    ["[dyn(1)].exists_one(x, x)", "no such overload"],
    ["dyn(1).optMap(x, x).hasValue()", "no such overload"],
    ["optional.of(0).optMap(x, 1 / x).hasValue()", "division by zero"],
    ["dyn(timestamp(0)).all(x, true)", "got 'types.Timestamp', expected iterable type"],
    ["dyn(null).all(x, true)", "got 'types.Null', expected iterable type"],
    ["dyn(1u).all(x, true)", "got 'types.Uint', expected iterable type"],
    ["dyn('a').all(x, true)", "got 'types.String', expected iterable type"],
    ["dyn(b'a').all(x, true)", "got 'types.Bytes', expected iterable type"],
    ["dyn(duration('1s')).map(x, x).size() == 0", "got 'types.Duration', expected iterable type"],
    ["dyn(1.5).all(x, true)", "got 'types.Double', expected iterable type"],
    ["dyn(true).all(x, true)", "got 'types.Bool', expected iterable type"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

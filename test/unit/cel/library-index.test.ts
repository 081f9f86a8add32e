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
    "dyn(optional.of([1]))[0] == optional.of(1)",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "[1,2,3][?-1].hasValue()",
    "[1,2,3][?3].hasValue()",
    "{'a': 1}[?dyn(1)].hasValue()",
    "dyn(optional.none())[0].hasValue()",
    "dyn(1)[?0].hasValue()",
    "dyn(1).?a.hasValue()",
    "has(dyn(1).a)",
    "has(dyn('a').b)",
    "optional.of(dyn(1))[0].hasValue()",
    "optional.of(dyn(1)).a.hasValue()",
    "has(optional.of(dyn(1)).a)",
    "dyn(1)[?'a'].hasValue()",
    "dyn(null)[?0].hasValue()",
    "dyn(null).?a.hasValue()",
    "has(dyn(null).a)",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["{1: 'a'}[dyn(1.5)] == 'a'", "no such key: 1.5"],
    ["[1, 2, 3][dyn(1.5)] == 2", "unsupported index value 1.5 in list"],
    ["[1, 2, 3][dyn(true)] == 2", "unsupported index type 'bool' in list"],
    ["[1,2,3][?dyn('a')].hasValue()", "unsupported index type 'string' in list"],
    ["[1] + [dyn('a')] == [1, dyn('a')]", "ERROR: <input>:1:28: expected type 'int' but found 'dyn'"],
    ["[dyn('a'), dyn(1)].join() == 'a,1'", "no such overload"],
    ["dyn(1).b == 1", "no such key: b"],
    ["dyn(1)['b'] == 1", "no such key: b"],
    ["dyn('a')[0] == 1", "no such key: 0"],
    ["dyn('a')['b'] == 1", "no such key: b"],
    ["dyn('a').b == 1", "no such key: b"],
    ["dyn(null)[0] == 1", "no such key: 0"],
    ["dyn(null).a == 1", "no such key: a"],
    ["dyn(true).a == 1", "no such key: a"],
    ["dyn(timestamp(0)).a == 1", "no such key: a"],
    ["has(dyn([1]).a)", "unsupported index type 'string' in list"],
    ["dyn([1]).a == 1", "unsupported index type 'string' in list"],
    ["dyn([1])['a'] == 1", "unsupported index type 'string' in list"],
    ["dyn(1)[dyn(0)] == 1", "no such key: 0"],
    ["dyn(1)[dyn('a')] == 1", "no such key: a"],
    ["dyn([1]).?a.hasValue()", "unsupported index type 'string' in list"],
    ["dyn([1])[?'a'].hasValue()", "unsupported index type 'string' in list"],
    ["has(dyn([1]).?a)", "ERROR: <input>:1:13: invalid argument to has() macro"],
    ["has(dyn('a').b.c)", "no such key: b"],
    ["dyn('a').b.c == 1", "no such key: b"],
    ["dyn(1)[1.5] == 1", "no such key: 1.5"],
    ["dyn(1)[true] == 1", "no such key: true"],
    ["dyn(timestamp(0))[0] == 1", "no such key: 0"],
    ["dyn(b'a')[0] == 1", "no such key: 0"],
    ["optional.of(dyn([1])).a.hasValue()", "unsupported index type 'string' in list"],
    ["has(optional.of(dyn([1])).a)", "unsupported index type 'string' in list"],
    ["dyn(quantity('1'))['a'] == 1", "no such key: a"],
    ["dyn(quantity('1')).a == 1", "no such key: a"],
    ["dyn(int)['a'] == 1", "no such key: a"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

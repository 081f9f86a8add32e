import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("lists that are sorted, summed and searched", () => {
  it.each([
    "[1, 2, 2].isSorted()",
    "[].isSorted()",
    "[1].isSorted()",
    "[1.0, 2.0].isSorted()",
    "['a', 'b'].isSorted() && [b'a', b'b'].isSorted() && [false, true].isSorted() && [1u, 2u].isSorted()",
    "[timestamp(1), timestamp(2)].isSorted()",
    "[1, 2].sum() == 3",
    "[1u, 2u].sum() == 3u",
    "[1.5, 2.5].sum() == 4.0",
    "[].sum() == 0",
    "dyn([]).sum() == 0",
    "[1.5].filter(x, false).sum() == 0.0",
    "[1u].filter(x, false).sum() == 0u",
    "[2, 1, 3].min() == 1",
    "[2, 1, 3].max() == 3",
    "[1, 3, 2].max() == 3",
    "['b', 'a'].min() == 'a'",
    "[b'b', b'a'].max() == b'b'",
    "[true, false].min() == false",
    "[1u, 2u].max() == 2u",
    "[timestamp(1), timestamp(2)].max() == timestamp(2)",
    "[1, 2, 1].indexOf(1) == 0",
    "[1, 2, 1].lastIndexOf(1) == 2",
    "[1, 2, 1].indexOf(3) == -1",
    "['a'].indexOf('a') == 0",
    "dyn([1, 2]).isSorted()",
    "dyn([1, 2]).sum() == 3",
    "dyn([1, 2]).min() == 1",
    "dyn(['a', 'b']).min() == 'a'",
    "dyn([1, 2]).indexOf(2) == 1",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each(["[2, 1].isSorted()", "[true, false].isSorted()", "[duration('2s'), duration('1s')].isSorted()"])(
    "it is false: %s",
    (text) => {
      expect(celOutcome(text)).toBe(false);
    },
  );

  it.each([
    ["dyn([1, 'a']).isSorted()", "ERROR: <input>:1:9: expected type 'int' but found 'string'"],
    ["dyn([1, 'a']).min() == 1", "ERROR: <input>:1:9: expected type 'int' but found 'string'"],
    ["['a'].sum() == 'a'", "ERROR: <input>:1:10: found no matching overload for 'sum' applied to 'list(string).()'"],
    ["dyn(['a', 'b']).sum() == 'ab'", "no such overload"],
    ["[9223372036854775807, 1].sum() == 0", "integer overflow"],
    ["[].max() == 1", "max called on empty list"],
    ["dyn([true]).sum() == 1", "no such overload"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("optional values", () => {
  it.each([
    "optional.ofNonZeroValue(1u).hasValue()",
    "optional.ofNonZeroValue(true).hasValue()",
    "optional.ofNonZeroValue(b'a').hasValue()",
    "optional.ofNonZeroValue([1]).hasValue()",
    "optional.ofNonZeroValue({1: 1}).hasValue()",
    "optional.ofNonZeroValue(duration('1s')).hasValue()",
    "optional.ofNonZeroValue(timestamp(0)).hasValue()",
    "optional.ofNonZeroValue(type(1)).hasValue()",
    "optional.ofNonZeroValue(optional.none()).hasValue()",
    "optional.of(null).hasValue()",
    "optional.of(1).or(optional.of(2)).value() == 1",
    "optional.none().or(optional.of(2)).value() == 2",
    "optional.of(1).orValue(2) == 1",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "optional.ofNonZeroValue(0u).hasValue()",
    "optional.ofNonZeroValue(0.0).hasValue()",
    "optional.ofNonZeroValue(-0.0).hasValue()",
    "optional.ofNonZeroValue(false).hasValue()",
    "optional.ofNonZeroValue(null).hasValue()",
    "optional.ofNonZeroValue(b'').hasValue()",
    "optional.ofNonZeroValue([]).hasValue()",
    "optional.ofNonZeroValue({}).hasValue()",
    "optional.ofNonZeroValue(duration('0s')).hasValue()",
    "optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z')).hasValue()",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([["optional.none().value() == 1", "optional.none() dereference"]])(
    "it fails with the message of an API server: %s",
    (text, why) => {
      expect(celOutcome(text)).toBe(why);
    },
  );
});

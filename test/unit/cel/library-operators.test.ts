import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("arithmetic", () => {
  it.each([
    "9223372036854775806 + 1 == 9223372036854775807",
    "-9223372036854775807 - 1 == -9223372036854775808",
    "18446744073709551614u + 1u == 18446744073709551615u",
    "3u * 4u == 12u",
    "7u / 2u == 3u",
    "7u % 4u == 3u",
    "-(1.5) == -1.5",
    "1.5 - 0.5 == 1.0",
    "5 - 3 == 2",
    "5 / 2 == 2",
    "2.0 * 3.0 == 6.0",
    "b'a' + b'b' == b'ab'",
    "- 5 == -5",
    "-(5) == -5",
    "1 - 1 == 0",
    "-0x10 == -16",
    "0u + 0u == 0u",
    "-9223372036854775808 % 5 == -3",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each(["1.0 / 0.0 == -1.0 / 0.0"])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["9223372036854775807 + 1 == 0", "integer overflow"],
    ["-9223372036854775808 + -1 == 0", "integer overflow"],
    ["9223372036854775807 * 2 == 0", "integer overflow"],
    ["-9223372036854775807 - 2 == 0", "integer overflow"],
    ["18446744073709551615u + 1u == 0u", "unsigned integer overflow"],
    ["0u - 1u == 0u", "unsigned integer overflow"],
    ["7u / 0u == 3u", "division by zero"],
    ["7u % 0u == 3u", "modulus by zero"],
    ["-(-9223372036854775808) == 0", "integer overflow"],
    ["(-9223372036854775807 - 1) / -1 == 0", "integer overflow"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

// Answers of kube-apiserver 1.34.4.
describe("lists as sets", () => {
  it.each([
    "sets.contains([1, 2], [1])",
    "sets.contains([1], [])",
    "sets.equivalent([1, 1], [1])",
    "sets.intersects([1, 2], [2, 3])",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    "sets.contains([1, 2], [3])",
    "sets.contains([], [1])",
    "sets.equivalent([1], [1, 2])",
    "sets.equivalent([1, 2], [1])",
    "sets.intersects([1], [2])",
    "sets.intersects([], [])",
  ])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([["sets.contains", "ERROR: <input>:1:1: undeclared reference to 'sets' (in container '')"]])(
    "it fails with the message of an API server: %s",
    (text, why) => {
      expect(celOutcome(text)).toBe(why);
    },
  );
});

// Answers of kube-apiserver 1.34.4.
describe("sizes and parts", () => {
  it.each([
    "size('abc') == 3 && size(b'ab') == 2 && size([1]) == 1 && size({1: 1}) == 1",
    "'a\\U0001F600b'.size() == 3",
    "'\\U0001F600'.size() == 1",
    "'abc'.contains('bc')",
    "'abc'.startsWith('ab')",
    "'abc'.endsWith('bc')",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each(["'a'.contains('b')", "'abc'.startsWith('b')", "'abc'.endsWith('b')"])("it is false: %s", (text) => {
    expect(celOutcome(text)).toBe(false);
  });

  it.each([
    ["{'a': null, 'b': timestamp(0)}.size() == 2", "ERROR: <input>:1:27: expected type 'null' but found 'timestamp'"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

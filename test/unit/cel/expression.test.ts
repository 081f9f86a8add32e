import { describe, expect, it } from "vitest";
import { celOutcome } from "../../support/cel-outcome.ts";

// Answers of kube-apiserver 1.34.4.
describe("the parts of an expression", () => {
  it.each([
    "[].all(x, x.a == 1 && x == 1 && x == 'a')",
    "[].all(x, x.all(y, true) && x == 1 && x == 'a')",
    "- 1 == -1",
    "-9223372036854775808 == -9223372036854775807 - 1",
    "--1 == 1",
    "-(-1) == 1",
    "-1.5 == 0.0 - 1.5",
    "- 1.5 < 0.0",
    "1 - -1 == 2",
    "-dyn(1) == -1",
    "9223372036854775807 == 9223372036854775807",
    "18446744073709551615u == 18446744073709551615u",
  ])("it is true: %s", (text) => {
    expect(celOutcome(text)).toBe(true);
  });

  it.each([
    ["[1].exists(x, x, true)", "ERROR: <input>:1:15: duplicate variable name: x"],
    ["{'a': 1}.transformList(k, k, k) == []", "ERROR: <input>:1:27: duplicate variable name: k"],
    ["{'a': 1}.transformList(1, k, k) == []", "ERROR: <input>:1:24: argument must be a simple name"],
    ["has()", "ERROR: <input>:1:4: undeclared reference to 'has' (in container '')"],
    ["has(1, 2)", "ERROR: <input>:1:4: undeclared reference to 'has' (in container '')"],
    ["has({'a': 1}.a, 1)", "ERROR: <input>:1:4: undeclared reference to 'has' (in container '')"],
    ["1 . size()", "ERROR: <input>:1:9: found no matching overload for 'size' applied to 'int.()'"],
    [
      "'a' . contains ( 1 )",
      "ERROR: <input>:1:16: found no matching overload for 'contains' applied to 'string.(int)'",
    ],
    ["[1] [ 'a' ] == 1", "ERROR: <input>:1:5: found no matching overload for '_[_]' applied to '(list(int), string)'"],
    ["size (1) == 1", "ERROR: <input>:1:6: found no matching overload for 'size' applied to '(int)'"],
    [
      "'contains'.contains(1)",
      "ERROR: <input>:1:20: found no matching overload for 'contains' applied to 'string.(int)'",
    ],
    [
      "'contains('.contains (1)",
      "ERROR: <input>:1:22: found no matching overload for 'contains' applied to 'string.(int)'",
    ],
    ["{'a': 1} . b . c == 1", "ERROR: <input>:1:14: type 'int' does not support field selection"],
    ["{'a': 1} . ? b . c == 1", "ERROR: <input>:1:16: type 'int' does not support field selection"],
    ["(1) + ('a') == 2", "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(int, string)'"],
    ["(1 + 2) + ('a') == 2", "ERROR: <input>:1:9: found no matching overload for '_+_' applied to '(int, string)'"],
    [
      "[1].map(x, x + 'a') == []",
      "ERROR: <input>:1:14: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    [
      "[ 1 ] . map ( x , x + 'a' ) == []",
      "ERROR: <input>:1:21: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    ["1 ? (2) : 3", "ERROR: <input>:1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
    ["(1) ? 2 : 3", "ERROR: <input>:1:5: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
    ["-9223372036854775809 == 1", "ERROR: <input>:1:1: invalid int literal"],
    ["-1u == 1", "ERROR: <input>:1:1: found no matching overload for '-_' applied to '(uint)'"],
    ["-'a' == 'a'", "ERROR: <input>:1:1: found no matching overload for '-_' applied to '(string)'"],
    ["- true", "ERROR: <input>:1:1: found no matching overload for '-_' applied to '(bool)'"],
  ])("it fails with the message of an API server: %s", (text, why) => {
    expect(celOutcome(text)).toBe(why);
  });
});

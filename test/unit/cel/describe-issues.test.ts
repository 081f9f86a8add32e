import { expect, it } from "vitest";
import { describeIssues } from "../../../src/cel/describe-issues.ts";

// Source: cel-go 0.26, common errors.
it("points at each mistake in its line, in the order of the text", () => {
  const issues = [
    { position: 9, message: "second" },
    { position: 1, message: "first" },
  ];
  const text = "ab\n\t😀 cdef\nx";
  expect(describeIssues(text, issues)).toBe(
    ["ERROR: <input>:1:2: first", " | ab", " | .^", "ERROR: <input>:2:6: second", " |  😀 cdef", " | .....^"].join(
      "\n",
    ),
  );
  expect(describeIssues("ab", [{ position: 0, message: "m" }])).toBe("ERROR: <input>:1:1: m\n | ab\n | ^");
});

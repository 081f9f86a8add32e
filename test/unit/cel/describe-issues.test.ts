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

it("A224 shows the first hundred that were found, and how many more there are", () => {
  const issues = Array.from({ length: 103 }, (_, index) => ({ position: 200 - index, message: `m${index}` }));
  const lines = describeIssues("a".repeat(300), issues).split("\n");
  expect(lines).toHaveLength(3 * 100 + 1);
  expect(lines[0]).toBe("ERROR: <input>:1:102: m99");
  expect(lines.at(-1)).toBe("3 more errors were truncated");
});

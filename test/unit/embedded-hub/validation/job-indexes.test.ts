import { describe, expect, it } from "vitest";
import { readIndexes, sharedIndex } from "../../../../src/embedded-hub/validation/job-indexes.ts";

describe("indexes of a Job of five completions", () => {
  it.each<{ text: string; expected: unknown }>([
    { text: "", expected: { total: 0, intervals: [] } },
    { text: "4", expected: { total: 1, intervals: [[4, 4]] } },
    {
      text: "0,2-4",
      expected: {
        total: 4,
        intervals: [
          [0, 0],
          [2, 4],
        ],
      },
    },
    { text: "+1", expected: { total: 1, intervals: [[1, 1]] } },
    { text: "a", expected: 'cannot convert string to integer for index: "a"' },
    { text: "a1", expected: 'cannot convert string to integer for index: "a1"' },
    { text: "1.5", expected: 'cannot convert string to integer for index: "1.5"' },
    { text: "1,", expected: 'cannot convert string to integer for index: ""' },
    { text: "-1", expected: 'cannot convert string to integer for index: ""' },
    { text: "5", expected: 'too large index: "5"' },
    { text: "1-5", expected: 'too large index: "5"' },
    { text: "10", expected: 'too large index: "10"' },
    {
      text: "1-2-3",
      expected:
        "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
    },
    { text: "3-3", expected: "non-increasing order, previous: 3, current: 3" },
    { text: "3-2", expected: "non-increasing order, previous: 3, current: 2" },
    { text: "1,1", expected: "non-increasing order, previous: 1, current: 1" },
    { text: "1-3,2", expected: "non-increasing order, previous: 3, current: 2" },
  ])("are read as an API server reads $text", ({ text, expected }) => {
    expect(readIndexes(text, 5)).toEqual(expected);
  });

  it.each<[one: string, other: string, shared: number | undefined]>([
    ["", "1", undefined],
    ["1", "", undefined],
    ["0-1", "2-3", undefined],
    ["2-3", "0-1", undefined],
    ["0-2", "2-4", 2],
    ["2-4", "0-2", 2],
    ["0,3-4", "1,3", 3],
    ["4", "0,2,4", 4],
  ])("of %j and %j share %j", (one, other, shared) => {
    const [first, second] = [one, other].map((text) => readIndexes(text, 5));
    if (typeof first !== "object" || typeof second !== "object") throw new Error("they are well formed");
    expect(sharedIndex(first, second)).toBe(shared);
  });
});

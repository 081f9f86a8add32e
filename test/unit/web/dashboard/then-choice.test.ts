import { describe, expect, it } from "vitest";
import type { Baseline } from "../../../../src/web/dashboard/browser/data/then-choice.ts";
import { baselineOf, placeOf, readBaseline } from "../../../../src/web/dashboard/browser/data/then-choice.ts";

/** The newest first. */
const commits = ["12:00", "11:30", "10:50", "09:00"].map((time, index) => ({
  id: `${index}`.repeat(40),
  committed: `2026-03-12T${time}:00Z`,
}));

describe("placeOf", () => {
  it.each([
    { at: null, place: 0, reason: "no commit is named" },
    { at: "2222222", place: 2, reason: "the start of an id is enough" },
    { at: "2", place: 0, reason: "one letter means no commit" },
    { at: "abcdef0123", place: 0, reason: "the commit is not on the list any more" },
  ])("is $place where $reason", ({ at, place }) => {
    expect(placeOf(commits, at)).toBe(place);
  });
});

describe("baselineOf", () => {
  it.each<{ place: number; baseline: Baseline; id: string | undefined }>([
    { place: 0, baseline: "before", id: undefined },
    { place: 0, baseline: "hour", id: commits[2]?.id },
    { place: 0, baseline: "day", id: commits[3]?.id },
    { place: 1, baseline: "first", id: commits[3]?.id },
    { place: 2, baseline: "hour", id: commits[3]?.id },
    { place: 3, baseline: "hour", id: undefined },
  ])("of place $place with $baseline", ({ place, baseline, id }) => {
    expect(baselineOf(commits, place, baseline)).toBe(id);
  });
});

describe("readBaseline", () => {
  it("is the commit before where the address has another word", () => {
    expect([readBaseline("day"), readBaseline("year"), readBaseline(null)]).toEqual(["day", "before", "before"]);
  });
});

import { describe, expect, it } from "vitest";
import { isSameCluster, isSuccessorOf, readPreviousName } from "../../../src/model/previous-name.ts";

const old = { workspace: "fleet", name: "old" };

describe("the previous name of a cluster", () => {
  it.each([
    { text: "old", means: old },
    { text: "labs/old", means: { workspace: "labs", name: "old" } },
  ])("$text means a cluster of a workspace", ({ text, means }) => {
    expect(readPreviousName(text, "fleet")).toEqual(means);
  });

  it.each([
    { one: undefined, isSame: false },
    { one: old, isSame: true },
    { one: { workspace: "labs", name: "old" }, isSame: false },
    { one: { workspace: "fleet", name: "new" }, isSame: false },
  ])("$one is the same cluster ($isSame)", ({ one, isSame }) => {
    expect(isSameCluster(one, old)).toBe(isSame);
  });

  it.each([
    { successor: { workspace: "fleet" }, isSuccessor: false },
    { successor: { workspace: "fleet", previousName: "old" }, isSuccessor: true },
    { successor: { workspace: "labs", previousName: "old" }, isSuccessor: false },
    { successor: { workspace: "labs", previousName: "fleet/old" }, isSuccessor: true },
    { successor: { workspace: "labs", previousName: "other", movedFrom: old }, isSuccessor: true },
    { successor: { workspace: "fleet", movedFrom: { workspace: "labs", name: "old" } }, isSuccessor: false },
  ])("$successor takes the place of fleet/old ($isSuccessor)", ({ successor, isSuccessor }) => {
    expect(isSuccessorOf(successor, old)).toBe(isSuccessor);
  });
});

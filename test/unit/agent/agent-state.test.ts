import { describe, expect, it } from "vitest";
import { createAgentState, isOther } from "../../../src/agent/agent-state.ts";

describe("createAgentState", () => {
  it("begins with nothing reported, in an object of its own", () => {
    const { reportNow, ...state } = createAgentState();
    expect(state).toEqual({
      hasReported: false,
      isLeaving: false,
      reportUid: undefined,
      sentUid: undefined,
      unanswered: undefined,
      isFirstJoin: false,
    });
    expect(reportNow()).toBeUndefined();
    expect(createAgentState()).not.toBe(createAgentState());
  });
});

describe("isOther", () => {
  it.each([
    { uid: "a", seen: "b", expected: true },
    { uid: "a", seen: "a", expected: false },
    { uid: undefined, seen: "a", expected: false },
    { uid: "a", seen: undefined, expected: false },
    { uid: undefined, seen: undefined, expected: false },
  ])("$expected for $uid after $seen", ({ uid, seen, expected }) => {
    expect(isOther(uid, seen)).toBe(expected);
  });
});

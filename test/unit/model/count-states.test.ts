import { describe, expect, it } from "vitest";
import { countStates, stateWord } from "../../../src/model/count-states.ts";

describe("countStates", () => {
  it("counts each state by its word of docs/cluster-states.md, the ready ones first, a suspended cluster in its state", () => {
    const rows = [
      { state: "leaving", phase: "Leaving" },
      { state: "unknown", phase: "Unresponsive" },
      { state: "notReady", phase: "Joining" },
      { state: "ready", phase: "Ready,Suspended" },
      { state: "notReady", phase: "Unhealthy" },
      { state: "notReady", phase: "Unhealthy" },
      { state: "ready", phase: "Ready" },
    ] as const;
    expect(countStates(rows).map(({ phase, state, count }) => `${state} ${phase} ${count}`)).toEqual([
      "ready Ready 2",
      "notReady Unhealthy 2",
      "notReady Joining 1",
      "unknown Unresponsive 1",
      "leaving Leaving 1",
    ]);
  });
});

describe("stateWord", () => {
  it("has a word where a daemon gives only a sign", () => {
    expect(stateWord({ state: "notReady" })).toBe("NotReady");
  });
});

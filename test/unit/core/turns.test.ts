import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/core/turns.ts";

function makeTurns() {
  const planned: (() => void)[] = [];
  const seen: number[] = [];
  const turns: Turns = new Turns(
    (callback) => planned.push(callback),
    () => seen.push(turns.begun),
  );
  return { turns, planned, seen };
}

describe("Turns", () => {
  it("plans a turn once, and counts anew when it comes", () => {
    const { turns, planned, seen } = makeTurns();
    turns.begun += 3;
    turns.plan();
    turns.plan();
    expect(planned).toHaveLength(1);
    planned[0]?.();
    expect(seen).toEqual([0]);
    expect(turns.begun).toBe(0);
  });

  it("plans the next turn within one", () => {
    const { turns, planned } = makeTurns();
    turns.plan();
    planned[0]?.();
    turns.plan();
    expect(planned).toHaveLength(2);
  });
});

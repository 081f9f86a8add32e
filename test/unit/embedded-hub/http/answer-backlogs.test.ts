import { describe, expect, it } from "vitest";
import { AnswerBacklogs } from "../../../../src/embedded-hub/http/answer-backlogs.ts";

/** Answers of 10 bytes each, of which a user may leave 30 and all together 50, for 5 ms. */
function world() {
  const state = { nowMs: 0 };
  const backlogs = new AnswerBacklogs(() => state.nowMs, { userBytes: 30, totalBytes: 50, patienceMs: 5 });
  const ended: string[] = [];
  const taken = new Map<string, () => void>();
  const hold = (username: string, name: string, groups: readonly string[] = []): void => {
    const onGone = (listener: () => void): void => void taken.set(name, listener);
    backlogs.hold({ username, groups }, { sizeBytes: 10, end: () => ended.push(name), onGone });
  };
  return { state, backlogs, ended, hold, take: (name: string) => taken.get(name)?.() };
}

describe("answers that are not taken", () => {
  it("A134 do not exceed what one user may leave: the newest ends while all are young", () => {
    const { backlogs, ended, hold } = world();
    for (const name of ["a1", "a2", "a3", "a4"]) hold("anna", name);
    hold("bert", "b1");
    expect([ended, backlogs.heldBytes]).toEqual([["a4"], 40]);
  });

  it("A134 make room when they are older than the patience, the oldest first", () => {
    const { state, ended, hold } = world();
    hold("anna", "a1");
    state.nowMs = 3;
    hold("anna", "a2");
    hold("anna", "a3");
    state.nowMs = 5;
    hold("anna", "a4");
    hold("anna", "a5");
    expect(ended).toEqual(["a1", "a5"]);
  });

  it("count no more once they are taken", () => {
    const { backlogs, ended, hold, take } = world();
    for (let count = 0; count < 10; count += 1) {
      hold("anna", `a${count}`);
      take(`a${count}`);
      take(`a${count}`);
    }
    expect([ended, backlogs.heldBytes]).toEqual([[], 0]);
  });

  it("A134 of administrators are bounded with those of all, not by user", () => {
    const { backlogs, ended, hold } = world();
    for (let count = 0; count < 6; count += 1) hold("admin", `a${count}`, ["system:masters"]);
    expect([ended, backlogs.heldBytes]).toEqual([["a5"], 50]);
  });
});

import { describe, expect, it } from "vitest";
import { PendingAdmissions } from "../../../src/hub/pending-admissions.ts";
import { createManualClock } from "../../support/manual-clock.ts";

function open() {
  const clock = createManualClock();
  const woken: string[] = [];
  const pendingAdmissions = new PendingAdmissions({ nowMs: () => clock.nowMs(), onCalm: (key) => woken.push(key) });
  return { clock, pendingAdmissions, woken };
}

describe("PendingAdmissions", () => {
  it("holds no agent back while no other waits", () => {
    const { pendingAdmissions } = open();
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(0);
    pendingAdmissions.begin("w/a");
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(0);
  });

  it("holds back what is reported of one that has its answer until the last of the others has its own", () => {
    const { pendingAdmissions, woken } = open();
    for (const key of ["w/a", "w/b", "w/c"]) pendingAdmissions.begin(key);
    pendingAdmissions.end("w/a");
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(5000);
    pendingAdmissions.end("w/b");
    expect(pendingAdmissions.holdBackMs("w/b")).toBe(5000);
    expect(woken).toEqual([]);
    pendingAdmissions.end("w/c");
    expect(woken).toEqual(["w/a", "w/b"]);
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(0);
  });

  it("holds no agent back for longer than 5 s, however many more come", async () => {
    const { clock, pendingAdmissions } = open();
    pendingAdmissions.begin("w/b");
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(5000);
    await clock.advance(3000);
    pendingAdmissions.begin("w/c");
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(2000);
    await clock.advance(2000);
    expect(pendingAdmissions.isWaiting("w/c")).toBe(true);
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(0);
  });

  it("does not wait for an answer that cannot be made", async () => {
    const { clock, pendingAdmissions } = open();
    pendingAdmissions.begin("w/b");
    await clock.advance(5000);
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(0);
    expect(pendingAdmissions.isWaiting("w/b")).toBe(false);
  });

  it("does not wait for hours when the clock was set back", () => {
    const { clock, pendingAdmissions } = open();
    pendingAdmissions.begin("w/b");
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(5000);
    clock.jump(-3_600_000);
    expect(pendingAdmissions.holdBackMs("w/a")).toBe(0);
  });

  it("enqueues no agent twice", () => {
    const { pendingAdmissions, woken } = open();
    pendingAdmissions.begin("w/b");
    pendingAdmissions.holdBackMs("w/a");
    pendingAdmissions.end("w/b");
    pendingAdmissions.end("w/b");
    expect(woken).toEqual(["w/a"]);
  });
});

import { describe, expect, it } from "vitest";
import { Newcomers } from "../../../src/hub/newcomers.ts";
import { createManualClock } from "../../support/manual-clock.ts";

function open() {
  const clock = createManualClock();
  const woken: string[] = [];
  const newcomers = new Newcomers({ nowMs: () => clock.nowMs(), onCalm: (key) => woken.push(key) });
  return { clock, newcomers, woken };
}

describe("Newcomers", () => {
  it("holds nobody back while nobody else waits", () => {
    const { newcomers } = open();
    expect(newcomers.holdBackMs("w/a")).toBe(0);
    newcomers.begin("w/a");
    expect(newcomers.holdBackMs("w/a")).toBe(0);
  });

  it("holds back what is said of one that has its answer until the last of the others has his", () => {
    const { newcomers, woken } = open();
    for (const key of ["w/a", "w/b", "w/c"]) newcomers.begin(key);
    newcomers.end("w/a");
    expect(newcomers.holdBackMs("w/a")).toBe(5000);
    newcomers.end("w/b");
    expect(newcomers.holdBackMs("w/b")).toBe(5000);
    expect(woken).toEqual([]);
    newcomers.end("w/c");
    expect(woken).toEqual(["w/a", "w/b"]);
    expect(newcomers.holdBackMs("w/a")).toBe(0);
  });

  it("holds nobody back for longer than 5 s, however many go on to come", async () => {
    const { clock, newcomers } = open();
    newcomers.begin("w/b");
    expect(newcomers.holdBackMs("w/a")).toBe(5000);
    await clock.advance(3000);
    newcomers.begin("w/c");
    expect(newcomers.holdBackMs("w/a")).toBe(2000);
    await clock.advance(2000);
    expect(newcomers.isWaiting("w/c")).toBe(true);
    expect(newcomers.holdBackMs("w/a")).toBe(0);
  });

  it("does not wait for an answer that cannot be made", async () => {
    const { clock, newcomers } = open();
    newcomers.begin("w/b");
    await clock.advance(5000);
    expect(newcomers.holdBackMs("w/a")).toBe(0);
    expect(newcomers.isWaiting("w/b")).toBe(false);
  });

  it("does not wait for hours when the clock was put back", () => {
    const { clock, newcomers } = open();
    newcomers.begin("w/b");
    expect(newcomers.holdBackMs("w/a")).toBe(5000);
    clock.jump(-3_600_000);
    expect(newcomers.holdBackMs("w/a")).toBe(0);
  });

  it("wakes nobody twice", () => {
    const { newcomers, woken } = open();
    newcomers.begin("w/b");
    newcomers.holdBackMs("w/a");
    newcomers.end("w/b");
    newcomers.end("w/b");
    expect(woken).toEqual(["w/a"]);
  });
});

import { describe, expect, it } from "vitest";
import { HealthTimer } from "../../../src/hub/health.ts";
import { countCalls, moreCalls, withoutOptimizer } from "../../support/count-calls.ts";
import { createManualClock } from "../../support/manual-clock.ts";

withoutOptimizer();

const windowMs = 30_000;
const key = "prod/eu-1";

function start() {
  const clock = createManualClock();
  const turns: string[] = [];
  const blind: { sinceMs: number | undefined } = { sinceMs: undefined };
  const steps: number[] = [];
  const timer = new HealthTimer({
    clock,
    onTurn: (member, kind) => turns.push(`${member} ${kind}`),
    watchFailingSinceMs: () => blind.sinceMs,
    onClockStep: () => steps.push(clock.monotonicMs()),
  });
  return { clock, turns, blind, steps, timer };
}

describe("HealthTimer", () => {
  it("takes a changed marker for a heartbeat, never the first one it sees", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "old");
    await clock.advance(5000);
    timer.observe(key, windowMs, "old");
    expect(timer.stateOf(key)).toEqual({ kind: "unwatched" });
    timer.observe(key, windowMs, "new");
    expect(timer.stateOf(key)).toEqual({ kind: "alive" });
    expect(turns).toEqual([`${key} alive`]);
    timer.stop();
  });

  it("takes no heartbeat from a marker that is missing, from the one before it, or from another window", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    await clock.advance(windowMs - 1000);
    timer.observe(key, windowMs, undefined);
    timer.observe(key, windowMs, "2");
    timer.observe(key, windowMs + 1, "2");
    timer.observe(key, windowMs, "2");
    await clock.advance(1500);
    expect(timer.stateOf(key)).toEqual({ kind: "unresponsive", forMs: windowMs + 500 });
    expect(timer.lastHeartbeatMs(key)).toBe(clock.monotonicMs() - windowMs - 500);
    expect(turns).toEqual([`${key} alive`, `${key} unresponsive`]);
    timer.stop();
  });

  it("evaluates a member by its new window at once, and reports for how long it sent nothing", async () => {
    const { clock, timer } = start();
    timer.observe(key, 10 * windowMs, "1");
    timer.observe(key, 10 * windowMs, "2");
    await clock.advance(windowMs + 1000);
    expect(timer.stateOf(key)).toEqual({ kind: "alive" });
    timer.observe(key, windowMs, "2");
    expect(timer.stateOf(key)).toEqual({ kind: "unresponsive", forMs: windowMs + 1000 });
    timer.stop();
  });

  it("counts the silence of an agent that never came from when it was first watched", async () => {
    const { clock, timer } = start();
    await clock.advance(5000);
    timer.observe(key, windowMs, undefined);
    await clock.advance(windowMs + 1000);
    expect(timer.stateOf(key)).toEqual({ kind: "unresponsive", forMs: windowMs + 1000 });
    timer.stop();
  });

  it("calls a member unresponsive when a whole window has passed, and reports it once", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    await clock.advance(windowMs);
    expect(timer.stateOf(key).kind).toBe("alive");
    await clock.advance(2000);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    await clock.advance(60_000);
    expect(turns).toEqual([`${key} alive`, `${key} unresponsive`]);
    timer.observe(key, windowMs, "3");
    expect(turns.at(-1)).toBe(`${key} alive`);
    timer.stop();
  });

  it("reports missed heartbeats at the end of the window, not at some tick after it", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, 6000, "1");
    await clock.advance(350);
    timer.observe(key, 6000, "2");
    await clock.advance(6000);
    expect(turns).toEqual([`${key} alive`]);
    await clock.advance(1);
    expect(turns).toEqual([`${key} alive`, `${key} unresponsive`]);
    timer.stop();
  });

  it("checks ten times a second at most when the windows of many members end after one another", async () => {
    const clock = createManualClock();
    const counts = { wakes: 0, turns: 0 };
    const counting = {
      ...clock,
      sleep: (...args: Parameters<typeof clock.sleep>) => (counts.wakes++, clock.sleep(...args)),
    };
    const timer = new HealthTimer({
      clock: counting,
      onTurn: () => counts.turns++,
      watchFailingSinceMs: () => undefined,
    });
    for (let index = 0; index < 1000; index++) {
      timer.observe(`prod/c${index}`, 6000, "1");
      await clock.advance(1);
    }
    counts.wakes = 0;
    await clock.advance(6200);
    expect(counts.turns).toBe(1000);
    expect(counts.wakes).toBeLessThanOrEqual(20);
    timer.stop();
  });

  it("visits no member before a window can end, however many there are", async () => {
    const countOf = async (members: number) => {
      const { clock, turns, timer } = start();
      for (const marker of ["1", "2"])
        for (let index = 0; index < members; index++) timer.observe(`prod/${index}`, windowMs, marker);
      const counts = await countCalls(() => clock.advance(windowMs));
      expect(turns).toHaveLength(members);
      timer.stop();
      return counts;
    };
    expect(moreCalls(await countOf(10), await countOf(500), 5)).toEqual([]);
  });

  it("reports the turn back when a reader saw the turn before the timer did", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    await clock.advance(windowMs);
    clock.range(500);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.observe(key, windowMs, "3");
    expect(turns).toEqual([`${key} alive`, `${key} unresponsive`, `${key} alive`]);
    timer.stop();
  });

  it("counts no time from before an agent joined, and takes no heartbeat away", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, undefined);
    await clock.advance(10 * windowMs);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.begin(key);
    expect(timer.stateOf(key).kind).toBe("unwatched");
    await clock.advance(windowMs);
    expect(timer.stateOf(key).kind).toBe("unwatched");
    await clock.advance(2000);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.observe(key, windowMs, "1");
    timer.begin(key);
    expect(timer.stateOf(key).kind).toBe("alive");
    expect(turns).toEqual([`${key} unresponsive`, `${key} unresponsive`, `${key} alive`]);
    timer.stop();
  });

  it("reports nothing new until it has watched a window after its start", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    await clock.advance(windowMs - 1000);
    expect(timer.stateOf(key).kind).toBe("unwatched");
    expect(turns).toEqual([]);
    await clock.advance(3000);
    expect(turns).toEqual([`${key} unresponsive`]);
    timer.stop();
  });

  it("flips no member while the hub is away, nor until a window was watched after it came back", async () => {
    const { clock, turns, blind, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    blind.sinceMs = clock.nowMs();
    await clock.advance(3_600_000);
    expect(turns).toEqual([`${key} alive`]);
    blind.sinceMs = undefined;
    await clock.advance(windowMs - 2000);
    expect(timer.stateOf(key).kind).toBe("alive");
    await clock.advance(5000);
    expect(turns).toEqual([`${key} alive`, `${key} unresponsive`]);
    timer.stop();
  });

  it("evaluates by its own clock only: a clock that is set does not make a heartbeat", async () => {
    const { clock, timer } = start();
    timer.observe(key, windowMs, "2030-01-01T00:00:00Z");
    timer.observe(key, windowMs, "1970-01-01T00:00:00Z");
    expect(timer.stateOf(key).kind).toBe("alive");
    await clock.advance(windowMs + 2000);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.stop();
  });

  it("F27 reports no member unresponsive when the process was suspended, until it has watched a window", async () => {
    for (const suspendedMs of [5000, windowMs, 600_000, 30 * 86_400_000]) {
      const { clock, turns, timer } = start();
      timer.observe(key, windowMs, "1");
      timer.observe(key, windowMs, "2");
      await clock.advance(windowMs - 2500);
      await clock.suspend(suspendedMs);
      expect(timer.stateOf(key).kind).toBe("alive");
      await clock.advance(windowMs - 1000);
      expect(turns).toEqual([`${key} alive`]);
      await clock.advance(3000);
      expect(turns).toEqual([`${key} alive`, `${key} unresponsive`]);
      timer.stop();
    }
  });

  it("F27 keeps a member unresponsive that was so before the process was suspended", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    await clock.advance(windowMs + 2000);
    expect(turns).toEqual([`${key} unresponsive`]);
    await clock.suspend(3_600_000);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.observe(key, windowMs, "2");
    expect(turns).toEqual([`${key} unresponsive`, `${key} alive`]);
    timer.stop();
  });

  it("F27 reports no member unresponsive to who asks before the late tick", () => {
    const { clock, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    clock.range(600_000);
    expect(timer.stateOf(key).kind).toBe("alive");
    timer.stop();
  });

  it("F27 is not moved by a clock that a user sets, forward or back", async () => {
    for (const stepMs of [-86_400_000, 86_400_000]) {
      const { clock, turns, timer } = start();
      timer.observe(key, windowMs, "1");
      timer.observe(key, windowMs, "2");
      clock.jump(stepMs);
      await clock.advance(windowMs);
      expect(turns).toEqual([`${key} alive`]);
      await clock.advance(2000);
      expect(turns).toEqual([`${key} alive`, `${key} unresponsive`]);
      timer.stop();
    }
  });

  it("F28 counts what was watched before its start, from the member's last heartbeat on", async () => {
    const { clock, turns, timer } = start();
    const hubNowMs = 1_900_000_000_000;
    timer.resume(10 * windowMs, hubNowMs);
    timer.observe("prod/old", windowMs, "1", () => hubNowMs - windowMs - 2000);
    timer.observe("prod/new", windowMs, "1", () => hubNowMs - 10_000);
    timer.observe("prod/none", windowMs, undefined, () => undefined);
    expect(["prod/old", "prod/new", "prod/none"].map((name) => timer.stateOf(name).kind)).toEqual([
      "unresponsive",
      "unwatched",
      "unwatched",
    ]);
    await clock.advance(windowMs - 8000);
    expect(turns).toEqual(["prod/old unresponsive", "prod/new unresponsive"]);
    expect(timer.watchedMs()).toBe(11 * windowMs - 8000);
    timer.stop();
  });

  it("F28 F27 counts nothing from before an interruption that this process saw itself", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    await clock.suspend(3_600_000);
    timer.resume(10 * windowMs, clock.nowMs());
    await clock.advance(windowMs - 1000);
    expect(turns).toEqual([`${key} alive`]);
    timer.stop();
  });

  it("F28 begins windows anew after the hub was away for one second", async () => {
    const { clock, turns, blind, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    await clock.advance(windowMs - 5000);
    blind.sinceMs = clock.monotonicMs();
    await clock.advance(1000);
    blind.sinceMs = undefined;
    await clock.advance(windowMs);
    expect([timer.stateOf(key).kind, turns]).toEqual(["alive", [`${key} alive`]]);
    await clock.advance(2000);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.stop();
  });

  it("F28 takes the later end of the second in which a heartbeat was written before its start", async () => {
    const { clock, timer } = start();
    const hubNowMs = 1_800_000_000_000;
    timer.resume(2 * windowMs, hubNowMs);
    timer.observe(key, windowMs, "1", () => hubNowMs - windowMs);
    await clock.advance(1000);
    expect(timer.stateOf(key).kind).toBe("unwatched");
    await clock.advance(1);
    expect(timer.stateOf(key).kind).toBe("unresponsive");
    timer.stop();
  });

  it("forgets a deleted member", () => {
    const { timer } = start();
    timer.observe(key, windowMs, "1");
    timer.forget(key);
    expect(timer.lastHeartbeatMs(key)).toBeUndefined();
    expect(timer.stateOf(key)).toEqual({ kind: "unwatched" });
    timer.stop();
  });

  it("gives an agent two minutes to answer after a start, and after each time when no heartbeat could arrive", async () => {
    const { clock, blind, timer } = start();
    expect(timer.answerWaitMs()).toBe(120_000);
    await clock.advance(150_000);
    expect(timer.answerWaitMs()).toBe(0);
    blind.sinceMs = 0;
    expect(timer.answerWaitMs()).toBe(120_000);
    await clock.advance(2000);
    blind.sinceMs = undefined;
    await clock.advance(50_000);
    expect(timer.answerWaitMs()).toBeGreaterThan(60_000);
    await clock.advance(80_000);
    expect(timer.answerWaitMs()).toBe(0);
    timer.stop();
  });

  it("F27 begins windows anew after the machine slept, and gives agents time to answer", async () => {
    const { clock, turns, timer } = start();
    timer.observe(key, windowMs, "1");
    timer.observe(key, windowMs, "2");
    await clock.advance(150_000);
    timer.observe(key, windowMs, "3");
    await clock.advance(windowMs - 2000);
    clock.sleepMachine(86_400_000);
    expect(timer.answerWaitMs()).toBe(120_000);
    await clock.advance(windowMs);
    expect(turns.at(-1)).toBe(`${key} alive`);
    await clock.advance(2000);
    expect(turns.at(-1)).toBe(`${key} unresponsive`);
    timer.stop();
  });

  it("reports once within a second that what waits for a moment is late, after a sleep and after a clock that is set", async () => {
    const { clock, blind, steps, timer } = start();
    await clock.advance(10_000);
    clock.jump(2000);
    await clock.advance(10_000);
    expect(steps).toEqual([]);
    clock.sleepMachine(3_600_000);
    await clock.advance(10_000);
    expect(steps).toEqual([21_000]);
    blind.sinceMs = 0;
    clock.jump(-3_600_000);
    await clock.advance(10_000);
    expect(steps).toEqual([21_000, 31_000]);
    timer.stop();
  });
});

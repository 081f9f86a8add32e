import { describe, expect, it } from "vitest";
import { isCredentialProblem, sleptFor, sleptUntilRecovery, untilDone } from "../../../src/agent/retry.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createManualClock } from "../../support/manual-clock.ts";

/** Work that fails so often before it succeeds, and what is logged of it. */
function failing(failures: number) {
  const clock = createManualClock();
  const stop = new AbortController();
  const waitsMs: unknown[] = [];
  let attempts = 0;
  const work = async (): Promise<string> => {
    attempts += 1;
    if (attempts <= failures) throw new AppError("E_KUBE_UNREACHABLE", "away");
    return "done";
  };
  const log = { ...silentLog, warn: (_text: string, fields?: LogFields) => void waitsMs.push(fields?.["waitMs"]) };
  const random = { next: () => 1, bytes: () => new Uint8Array() };
  const backoff = { initialMs: 1000, maximumMs: 3000 };
  const result = untilDone(work, { clock, random, log, signal: stop.signal, failure: "it failed", backoff });
  return { clock, stop, waitsMs, result, attempts: () => attempts };
}

describe("untilDone", () => {
  it("waits longer after each failure, up to the maximum", async () => {
    const { clock, waitsMs, result } = failing(4);
    await clock.advance(60_000);
    expect(await result).toBe("done");
    expect(waitsMs).toHaveLength(4);
    expect(waitsMs).toEqual([...waitsMs].sort((a, b) => Number(a) - Number(b)));
    expect(waitsMs.at(-1)).toBe(waitsMs.at(-2));
  });

  it("does the work once when it succeeds", async () => {
    const { result, waitsMs, attempts } = failing(0);
    expect(await result).toBe("done");
    expect([waitsMs, attempts()]).toEqual([[], 1]);
  });

  it("ends when it is stopped during a wait, and tries no more", async () => {
    const { clock, stop, result, attempts } = failing(9);
    const failure = result.catch((error: unknown) => error);
    await clock.advance(1);
    stop.abort(new Error("stopped"));
    expect(await failure).toMatchObject({ message: "stopped" });
    expect(attempts()).toBe(1);
  });
});

describe("isCredentialProblem", () => {
  it.each([
    [new AppError("E_KUBE_UNAUTHORIZED", "401"), true],
    [new AppError("E_KUBE_FORBIDDEN", "403"), true],
    [new AppError("E_KUBE_UNREACHABLE", "away"), false],
    [new Error("401"), false],
  ])("%s: %s", (error, expected) => {
    expect(isCredentialProblem(error)).toBe(expected);
  });
});

describe("sleptFor", () => {
  it("is true after the time, and false when it was stopped", async () => {
    const clock = createManualClock();
    const stop = new AbortController();
    const whole = sleptFor(clock, 100, stop.signal);
    const cut = sleptFor(clock, 200, stop.signal);
    await clock.advance(150);
    stop.abort();
    expect([await whole, await cut]).toEqual([true, false]);
  });
});

describe("sleptUntilRecovery", () => {
  it.each([
    { reason: "the hub is back", end: "recover", expected: true },
    { reason: "the time is over", end: "wait", expected: true },
    { reason: "the agent stops", end: "stop", expected: false },
  ])("ends when $reason, and listens no more", async ({ end, expected }) => {
    const clock = createManualClock();
    const stop = new AbortController();
    const listeners = new Set<() => void>();
    const onRecovery = (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    const slept = sleptUntilRecovery({ clock, link: { onRecovery } }, 1000, stop.signal);
    if (end === "recover") for (const listener of listeners) listener();
    if (end === "stop") stop.abort();
    if (end === "wait") await clock.advance(1000);
    expect(await slept).toBe(expected);
    expect([listeners.size, clock.sleepers]).toEqual([0, 0]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { daemonNowMs, recordDate } from "../../../../src/web/dashboard/browser/data/daemon-clock.ts";

const hereMs = Date.parse("2026-03-12T14:30:00Z");

describe("the daemon's time in the browser", () => {
  beforeEach(() => vi.useFakeTimers({ now: hereMs }));
  afterEach(() => {
    recordDate(new Date().toUTCString());
    vi.useRealTimers();
  });

  it.each([
    ["ahead", "2026-03-12T14:33:00Z"],
    ["behind", "2026-03-12T14:27:00Z"],
  ])("is that of the last answer, and continues: a daemon that is %s", (_, time) => {
    recordDate(new Date(time).toUTCString());
    expect(daemonNowMs()).toBe(Date.parse(time));
    vi.setSystemTime(hereMs + 7_000);
    expect(daemonNowMs()).toBe(Date.parse(time) + 7_000);
  });

  it("is that of this machine where they differ by less than an answer takes", () => {
    recordDate("Thu, 12 Mar 2026 14:33:00 GMT");
    recordDate("Thu, 12 Mar 2026 14:29:56 GMT");
    expect(daemonNowMs()).toBe(hereMs);
  });

  it.each([null, "", "yesterday"])("stays as it was after an answer without a date: %j", (date) => {
    recordDate("Thu, 12 Mar 2026 14:33:00 GMT");
    recordDate(date);
    expect(daemonNowMs()).toBe(hereMs + 180_000);
  });
});

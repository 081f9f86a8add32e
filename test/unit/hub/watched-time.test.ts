import { describe, expect, it } from "vitest";
import { readWatchRecord, watchedTimeMs, writtenAtMs } from "../../../src/hub/watched-time.ts";
import type { Witness } from "../../../src/hub/watched-time.ts";

const nowMs = 1_800_000_000_000;
const minuteMs = 60_000;
const day = 86_400_000;

/** An agent that renewed `ageMs` ago and had done so for `heldMs`. */
function witness(ageMs: number, heldMs: number, periodMs = minuteMs): Witness {
  return { renewedAtMs: nowMs - ageMs, heldMs, periodMs };
}

/** A record that ended `agoMs` ago. */
function ended(agoMs: number, watchedMs: number) {
  return { watchedMs, untilMs: nowMs - agoMs };
}

describe("watchedTimeMs", () => {
  it.each([
    { reason: "no watch before", record: undefined, witnesses: [], expected: 2000 },
    { reason: "the former daemon ended a moment ago", record: ended(4000, 10_000), witnesses: [], expected: 14_000 },
    {
      reason: "the gap before this process is as long as a period",
      record: ended(7000, 10_000),
      witnesses: [],
      expected: 17_000,
    },
    {
      reason: "the gap before this process is longer than a period: it may have been the hub's",
      record: ended(7001, 10_000),
      witnesses: [],
      expected: 2000,
    },
    {
      reason: "an agent reached the hub all the time that the daemon was away",
      record: ended(10 * minuteMs, 10_000),
      witnesses: [witness(30_000, 20 * minuteMs)],
      expected: 20 * minuteMs + 30_000,
    },
    {
      reason: "an agent reached the hub a part of the time",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(30_000, 5 * minuteMs)],
      expected: 5 * minuteMs + 30_000,
    },
    {
      reason: "an agent covers all of the gap but a period",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(30_000, 59 * minuteMs + 25_000)],
      expected: day + 60 * minuteMs,
    },
    {
      reason: "the hub was away for an hour, and agents are back for 20 s",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(0, 20_000), witness(10_000, 0), witness(5000, 10_000)],
      expected: 15_000,
    },
    {
      reason: "one agent of three reports nonsense",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(0, 300 * day), witness(10_000, 0), witness(5000, 10_000)],
      expected: 15_000,
    },
    {
      reason: "one agent of two reports nonsense",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(0, 300 * day), witness(10_000, 0)],
      expected: 10_000,
    },
    {
      reason: "an agent that reached the hub for long is unresponsive now",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(2 * minuteMs + 1, 10 * day)],
      expected: 2000,
    },
    { reason: "the record is of the future", record: ended(-minuteMs, day), witnesses: [], expected: 2000 },
    { reason: "the clocks differ by a second", record: ended(-1000, minuteMs), witnesses: [], expected: minuteMs },
    {
      reason: "an agent reports more than any clock shows",
      record: undefined,
      witnesses: [witness(0, Number.MAX_VALUE)],
      expected: 30 * day,
    },
    {
      reason: "an agent reports a time below zero",
      record: undefined,
      witnesses: [witness(0, -day)],
      expected: 2000,
    },
    {
      reason: "one agent of two reports a time below zero, and the other proves some",
      record: undefined,
      witnesses: [witness(0, -day), witness(10_000, 5000)],
      expected: 15_000,
    },
    {
      reason: "an agent renewed a period ago, and is about to do so again",
      record: undefined,
      witnesses: [witness(minuteMs, minuteMs)],
      expected: 2 * minuteMs,
    },
    {
      reason: "the hub and the daemon were away for one and a half periods, in which no agent could renew",
      record: ended(90_000, day),
      witnesses: [witness(92_000, day), witness(95_000, day), witness(110_000, day)],
      expected: 2000,
    },
    {
      reason: "the only agent renewed more than a period ago: the hub may have been away since",
      record: ended(10 * minuteMs, day),
      witnesses: [witness(minuteMs + 1001, 20 * minuteMs)],
      expected: 2000,
    },
    { reason: "the clocks differ by three seconds", record: ended(-3000, minuteMs), witnesses: [], expected: minuteMs },
    { reason: "the clocks differ by more", record: ended(-3001, minuteMs), witnesses: [], expected: 2000 },
    {
      reason: "an agent's clock is behind: its renewal is of the future",
      record: undefined,
      witnesses: [witness(-5000, 9000)],
      expected: 9000,
    },
  ])("F28 is $expected ms when $reason", ({ record, witnesses, expected }) => {
    expect(watchedTimeMs({ record, witnesses, nowMs, ownMs: 2000, bridgeMs: 5000 })).toBe(expected);
  });

  it.each([
    {
      reason: "the first agent of three that is back",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(0, 300 * day), witness(61 * minuteMs, day), witness(60 * minuteMs, day)],
    },
    {
      reason: "the first agent of three that is back, when nothing is recorded",
      record: undefined,
      witnesses: [witness(0, 300 * day), witness(61 * minuteMs, day), witness(60 * minuteMs, day)],
    },
    {
      reason: "one of three agents, with a renewal of the future",
      record: ended(60 * minuteMs, day),
      witnesses: [witness(-day, 300 * day), witness(60 * minuteMs + 30_000, day), witness(61 * minuteMs, 0)],
    },
  ])("A173 counts no outage of the hub as watched, though it is claimed by $reason", ({ record, witnesses }) => {
    expect(watchedTimeMs({ record, witnesses, nowMs, ownMs: 2000, bridgeMs: 5000 })).toBe(2000);
  });

  it("A173 counts the time in which only the daemon was away, though agents had ended before", () => {
    const witnesses = [witness(30_000, day), witness(63 * minuteMs, day), witness(90 * minuteMs, day)];
    const inputs = { record: ended(60 * minuteMs, 10_000), witnesses, nowMs, ownMs: 2000, bridgeMs: 5000 };
    expect(watchedTimeMs(inputs)).toBe(day + 30_000);
  });

  it("F28 counts what this process watched beside the leader as no gap", () => {
    const inputs = { record: ended(12_000, day), witnesses: [], nowMs, bridgeMs: 5000 };
    expect(watchedTimeMs({ ...inputs, ownMs: 10_000 })).toBe(day + 12_000);
    expect(watchedTimeMs({ ...inputs, ownMs: 20_000 })).toBe(day + 12_000);
    expect(watchedTimeMs({ ...inputs, ownMs: 6000 })).toBe(6000);
  });
});

describe("readWatchRecord", () => {
  const lease = (spec: Readonly<Record<string, unknown>>) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "rollcall-watch" },
    spec,
  });

  it("reads since when and until when", () => {
    const spec = { acquireTime: "2026-01-01T00:00:00.000000Z", renewTime: "2026-01-01T00:01:00.000000Z" };
    expect(readWatchRecord(lease(spec))).toEqual({ watchedMs: minuteMs, untilMs: Date.parse("2026-01-01T00:01:00Z") });
  });

  it("reads a record that has just begun", () => {
    const time = "2026-01-01T00:00:00Z";
    const record = readWatchRecord(lease({ acquireTime: time, renewTime: time }));
    expect(record).toEqual({ watchedMs: 0, untilMs: Date.parse(time) });
  });

  it.each([
    { reason: "there is no Lease", object: undefined },
    { reason: "nothing is recorded", object: lease({ holderIdentity: "one" }) },
    {
      reason: "it ends before it begins",
      object: lease({ acquireTime: "2026-01-02T00:00:00Z", renewTime: "2026-01-01T00:00:00Z" }),
    },
    { reason: "it has no times", object: lease({ acquireTime: "x", renewTime: 7 }) },
  ])("is undefined when $reason", ({ object }) => {
    expect(readWatchRecord(object)).toBeUndefined();
  });
});

describe("writtenAtMs", () => {
  it("is the last write of a manager that counts", () => {
    const managedFields = [
      { manager: "agent", time: "2026-01-01T00:00:00Z" },
      { manager: "agent", time: "2026-01-01T00:00:05Z", subresource: "status" },
      { manager: "own", time: "2026-01-01T00:00:09Z" },
      { manager: "agent" },
      { time: "never" },
    ];
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", managedFields } };
    const isOwn = (manager: string): boolean => manager === "own";
    expect(writtenAtMs(object, isOwn)).toBe(Date.parse("2026-01-01T00:00:05Z"));
    expect(writtenAtMs({ ...object, metadata: { name: "a" } }, isOwn)).toBeUndefined();
  });
});

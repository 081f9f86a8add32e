import { describe, expect, it } from "vitest";
import { untilNextWriteMs } from "../../../src/reconcile/write-status-branch.ts";

const last = { atMs: 10_000, source: "c1", branch: "status", error: undefined };
const next = { source: "c1", branch: "status", intervalMs: 60_000, nowMs: 25_000, isAsked: false };

describe("untilNextWriteMs", () => {
  it.each([
    ["waits for the rest of the interval", {}, {}, 45_000],
    ["waits when a person asks for a run and the last write succeeded", {}, { isAsked: true }, 45_000],
    ["waits after a failure", { error: new Error("denied") }, {}, 45_000],
    ["tries again at once when a person asks after a failure", { error: new Error("denied") }, { isAsked: true }, 0],
    ["writes what was never written", { atMs: undefined }, {}, 0],
    ["writes a new commit at once", {}, { source: "c2" }, 0],
    ["writes another branch at once", {}, { branch: "other" }, 0],
  ])("%s", (_, lastWrite, nextWrite, waitMs) => {
    expect(untilNextWriteMs({ ...last, ...lastWrite }, { ...next, ...nextWrite })).toBe(waitMs);
  });
});

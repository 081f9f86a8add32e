import { describe, expect, it } from "vitest";
import type { ProcessOwner } from "../../../../src/git/local/process-owner.ts";
import { describeProcess, formatOwner, isOwnerAlive, parseOwner } from "../../../../src/git/local/process-owner.ts";

describe("parseOwner", () => {
  it.each([
    ['rollcall {"pid":7}', { pid: 7 }],
    ['rollcall {"pid":7,"startTicks":"5","bootId":"b"}\n', { pid: 7, startTicks: "5", bootId: "b" }],
    ['rollcall {"pid":7,"startTicks":5,"bootId":6}', { pid: 7 }],
    ['rollcall {"pid":"7"}', undefined],
    ["rollcall {}", undefined],
    ['rollcall {"pid":7', undefined],
    ['{"pid":7}', undefined],
    ['another: {"pid":7}', undefined],
    ["7", undefined],
    ["", undefined],
  ])("of %s is %j", (text, owner) => {
    expect(parseOwner(text)).toEqual(owner);
  });

  it("reads what formatOwner writes", async () => {
    const own = await describeProcess();
    expect(parseOwner(formatOwner(own))).toEqual(own);
    expect(formatOwner({ pid: 7 })).toBe('rollcall {"pid":7}\n');
  });
});

describe.skipIf(process.platform !== "linux")("isOwnerAlive", () => {
  it("names this process by its number, its start and the run of the machine", async () => {
    expect(await describeProcess()).toEqual({
      ...{ pid: process.pid, startTicks: expect.stringMatching(/^\d+$/u) as string },
      bootId: expect.stringMatching(/^[-0-9a-f]{36}$/u) as string,
    });
  });

  it.each([
    ["this process", {}, true],
    ["one of its number that began at another time", { startTicks: "1" }, false],
    ["one of its number before the machine was started", { bootId: "another" }, false],
    ["a number that no process has", { pid: 2 ** 22 + 1 }, false],
    ["no number of a process", { pid: 0 }, false],
    ["a group of processes", { pid: -1 }, false],
    ["no number", { pid: 1.5 }, false],
    ["one whose start is not known", { startTicks: undefined }, true],
    ["one of an unknown run of the machine", { bootId: undefined }, true],
  ])("of %s: %j, %s", async (_what, change, isAlive) => {
    const { startTicks, bootId, pid } = { ...(await describeProcess()), ...change };
    const owner: ProcessOwner = { pid, ...(startTicks ? { startTicks } : {}), ...(bootId ? { bootId } : {}) };
    expect(await isOwnerAlive(owner)).toBe(isAlive);
  });
});

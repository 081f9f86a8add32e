import { describe, expect, it } from "vitest";
import type { Given } from "./written-status.ts";
import { denied, lastWrite, nowMs, writeStatus, writesOf } from "./written-status.ts";

describe("writeStatusBranch", () => {
  it.each<[string, Given]>([
    ["writeBack.mode is None", { writeBack: { mode: "None" } }],
    ["no commit was observed", { status: {} }],
    ["the interval has not passed", { lastWrite }],
    [
      "a longer interval has not passed",
      { lastWrite: { ...lastWrite, atMs: nowMs - 70_000 }, writeBack: { interval: "2m" } },
    ],
  ])("writes nothing when %s", async (_reason, given) => {
    expect((await writeStatus(given)).asked).toEqual([]);
  });

  it("reports when the next write is due, and the failure of the last one until then", async () => {
    const { scope } = await writeStatus({ lastWrite: { ...lastWrite, error: denied, historyKept: "denied" } });
    expect(scope).toMatchObject({ nextWriteInMs: 40_000, writeBackError: denied, historyKept: "denied" });
    expect(scope.statusCommit).toBeUndefined();
  });

  it("writes the records with their source commit, signed for this hub and Repository", async () => {
    const { scope, asked } = await writeStatus({ ready: 2 });
    expect(writesOf(asked)).toMatchObject([
      {
        write: "rollcall/status",
        sourceCommit: "c1",
        subject: "status: 2 of 3 clusters ready",
        owner: { hubId: "hub-1", repository: "rollcall.fleet", adopted: undefined },
        signed: { hub: "hub-1", repository: "rollcall.fleet", epoch: 4, parent: "p" },
        bytes: expect.arrayContaining(["hub hub-1", "epoch 4", "parent p", "checksums d"]) as unknown,
      },
    ]);
    expect(scope.statusCommit).toBe("head");
    expect(scope.lastWrite).toMatchObject({ atMs: nowMs, source: "c1", branch: "rollcall/status", error: undefined });
    expect([scope.nextWriteInMs, scope.writeBackError]).toEqual([undefined, undefined]);
  });

  it.each<[string, Given, object]>([
    ["a branch of its own", { writeBack: { branch: "state" } }, { write: "state" }],
    ["no ready cluster", {}, { subject: "status: 0 of 3 clusters ready" }],
    ["a takeover of the branch", { annotations: { "rollcall.dev/adopt": "c9" } }, { owner: { adopted: "c9" } }],
    ["an interval that has passed", { lastWrite: { ...lastWrite, atMs: nowMs - 60_000 } }, {}],
    [
      "an interval that has passed since the clock was set back by an hour",
      { lastWrite: { ...lastWrite, atMs: nowMs - 60_000 }, epochMs: nowMs - 3_600_000 },
      {},
    ],
    [
      "an interval that is no duration",
      { lastWrite: { ...lastWrite, atMs: nowMs - 60_000 }, writeBack: { interval: "soon" } },
      {},
    ],
    ["a new commit", { lastWrite: { ...lastWrite, source: "c0" } }, {}],
    [
      "a person who asks after a failure",
      { lastWrite: { ...lastWrite, error: denied }, annotations: { "rollcall.dev/requested-at": "now" } },
      {},
    ],
  ])("writes with %s", async (_reason, given, expected) => {
    expect(writesOf((await writeStatus(given)).asked)).toMatchObject([expected]);
  });

  it.each<[string, Given, boolean]>([
    ["was never read", {}, false],
    ["was read within the hour", { lastWrite: { ...lastWrite, atMs: 0, readAtMs: nowMs - 3_599_999 } }, false],
    ["was read an hour ago", { lastWrite: { ...lastWrite, atMs: 0, readAtMs: nowMs - 3_600_000 } }, true],
    [
      "is asked for by a person",
      {
        lastWrite: { ...lastWrite, atMs: 0, readAtMs: nowMs - 1 },
        annotations: { "rollcall.dev/requested-at": "now" },
      },
      true,
    ],
  ])(
    "forgets where the branch is once an hour, and when a person asks for a run: it %s",
    async (_reason, given, isForgotten) => {
      const { scope, asked } = await writeStatus(given);
      expect(asked.some((call) => "forget" in call)).toBe(isForgotten);
      expect(scope.lastWrite.readAtMs).toBe(isForgotten ? nowMs : (given.lastWrite?.readAtMs ?? nowMs));
    },
  );

  it.each([
    ["was handled before", { "rollcall.dev/requested-at": "now" }],
    ["was never made", {}],
  ])("waits after a failure when the request of a run %s", async (_reason, annotations) => {
    const status = { observedCommit: "c1", lastHandledRequest: "now" };
    expect((await writeStatus({ lastWrite: { ...lastWrite, error: denied }, annotations, status })).asked).toEqual([]);
  });

  it("starts no new interval when the branch has the records already", async () => {
    const before = { ...lastWrite, atMs: nowMs - 90_000 };
    const status = { observedCommit: "c1", statusCommit: "head" };
    expect((await writeStatus({ lastWrite: before, status })).scope.lastWrite.atMs).toBe(nowMs - 90_000);
    expect((await writeStatus({ lastWrite: before })).scope.lastWrite.atMs).toBe(nowMs);
  });

  it("reports a failed write, and tries again after the interval", async () => {
    const { scope, warnings } = await writeStatus({ errors: [denied], writeBack: { interval: "10s" } });
    expect(scope).toMatchObject({ writeBackError: denied, nextWriteInMs: 10_000, statusCommit: undefined });
    expect(scope.lastWrite).toMatchObject({ atMs: nowMs, source: "c1", branch: "rollcall/status", error: denied });
    expect(warnings).toEqual([{ message: "writing back failed", error: denied }]);
  });

  it("reports no failure of a run that is stopped", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(writeStatus({ errors: [denied], signal })).rejects.toThrow("stopped");
  });

  it.each<[string, NonNullable<Given["writeBack"]>, string]>([
    ["another mode", { mode: "Repository" }, "has mode: Repository, which"],
    ["another place", { url: "https://x", secretRef: { name: "x" } }, "has url, secretRef, which"],
    ["a key of its own", { mode: "Branch", signingKeySecretRef: { name: "x" } }, "has signingKeySecretRef, which"],
  ])("refuses %s that has no effect, and writes nothing", async (_reason, writeBack, text) => {
    const { scope, asked } = await writeStatus({ writeBack });
    expect(asked).toEqual([]);
    expect(scope.writeBackError).toMatchObject({ code: "E_UNSUPPORTED", recovery: "stalled" });
    expect((scope.writeBackError as Error).message).toContain(text);
  });
});

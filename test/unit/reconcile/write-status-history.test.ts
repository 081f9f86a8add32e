import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { denied, race, squash, start, writeStatus, writesOf } from "./written-status.ts";

describe("the history of the status branch", () => {
  it("is read with the days that the Repository keeps", async () => {
    expect((await writeStatus({ writeBack: { history: 30 } })).asked[0]).toEqual({ read: "rollcall/status", days: 30 });
  });

  it("is named in the records, and begins anew when that is due", async () => {
    expect(writesOf((await writeStatus({ reading: { start } })).asked)).toMatchObject([
      { files: start, squash: undefined },
    ]);
    const { asked } = await writeStatus({ reading: { start, due: squash } });
    expect(writesOf(asked)).toMatchObject([{ files: squash.start, squash }]);
  });

  it.each([
    { reason: "a lost race", error: race, kept: undefined, days: [] },
    {
      reason: "a refused push",
      error: denied,
      kept: /push; allow the daemon to force-push rollcall\/status/u,
      days: [30],
    },
  ])("continues after $reason of the new beginning: the status waits for neither", async ({ error, kept, days }) => {
    const reading = { start, due: squash };
    const { scope, asked } = await writeStatus({ reading, errors: [error], writeBack: { history: 30 } });
    expect(writesOf(asked)).toMatchObject([{ squash }, { files: start, squash: undefined }]);
    expect(asked.flatMap(({ keep }) => keep ?? [])).toEqual(days);
    expect([scope.statusCommit, scope.writeBackError]).toEqual(["head", undefined]);
    if (kept) expect(scope.historyKept).toMatch(kept);
    else expect(scope.historyKept).toBeUndefined();
    expect(scope.lastWrite.historyKept).toBe(scope.historyKept);
  });

  it.each([
    ["another error", new AppError("E_GIT_REMOTE", "push"), undefined],
    ["a run that is stopped", race, AbortSignal.abort(new Error("stopped"))],
  ])("does not continue after %s", async (_reason, error, signal) => {
    const done = writeStatus({ reading: { due: squash }, errors: [error], ...(signal ? { signal } : {}) });
    if (signal) await expect(done).rejects.toThrow("stopped");
    else {
      const { scope, asked } = await done;
      expect([writesOf(asked).length, scope.writeBackError]).toEqual([1, error]);
    }
  });

  it.each([
    { reason: "the first time", isNews: true, warned: 1 },
    { reason: "not again", isNews: undefined, warned: 0 },
  ])("is reported as kept, $reason in the log", async ({ isNews, warned }) => {
    const reading = { kept: "another wrote it", ...(isNews ? { isNews } : {}) };
    const { scope, warnings } = await writeStatus({ reading });
    expect([scope.historyKept, scope.lastWrite.historyKept]).toEqual(["another wrote it", "another wrote it"]);
    expect(warnings).toHaveLength(warned);
  });
});

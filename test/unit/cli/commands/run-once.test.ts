import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { finishOnce, firstReport } from "../../../../src/cli/commands/run-once.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { RunReport } from "../../../../src/reconcile/reconciler-options.ts";

const reportOf = (fields: Partial<RunReport>): RunReport =>
  ({ errorCount: 0, withheldCount: 0, failure: undefined, ...fields }) as RunReport;
const daemonWith = (isHeld: boolean): Parameters<typeof finishOnce>[1] => ({
  whenLeading: () => Promise.resolve(),
  whenIdle: () => Promise.resolve(),
  leads: () => new Map([["rollcall", isHeld]]),
});
const { signal } = new AbortController();

describe("firstReport", () => {
  it("is the first of the reports that are recorded", async () => {
    const { report, record } = firstReport();
    for (const commit of ["one", "two"]) record(reportOf({ commit }));
    expect((await report).commit).toBe("one");
  });
});

describe("finishOnce", () => {
  it.each([
    { reason: "everything applied", fields: {}, code: 0 },
    { reason: "errors in files", fields: { errorCount: 1 }, code: 1 },
    { reason: "withheld removals", fields: { withheldCount: 1 }, code: 1 },
    { reason: "an unexpected failure", fields: { failure: new Error("no") }, code: 1 },
  ])("answers $code for $reason", async ({ fields, code }) => {
    expect(await finishOnce(Promise.resolve(reportOf(fields)), daemonWith(true), signal)).toBe(code);
  });

  it("throws what the run failed with, and names the Lease that another process holds", async () => {
    const failure = new AppError("E_KUBE_UNREACHABLE", "list: no answer");
    const failed = Promise.resolve(reportOf({ failure }));
    await expect(finishOnce(failed, daemonWith(true), signal)).rejects.toBe(failure);
    await expect(finishOnce(failed, daemonWith(false), signal)).rejects.toMatchObject({
      code: "E_OTHER_DAEMON",
      message: "apply the head once: another process holds the Lease rollcall",
    });
  });

  it("leaves no listener on the signal, which lives as long as the program", async () => {
    const { signal: ownSignal } = new AbortController();
    await finishOnce(Promise.resolve(reportOf({})), daemonWith(true), ownSignal);
    expect(getEventListeners(ownSignal, "abort")).toEqual([]);
  });

  it("ends with 130 when it is stopped before the first run", async () => {
    const stopped = AbortSignal.abort();
    expect(await finishOnce(new Promise(() => undefined), daemonWith(true), stopped)).toBe(130);
  });
});

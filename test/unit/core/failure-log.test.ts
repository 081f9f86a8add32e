import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { FailureLog } from "../../../src/core/failure-log.ts";
import type { LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const [away, refused] = [new AppError("E_KUBE_UNREACHABLE", "reset"), new AppError("E_KUBE_FORBIDDEN", "no rights")];

function open() {
  const clock = createManualClock();
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const add = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log = { ...silentLog, warn: add, info: add };
  const failures = new FailureLog({
    log,
    clock,
    failed: "failed",
    recovered: "works again",
    fields: { kind: "Lease" },
  });
  return { clock, failures, linesSince: () => lines.splice(0) };
}

describe("FailureLog", () => {
  it("logs one line of a failure and one of its end, however often it was tried", async () => {
    const { clock, failures, linesSince } = open();
    for (let times = 0; times < 20; times++) {
      failures.failed(away);
      await clock.advance(1000);
    }
    failures.recovered();
    failures.recovered();
    expect(linesSince()).toEqual([
      ["failed", { kind: "Lease", error: away }],
      ["works again", { kind: "Lease", times: 20, afterMs: 20_000 }],
    ]);
  });

  it("logs a failure that lasts once a minute, with how often it was tried", async () => {
    const { clock, failures, linesSince } = open();
    for (let second = 0; second <= 180; second += 2) {
      failures.failed(away);
      await clock.advance(2000);
    }
    const times = linesSince().map(([, fields]) => fields?.["times"]);
    expect(times).toEqual([undefined, 31, 61, 91]);
  });

  it("logs a failure of another kind at once", () => {
    const { failures, linesSince } = open();
    for (const error of [away, refused, refused, new Error("a"), new Error("b"), away]) failures.failed(error);
    expect(linesSince().map(([, fields]) => fields?.["error"])).toEqual([away, refused, new Error("a"), away]);
  });

  it("logs the next failure after an end anew, and no end without a failure", () => {
    const { failures, linesSince } = open();
    failures.recovered();
    failures.failed(away);
    failures.recovered();
    failures.failed(away);
    expect(linesSince().map(([message]) => message)).toEqual(["failed", "works again", "failed"]);
  });
});

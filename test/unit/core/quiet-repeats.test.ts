import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Log } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { quietRepeats } from "../../../src/core/quiet-repeats.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const away = () => new AppError("E_KUBE_UNREACHABLE", "reset");

describe("quietRepeats", () => {
  let clock: ReturnType<typeof createManualClock>;
  let lines: string[];
  let log: Log;

  beforeEach(() => {
    clock = createManualClock();
    lines = [];
    const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
    const all = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
    const recording: Log = { ...silentLog, ...all, with: () => recording };
    log = quietRepeats(recording, clock);
  });
  const fail = (cluster: string, retryInMs = 1) => log.warn("failed", { cluster, error: away(), retryInMs });

  it("logs a warning that comes again as debug, whenever the next try is", () => {
    fail("a", 200);
    fail("a", 400);
    expect(lines).toEqual(["warn failed", "debug failed"]);
  });

  it("logs it again after ten minutes, and then after ten more", async () => {
    for (let minutes = 0; minutes <= 25; minutes++) {
      fail("a");
      await clock.advance(60_000);
    }
    expect(lines.filter((line) => line === "warn failed")).toHaveLength(3);
  });

  it.each<[string, (log: Log) => void]>([
    ["another text", () => log.warn("not reached", { cluster: "a", error: away() })],
    ["another object", () => fail("b")],
    [
      "another error",
      () => log.warn("failed", { cluster: "a", error: new AppError("E_KUBE_UNREACHABLE", "no route") }),
    ],
    ["another code", () => log.warn("failed", { cluster: "a", error: new AppError("E_KUBE_TLS", "reset") })],
    [
      "another field of all its lines",
      () => log.with({ repository: "r" }).warn("failed", { cluster: "a", error: away() }),
    ],
  ])("logs what has %s", (_, warn) => {
    fail("a");
    warn(log);
    expect(lines.filter((line) => line.startsWith("warn"))).toHaveLength(2);
  });

  it("remembers what another log with the same fields has logged", () => {
    log.with({ repository: "r" }).warn("failed");
    log.with({ repository: "r" }).warn("failed");
    expect(lines).toEqual(["warn failed", "debug failed"]);
  });

  it("leaves lines of the other levels as they are", () => {
    for (const level of ["debug", "info", "error"] as const) for (const _ of [1, 2]) log[level]("x");
    expect(lines).toEqual(["debug x", "debug x", "info x", "info x", "error x", "error x"]);
  });

  it("forgets the oldest of more than 20,000", () => {
    for (let count = 0; count <= 20_000; count++) fail(`cluster-${count}`);
    lines.length = 0;
    fail("cluster-1");
    fail("cluster-0");
    expect(lines).toEqual(["debug failed", "warn failed"]);
  });
});

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPinoLog } from "../../../src/system/pino-log.ts";

describe("createPinoLog", () => {
  it.runIf(existsSync("/dev/full"))("stops no work where the disk is full for the log", () => {
    const log = createPinoLog({ level: "info", path: "/dev/full" });
    let done = 0;
    for (const message of ["first", "second", "third"]) {
      log.info(message, { text: "x".repeat(100_000) });
      done += 1;
    }
    expect(done).toBe(3);
  });
});

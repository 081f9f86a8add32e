import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPinoLog } from "../../../src/system/pino-log.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pino-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("createPinoLog", () => {
  it("appends lines to its file, with an error by its message, never by its stack", () => {
    const path = join(folder, "rollcall.log");
    createPinoLog({ level: "info", path }).info("first");
    createPinoLog({ level: "warn", path }).info("unseen");
    createPinoLog({ level: "info", path })
      .with({ a: 1 })
      .warn("second", { error: new TypeError("x is \u202e odd") });
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "info", time, msg: "first" },
      { level: "warn", time, a: 1, error: { message: "x is \u202e odd" }, msg: "second" },
    ]);
    expect(lines[1]).toContain("\\u202e");
  });

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

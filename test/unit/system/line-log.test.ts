import { describe, expect, it } from "vitest";
import { createLineLog } from "../../../src/system/line-log.ts";
import { AppError } from "../../../src/core/errors.ts";

function collect(level: string) {
  const lines: string[] = [];
  const log = createLineLog({ level, nowMs: () => 1_800_000_000_000, write: (line) => lines.push(line) });
  return { log, lines };
}

describe("createLineLog", () => {
  it("writes one JSON object a line, with the fields of all its parents", () => {
    const { log, lines } = collect("info");
    log.with({ cluster: "eu-1" }).info("joined the hub", { number: 1 });
    expect(lines).toEqual([
      '{"level":"info","time":"2027-01-15T08:00:00.000Z","cluster":"eu-1","number":1,"msg":"joined the hub"}\n',
    ]);
  });

  it("A44 writes marks of direction and controls of a terminal in the escapes of JSON", () => {
    const { log, lines } = collect("info");
    log.info("joined", { name: "a\u202eb\u009bc\u2028" });
    expect(lines[0]).toContain('"name":"a\\u202eb\\u009bc\\u2028"');
  });

  it.each([
    ["debug", 4],
    ["info", 3],
    ["warn", 2],
    ["error", 1],
    ["trace", 3],
  ])("leaves out what is below %s", (level, count) => {
    const { log, lines } = collect(level);
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
    expect(lines).toHaveLength(count);
  });

  it("shows errors by code and message, never by their stack, and line breaks as text", () => {
    const { log, lines } = collect("info");
    log.warn("failed", { error: new AppError("E_SEALED", "open an answer\nin two lines"), other: new Error("x") });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: { code: "E_SEALED" }, other: { message: "x" } });
    expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
    expect(lines[0]).not.toContain("line-log.test");
  });
});

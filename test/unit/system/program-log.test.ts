import { describe, expect, it } from "vitest";
import { createProgramLog } from "../../../src/system/program-log.ts";

describe("--log-format", () => {
  it.each([
    { format: "auto", isTTY: true, isText: true },
    { format: "auto", isTTY: false, isText: false },
    { format: "text", isTTY: false, isText: true },
    { format: "json", isTTY: true, isText: false },
  ])("$format prints lines for people with a terminal $isTTY: $isText", ({ format, isTTY, isText }) => {
    let text = "";
    const stdout = { isTTY, write: (part: string) => (text += part) };
    const log = createProgramLog({ level: isText ? "info" : "error", format, isColour: false, stdout });
    log.info("run finished", { changes: 2 });
    expect(text.slice("00:00:00 ".length)).toBe(isText ? "INFO  run finished changes=2\n" : "");
  });
});

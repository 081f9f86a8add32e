import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { createLineLog } from "../../../src/system/line-log.ts";
import { renderTextLine } from "../../../src/system/text-log.ts";

function linesOf(isColour: boolean) {
  const lines: string[] = [];
  const log = createLineLog({
    level: "info",
    nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    write: (line) => lines.push(line),
    render: (line) => renderTextLine(line, { isColour }),
  });
  return { log, lines };
}

describe("renderTextLine", () => {
  it("has time, level, message and fields, and no level below the wanted one", () => {
    const { log, lines } = linesOf(false);
    log.debug("unseen");
    log.with({ repository: "a.b" }).info("run finished", {
      changes: 2,
      none: undefined,
      what: "a b",
      sizes: { create: 1, none: {}, of: { a: [1] } },
    });
    expect(lines).toEqual([
      `03:04:05 INFO  run finished repository=a.b changes=2 what="a b" sizes.create=1 sizes.of.a=[1]\n`,
    ]);
  });

  it("shows an error by code and message, and cuts what is long", () => {
    const { log, lines } = linesOf(false);
    log.error("run failed", { error: new AppError("E_GIT_REMOTE", "away"), text: "x".repeat(400) });
    log.error("run failed", { error: new Error("away"), text: "x".repeat(300) });
    expect(lines).toEqual([
      `03:04:05 ERROR run failed error="E_GIT_REMOTE: away" text=${"x".repeat(300)}...\n`,
      `03:04:05 ERROR run failed error=away text=${"x".repeat(300)}\n`,
    ]);
  });

  it("escapes what would control a terminal, and colours the level alone where colours are wanted", () => {
    const { log, lines } = linesOf(true);
    log.warn("a\u001b[2Jb", { name: "\u202ex" });
    expect(lines).toEqual([
      "\u001b[2m03:04:05\u001b[22m \u001b[33mWARN \u001b[39m a\\u{1b}[2Jb \u001b[2mname=\u001b[22m\\u{202e}x\n",
    ]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { printableJson } from "../../../src/core/printable-json.ts";

describe("printableJson", () => {
  it("A44 A58 writes what hides or moves text in escapes, and means the same", () => {
    const value = { "a\u202eb": ["\u0000\u001b[2J\u009b\u007f", "\u2028\u2066\ufeff", "ä\u{1f600}\n"] };
    const text = printableJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text.replaceAll("\n", "")).not.toMatch(
      /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u,
    );
    expect(text).toContain("ä\u{1f600}\\n");
  });

  it("A195 writes what is not seen in escapes, and means the same", () => {
    const value = { "a\u200bb": ["\u{e0062}", "\u00ad", "👩\u200d👧"] };
    const text = printableJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('"a\\u200bb"');
    expect(text).toContain('"\\udb40\\udc62"');
    expect(text).toContain('"👩\u200d👧"');
  });

  it("A58 is what every command writes its JSON with", () => {
    const folder = resolve(import.meta.dirname, "../../../src/cli");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const others = files.filter((file) => readFileSync(join(folder, file), "utf8").includes(", undefined, 2)"));
    // What files may hold, read from our own schemas.
    expect(others.map((file) => file.replaceAll("\\", "/")).sort()).toEqual(["commands/schema.ts"]);
  });
});

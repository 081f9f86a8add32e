import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const helpers = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !/\.(?:test|bench)\.ts$/u.test(file));

/** A hook outside of every function. */
const ownHook = /^(?:before|after)(?:All|Each)\(/mu;

describe("a hook", () => {
  it("is of a test file or in a function: of a helper that files share, it would run for the first of them alone", () => {
    expect(helpers.filter((file) => ownHook.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
    expect(ownHook.test("const ends = [];\n\nafterEach(async () => {\n")).toBe(true);
    expect(ownHook.test("export function useHub() {\n  afterEach(async () => {\n")).toBe(false);
  });
});

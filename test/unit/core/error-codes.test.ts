import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes } from "../../../src/core/error-codes.ts";

const root = join(import.meta.dirname, "../../..");
const codes = Object.entries(errorCodes).map(([code, { title }]) => ({ code, title }));

describe("errorCodes", () => {
  it.each(codes)("has a page for $code with its title, an example and what to do", ({ code, title }) => {
    const page = readFileSync(join(root, "docs/errors", `${code}.md`), "utf8");
    expect(page.split("\n")[0]).toBe(`# ${code}: ${title}`);
    expect(page).toMatch(/\n## Example\n\n```(?:yaml|text)\n[^`]+```\n\n## What to do\n\n\S/u);
  });

  it("names who tries again by itself: a command that failed does not", () => {
    const silent = Object.entries(errorCodes).filter(
      ([, { remedy }]) => remedy.includes("by itself") && !/daemon|agent/u.test(remedy),
    );
    expect(silent.map(([code]) => code)).toEqual([]);
  });

  it("has no page without a code, and lists every page", () => {
    const pages = readdirSync(join(root, "docs/errors")).filter((name) => name !== "README.md");
    expect(pages.sort()).toEqual(codes.map(({ code }) => `${code}.md`).sort());
    const list = readFileSync(join(root, "docs/errors/README.md"), "utf8");
    expect(codes.filter(({ code }) => !list.includes(`[${code}](${code}.md)`))).toEqual([]);
  });
});

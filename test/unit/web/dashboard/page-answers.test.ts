import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { securityHeaders } from "../../../../src/web/dashboard/page-answers.ts";

const folder = resolve(import.meta.dirname, "../../../../src/web/dashboard/browser");

describe("the page", () => {
  it("A41 loads its own files only, and makes no markup of text", () => {
    const rules = securityHeaders["content-security-policy"].split("; ");
    expect(rules).toContain("default-src 'none'");
    expect(rules).toContain("script-src 'self'");
    expect(rules).toContain("require-trusted-types-for 'script'");
    expect(rules.join(" ")).not.toMatch(/unsafe|\*|https?:/u);
  });

  it("A41 has no code that sets markup", () => {
    const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc/iu;
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file));
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => markup.test(readFileSync(join(folder, file), "utf8")))).toEqual([]);
  });
});

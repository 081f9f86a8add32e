import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { acceptsGzip, apiError, json, jsonText, securityHeaders } from "../../../../src/web/dashboard/page-answers.ts";

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

  it("A196 gets texts in which nothing is unseen or turns the direction of writing", async () => {
    const value = { "a\u202e": ["pro\u200bd\u2066", "👩\u200d👧 \u{e0062}", "line\nline"] };
    const shown = { "a\\u{202e}": ["pro\\u{200b}d\\u{2066}", "👩\u200d👧 \\u{e0062}", "line\nline"] };
    expect(JSON.parse(String((await json({ headers: {} }, value)).body))).toEqual(shown);
    const { body } = apiError(503, "Failed", "branch \u202ex");
    expect(JSON.parse(String(body))).toEqual({ code: "Failed", error: "branch \\u{202e}x" });
  });
});

describe("a JSON answer", () => {
  const long = JSON.stringify("a".repeat(1022));

  it.each([
    { text: long, accepted: "gzip, br", isCompressed: true },
    { text: long.slice(1), accepted: "gzip, br", isCompressed: false },
    { text: long, accepted: undefined, isCompressed: false },
  ])("of $text.length characters is compressed for $accepted: $isCompressed", async (row) => {
    const { headers, body } = await jsonText({ headers: { "accept-encoding": row.accepted } }, row.text);
    expect(headers?.["content-encoding"]).toBe(row.isCompressed ? "gzip" : undefined);
    expect(headers).toMatchObject({ vary: "accept-encoding" });
    expect(row.isCompressed ? String(gunzipSync(body)) : body).toBe(row.text);
  });

  it.each([
    ["gzip", true],
    ["br;q=1.0, gzip;q=0.8", true],
    ["br, deflate", false],
    ["gzipped", false],
    ["br, GZIP ; q=0.001", true],
    ["gzip;q=0", false],
    ["gzip; q=0.000, br", false],
    [undefined, false],
  ])("may be compressed for %j: %s", (accepted, isTaken) => {
    expect(acceptsGzip({ headers: { "accept-encoding": accepted } })).toBe(isTaken);
  });
});

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAccess, proxyAccess } from "../../../../src/web/dashboard/access.ts";
import type { PageAssets } from "../../../../src/web/dashboard/page-assets.ts";
import { assetRoutes, readPageAssets } from "../../../../src/web/dashboard/page-assets.ts";
import type { WebAnswer, WebRequest } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const texts = { "index.html": "<html>", "page.js": "script()", "page.css": "a{}", "icon.svg": "<svg>" };
const folder = mkdtempSync(join(tmpdir(), "rollcall-page-"));
let assets: PageAssets = new Map();
beforeAll(async () => {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  assets = await readPageAssets(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = openAccess(() => ["one"]);
const proxy = proxyAccess(
  { clock: createManualClock(), daemonNamespace: "a", workspaces: () => [], isAllowed: async () => false },
  { user: "x-user", groups: "x-groups" },
);

async function ask(path: string, headers: WebRequest["headers"] = {}, { access = open, of = assets } = {}) {
  const routes = assetRoutes(of, access);
  const route =
    routes.find((candidate) => candidate.path === path) ?? routes.find((candidate) => candidate.path === "*");
  const answer = await route?.answer({
    path,
    query: new URLSearchParams(),
    headers: { host: "localhost", ...headers },
    remoteAddress: "10.0.0.1",
    readBody: async () => new Uint8Array(),
  });
  const { status = 200, headers: answered = {}, contentType, body } = answer as WebAnswer;
  return { status, headers: answered, contentType, body: Buffer.from(body as Uint8Array) };
}

describe("the files of the page", () => {
  it.each([
    ["/", "text/html; charset=utf-8", "<html>"],
    ["/assets/page.js", "text/javascript; charset=utf-8", "script()"],
    ["/assets/page.css", "text/css; charset=utf-8", "a{}"],
    ["/assets/icon.svg", "image/svg+xml", "<svg>"],
    ["/clusters/", "text/html; charset=utf-8", "<html>"],
    ["/history", "text/html; charset=utf-8", "<html>"],
  ])("are at %s", async (path, contentType, text) => {
    const answer = await ask(path);
    expect([answer.status, answer.contentType, String(answer.body)]).toEqual([200, contentType, text]);
    expect(answer.headers).not.toHaveProperty("content-encoding");
  });

  it("are compressed for who takes that", async () => {
    const answer = await ask("/assets/page.js", { "accept-encoding": "br, gzip" });
    expect(answer.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(String(gunzipSync(answer.body))).toBe("script()");
  });

  it("are not sent again while they are the same", async () => {
    const { headers } = await ask("/assets/page.js");
    const etag = `"${createHash("sha256").update("script()").digest("base64url").slice(0, 22)}"`;
    expect(headers).toMatchObject({ etag, "cache-control": "no-cache" });
    const again = await ask("/assets/page.js", { "if-none-match": etag });
    expect([again.status, String(again.body), again.headers["etag"]]).toEqual([304, "", etag]);
    expect((await ask("/assets/page.css", { "if-none-match": etag })).status).toBe(200);
  });

  it.each([
    { accept: "text/html,*/*", body: "<html>" },
    { accept: "application/json", body: '{"code":"NotFound","error":"not found"}' },
    { accept: undefined, body: '{"code":"NotFound","error":"not found"}' },
  ])("have a page for a browser at an unknown address, and JSON for others: $accept", async ({ accept, body }) => {
    const answer = await ask("/unknown", { accept });
    expect([answer.status, String(answer.body)]).toEqual([404, body]);
    expect(answer.headers).not.toHaveProperty("etag");
  });

  it("A40 are refused under the name of another machine where the page is for this one only", async () => {
    const answer = await ask("/", { host: "evil.example" });
    expect([answer.status, String(answer.body)]).toEqual([
      403,
      "This page answers to names of this machine only, such as localhost.\n",
    ]);
  });

  it("are public where a viewer signs in", async () => {
    expect((await ask("/", { host: "fleet.example" }, { access: proxy })).status).toBe(200);
  });

  it.each(["/", "/clusters", "/unknown"])("are not found at %s where none were built", async (path) => {
    const answer = await ask(path, { accept: "text/html" }, { of: new Map() });
    expect([answer.status, answer.contentType]).toEqual([404, "application/json"]);
  });

  it("name the command that makes them where one is missing", async () => {
    await expect(readPageAssets(join(folder, "missing"))).rejects.toMatchObject({
      code: "E_INSTALLATION",
      message: expect.stringContaining("npm run build makes it") as string,
    });
  });
});

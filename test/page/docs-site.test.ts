import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longestWaitMs } from "../support/until.ts";
import { startBrowser } from "./browser.ts";

const root = resolve(import.meta.dirname, "../..");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** The built folder as any web server gives it out. */
function serveSite(): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    const file = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    readFile(join(root, "site/dist", file)).then(
      (content) => response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream").end(content),
      () => response.writeHead(404).end(),
    );
  }).listen(0, "127.0.0.1");
}

describe("the documentation as a site", () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const elsewhere: string[] = [];

  beforeAll(async () => {
    // A link that leads to no page ends the build.
    await promisify(execFile)("npm", ["run", "docs"], { cwd: root });
    server = serveSite();
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    page.on("request", (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) elsewhere.push(request.url());
    });
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it("finds an error code by its search, without a network", async () => {
    await page.goto(`${origin}/`);
    // A click on what no script has taken over yet does nothing.
    await page.waitForFunction(() => Object.hasOwn(document.querySelector("#app") ?? {}, "__vue_app__"));
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("E_GIT_PUSH_DENIED");
    await page.locator(".results .result").first().click();
    await page.getByRole("heading", { name: "E_GIT_PUSH_DENIED", level: 1 }).waitFor();
    expect(elsewhere).toEqual([]);
  });

  it("draws the diagrams", async () => {
    await page.goto(`${origin}/sequences.html`);
    await page.locator(".diagram svg").nth(3).waitFor();
    expect(await page.locator(".diagram svg").first().textContent()).toContain("agent");
    expect(elsewhere).toEqual([]);
  });

  it("shows braces of a template as text", async () => {
    await page.goto(`${origin}/protocols/checks.html`);
    expect(await page.locator("main").textContent()).toContain("{{ .Values.x }}");
  });
});

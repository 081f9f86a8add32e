import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { exampleClusters, exampleNowMs } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

/** Where the pictures of docs/page.md go when asked for (`npm run screenshots`); else they are only taken. */
const folder = process.env["SCREENSHOTS"];

const views = [
  { name: "overview", path: "/", ready: ".share" },
  { name: "clusters", path: "/clusters?sort=state", ready: ".table-row" },
  { name: "grid", path: "/clusters?view=grid&by=region&colour=version", ready: ".grid-legend li" },
  { name: "cluster", path: "/clusters/fleet-prod/prod-eu-north-2", ready: ".conditions" },
  { name: "repository", path: "/repository", ready: ".commits" },
  { name: "plan", path: "/repository/plan?branch=retire-sa-east", ready: ".changes" },
  { name: "tokens", path: "/tokens", ready: ".wide" },
];

describe("pictures of the page", () => {
  let stage: Stage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(420));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it.each(views)(`shows $name, ${colorScheme}, in a picture of modest size`, async ({ name, path, ready }) => {
      const context = await browser.newContext({
        viewport: { width: 1180, height: 590 },
        colorScheme,
        reducedMotion: "reduce",
        timezoneId: "UTC",
      });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.clock.setFixedTime(exampleNowMs);
      await page.goto(stage.url + path);
      await page.locator(ready).first().waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
      if (name === "repository") await page.locator(".commits summary").first().click();
      const file = folder === undefined ? undefined : join(folder, `${name}-${colorScheme}.png`);
      if (folder !== undefined) await mkdir(folder, { recursive: true });
      const picture = await page.screenshot(file === undefined ? {} : { path: file });
      expect(picture.length).toBeLessThan(160_000);
      if (file !== undefined) expect((await stat(file)).size).toBe(picture.length);
      await context.close();
    });
  }
});

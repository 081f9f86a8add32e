import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longestWaitMs } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const paths = [
  "/",
  "/clusters",
  "/clusters/fleet-prod/prod-eu-north-2",
  "/repository",
  "/repository/plan?branch=retire-sa-east",
  "/repository/plan?branch=agent-1.1",
  "/tokens",
  "/history",
  "/nowhere",
];

describe("the title of the tab", () => {
  let browser: Browser;
  let stage: Stage;

  beforeAll(async () => {
    browser = await startBrowser();
    stage = await openStage(exampleClusters(12));
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  it("tells each view, and each planned branch, from the others", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    const titles = new Set<string>();
    for (const path of paths) {
      await page.goto(stage.url + path);
      await page.getByText("Live", { exact: true }).waitFor();
      titles.add(await page.title());
    }
    expect([...titles].filter((title) => title.endsWith(" · Rollcall"))).toHaveLength(paths.length);
    await page.close();
  });
});

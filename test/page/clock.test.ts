import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longestWaitMs } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters, exampleNowMs } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const tenMinutesMs = 600_000;

describe("the page in a browser whose clock is wrong", () => {
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

  it.each([
    ["right", 0],
    ["ten minutes fast", tenMinutesMs],
    ["ten minutes slow", -tenMinutesMs],
  ])("shows ages and missed heartbeats by the daemon's clock: %s", async (_, aheadMs) => {
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.clock.setFixedTime(exampleNowMs + aheadMs);
    await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-north-1`);
    const heartbeat = page.getByRole("region", { name: "Heartbeat" });
    await heartbeat.waitFor();
    expect(await heartbeat.getByRole("img").getAttribute("aria-label")).toContain("none missed");
    expect(await heartbeat.getByRole("time").textContent()).toBe("20s ago");
    await page.getByText("number 12ends in 14h").waitFor();
    await page.close();
  });
});

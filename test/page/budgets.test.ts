import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const clusterCount = 10_000;
/** What the first view loads, compressed: page, script, style and answers. */
const firstLoadBytes = 150_000;

describe(`budgets with ${clusterCount} clusters`, () => {
  let stage: Stage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(clusterCount));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  it("loads the overview with few bytes", async () => {
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(stage.url);
    await page.getByRole("heading", { name: /clusters are ready/u }).waitFor();
    process.stdout.write(`first load: ${bytes} bytes\n`);
    expect(bytes).toBeLessThan(firstLoadBytes);
    await page.close();
  });
});

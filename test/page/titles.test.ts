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
  "/clusters/%zz/broken-escape",
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

  it("differs for each view, and for each planned branch", async () => {
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

  it("changes together with the view, not a moment later", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`${stage.url}/clusters`);
    await page.getByText("Live", { exact: true }).waitFor();
    const titleAtChange = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const observer = new MutationObserver(() => {
            if (document.querySelector("main.tokens") === null) return;
            observer.disconnect();
            resolve(document.title);
          });
          observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        }),
    );
    await page.getByRole("link", { name: "Tokens" }).click();
    expect(await titleAtChange).toBe("Tokens · Rollcall");
    await page.close();
  });
});

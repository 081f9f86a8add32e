import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { exampleClusters, exampleRepository } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

let stage: Stage;
let browser: Browser;

beforeAll(async () => {
  const writeBackFailure = "push rollcall/status: the server refused it";
  stage = await openStage(exampleClusters(20), { repository: () => ({ ...exampleRepository, writeBackFailure }) });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await stage.stop();
});

it("names on the overview what is on the hub and in no file", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(longestWaitMs);
  await page.goto(stage.url);
  const card = page.getByRole("region", { name: "On the hub, not in git", exact: true });
  await card.waitFor();
  expect(await card.locator("header, h2").allInnerTexts()).toContain("On the hub, not in git");
  expect(await card.locator("li").allInnerTexts()).toEqual([
    "Cluster/fleet-edge/store-0042 No file has what was set on the hub, so it has no effect: metadata.labels[window] " +
      "(kubectl-label).",
  ]);
});

it("shows on the overview why the status branch is not written", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(longestWaitMs);
  await page.goto(stage.url);
  await page.getByText("The status branch is not written: push rollcall/status: the server refused it").waitFor();
});

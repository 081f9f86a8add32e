import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { exampleClusters, exampleNowMs } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

describe("the plan of a branch, on the page", () => {
  let stage: Stage;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(20));
    browser = await startBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.clock.setFixedTime(exampleNowMs);
    await page.goto(`${stage.url}/repository/plan?branch=retire-sa-east`);
    await page.locator(".changes").first().waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const card = (title: string) => page.getByRole("region", { name: title, exact: true });
  const linesOf = (title: string): Promise<string[]> => card(title).locator(".removals > li").allInnerTexts();

  it("names what is deleted and what is withheld before anything else, in cards that stand out", async () => {
    expect(await page.locator(".card h2").allTextContents()).toEqual([
      "3 removals",
      "1 deletion",
      "1 removal and 1 deletion would be withheld",
      "1 removal waits on the target branch",
      "3 agents would be rolled out anew",
      "On the hub",
    ]);
    expect(await page.locator(".card.bad h2").allTextContents()).toHaveLength(3);
    expect(await page.locator(".plan-counts .gone").allTextContents()).toEqual(["4 to remove", "2 withheld"]);
  });

  it("names each change once", async () => {
    const objectsIn = (title: string) => card(title).locator(".changes > li .object").allTextContents();
    const deleted = "ClusterRegistrationToken/fleet-prod/sa-east";
    expect(await objectsIn("1 deletion")).toEqual([deleted]);
    await card("1 deletion").getByText("tokens/sa-east.yaml no longer declares it").waitFor();
    const others = await objectsIn("On the hub");
    expect(others.length).toBeGreaterThan(0);
    expect(others).not.toContain(deleted);
    expect(new Set(others).size).toBe(others.length);
  });

  it("shows why each withheld object stays", async () => {
    const lines = await linesOf("1 removal and 1 deletion would be withheld");
    expect(lines.map((line) => line.split("\n"))).toEqual([
      [
        "fleet-prod/prod-sa-east-7 would leave the fleet clusters/prod/prod-sa-east-7.yaml no longer declares it",
        "Stays: deletionProtection is set on the hub: an applied commit must take it away first",
      ],
      [
        "ClusterGroup/fleet-prod/sa-east would be deleted groups/regions.yaml no longer declares it",
        "Stays: a file with errors may still declare it",
      ],
    ]);
  });

  it("shows apart what waits on the target branch, and counts it nowhere else", async () => {
    await page.getByText("On the base, 1 removal is waiting.").waitFor();
    expect(await linesOf("1 removal waits on the target branch")).toHaveLength(1);
    expect(await page.locator(".plan-counts .gone").allTextContents()).toEqual(["4 to remove", "2 withheld"]);
  });

  it("shows the waves in which agents are rolled out, with their versions", async () => {
    const rollout = card("3 agents would be rolled out anew");
    await rollout.getByText("2 at the same time").waitFor();
    const waves = await rollout.locator(".waves > li").allInnerTexts();
    expect(waves.map((text) => text.split("\n").filter((line) => line !== ""))).toEqual([
      ["Wave 1", "fleet-prod/prod-ap-south-1 1.0.0 → 1.1.0", "fleet-prod/prod-ap-south-2 1.0.0 → 1.1.0"],
      ["Wave 2", "fleet-prod/prod-eu-north-1 1.0.0 → 1.1.0"],
    ]);
  });
});

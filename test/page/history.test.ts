import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import { exampleRecordIds } from "./example-records.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

describe("the history", () => {
  let stage: Stage;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(12));
    browser = await startBrowser();
  });
  beforeEach(async () => {
    const context = await browser.newContext({ bypassCSP: true });
    context.setDefaultTimeout(longestWaitMs);
    page = await context.newPage();
    return () => context.close();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  it("moves by the arrow keys, names its position, and the address has the commit", async () => {
    await page.goto(`${stage.url}/history`);
    const slider = page.getByRole("slider", { name: "Commit of the status branch" });
    expect(await slider.getAttribute("aria-valuetext")).toMatch(/UTC\. Ready: prod-eu-north-2$/u);
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(`**/history?at=${exampleRecordIds[1]}`);
    expect(await slider.getAttribute("aria-valuetext")).toContain("Unresponsive: prod-us-west-2");
    expect(await slider.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.locator(".clusters-then").waitFor();
    const then = `${stage.url}/api/v1/records/fleet*`;
    await page.route(then, () => undefined);
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(`**/history?at=${exampleRecordIds[2]}`);
    await page.getByText("Reading…").waitFor();
    expect(await page.getByRole("region", { name: "The fleet then" }).count()).toBe(0);
    await page.unroute(then);
    await page.getByRole("button", { name: "Later" }).click();
    await page.waitForURL(`**/history?at=${exampleRecordIds[1]}`);
  });

  it("does not show the newest commit in the place of one that a link names and that is not read", async () => {
    await page.goto(`${stage.url}/history?at=${"f".repeat(40)}`);
    await page.getByRole("alert").getByText("Commit ffffffffffff is not among the 6 commits").waitFor();
    await page.getByRole("button", { name: "Earlier" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("shows the same by a link, with what it is compared with", async () => {
    await page.goto(`${stage.url}/history?at=${exampleRecordIds[1]}&with=hour`);
    await page.getByRole("heading", { name: /^What changed since 12 Mar 2026/u }).waitFor();
    expect(await page.getByLabel("Compared with").inputValue()).toBe("hour");
    await page.getByLabel("Compared with").selectOption("before");
    await page.waitForURL(`**/history?at=${exampleRecordIds[1]}`);
    await page.getByRole("heading", { name: "What this commit changed" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it("stops at both ends, with the focus on the button that led there", async () => {
    await page.goto(`${stage.url}/history?at=${exampleRecordIds.at(-2)}`);
    await page.locator(".clusters-then").waitFor();
    const earlier = page.getByRole("button", { name: "Earlier" });
    await earlier.press("Enter");
    await page.waitForURL(`**/history?at=${exampleRecordIds.at(-1)}`);
    expect(await earlier.getAttribute("aria-disabled")).toBe("true");
    expect(await earlier.evaluate((element) => element === document.activeElement)).toBe(true);
    await earlier.press("Enter");
    expect(page.url()).toContain(exampleRecordIds.at(-1));
    expect(await page.getByRole("button", { name: "Later" }).getAttribute("aria-disabled")).toBe("false");
  });

  it("is reached from the timeline of a cluster", async () => {
    await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-north-2`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline
      .getByRole("link", { name: /the fleet then/u })
      .first()
      .click();
    await page.waitForURL(`**/history?at=${exampleRecordIds[0]}`);
  });
});

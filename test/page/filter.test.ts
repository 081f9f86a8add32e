import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

describe("the filter of clusters, in the browser", () => {
  let stage: Stage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(120));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const openClusters = async (query = ""): Promise<Page> => {
    const page = await browser.newPage({ bypassCSP: true });
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`${stage.url}/clusters${query}`);
    await page.locator(".filter-bar select").first().waitFor();
    return page;
  };

  it("is completed with the keyboard alone, and is in the address", async () => {
    const page = await openClusters();
    const input = page.getByRole("combobox", { name: "Filter clusters" });
    await input.focus();
    await page.keyboard.type("reg");
    await page.getByRole("option", { name: "region" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await input.getAttribute("aria-activedescendant")).toBe(
      await page.locator(".options [aria-selected=true]").getAttribute("id"),
    );
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "eu-west 20" }).waitFor();
    // Of the list before: Enter would choose a value that nothing points at.
    expect(await input.getAttribute("aria-activedescendant")).toBe(null);
    await page.keyboard.type("us-e");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("state!=Ready");
    await page.getByText("3 of 120").waitFor();
    expect(await input.inputValue()).toBe("region=us-east state!=Ready");
    await page.reload();
    await page.getByText("3 of 120").waitFor();
    expect(await input.inputValue()).toBe("region=us-east state!=Ready");
    await page.getByRole("button", { name: "Clear" }).press("Enter");
    await page.getByText("120 clusters", { exact: true }).waitFor();
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.close();
  });

  it.each(["ignores", "refuses"])("follows a held key, though the browser %s so many addresses", async (what) => {
    const page = await openClusters();
    // The browser of this test admits all. Safari refuses those above a hundred in 30 seconds, and Chromium ignores them.
    await page.evaluate((isRefused) => {
      const replaceState = history.replaceState.bind(history);
      let count = 0;
      history.replaceState = (...place) => {
        count += 1;
        if (count <= 100 || count > 500) replaceState(...place);
        else if (isRefused) throw new DOMException("more than 100 times in 30 seconds", "SecurityError");
      };
    }, what === "refuses");
    const input = page.getByRole("combobox", { name: "Filter clusters" });
    await input.evaluate(typeMuch);
    await page.getByText("0 of 120").waitFor();
    expect(await input.inputValue()).toBe("x".repeat(500));
    await page.waitForURL(/q=x{500}$/u);
    await page.close();
  });

  it("counts the choices of a field, and puts the chosen one into the text", async () => {
    const page = await openClusters("?q=team%3Dmedia");
    const choice = page.getByRole("combobox", { name: "Workspace" });
    expect(await choice.locator("option").allInnerTexts()).toEqual([
      ...["Workspace: any", "Workspace: fleet-edge (8)", "Workspace: fleet-prod (16)"],
    ]);
    await choice.selectOption("fleet-edge");
    expect(await page.getByRole("combobox", { name: "Filter clusters" }).inputValue()).toBe(
      "team=media workspace=fleet-edge",
    );
    await page.close();
  });

  it("names what it does not understand, and keeps the rest", async () => {
    const page = await openClusters("?q=regoin%3Deu+state%3DRedy+workspace%3Dfleet-edge");
    const problems = page.locator(".filter-problems p");
    await problems.first().waitFor();
    expect(await problems.allInnerTexts()).toEqual([
      'state=Redy at 11: "Redy" is no state. Did you mean Ready?',
      'regoin=eu at 1: No cluster has the label "regoin". Did you mean region?',
    ]);
    await page.close();
  });
});

/** Runs in the browser: the events of a key that is held. */
async function typeMuch(element: Element): Promise<void> {
  const input = element as HTMLInputElement;
  for (let press = 1; press <= 500; press++) {
    input.value += "x";
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await new Promise((drawn) => setTimeout(drawn));
  }
}

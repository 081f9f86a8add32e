import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tokenAccess } from "../../src/web/dashboard/access.ts";
import type { PageActions } from "../../src/web/dashboard/page-actions.ts";
import { clusterActions, repositoryActions } from "../../src/web/dashboard/page-actions.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { longestWaitMs, until } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const actions: PageActions = {
  rights: async () => [...repositoryActions, ...clusterActions].map((action) => ({ action, isAllowed: true })),
  perform: async () => "It is done.",
};

describe("the focus", () => {
  let browser: Browser;
  let stage: Stage;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await startBrowser();
    const access = tokenAccess({
      clock: realClock,
      daemonNamespace: "rollcall-system",
      workspaces: () => ["fleet-edge", "fleet-prod"],
      reviewToken: async (username) => ({ username, groups: [] }),
      isAllowed: async () => true,
    });
    stage = await openStage(exampleClusters(420), { access, actions });
  });
  afterEach(async () => context.close());
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const openPage = async (path: string): Promise<Page> => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    await context.addCookies([{ name: "rollcall-token", value: "ada", url: stage.url }]);
    const page = await context.newPage();
    await page.goto(stage.url + path);
    return page;
  };
  const focused = async (page: Page): Promise<string> =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      return element?.id || element?.textContent || element?.tagName || "";
    });

  it.each(["Reconcile now", "Suspend"])("stays on the button of an action that is done: %s", async (label) => {
    const page = await openPage("/repository");
    await page.getByRole("button", { name: label }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("alertdialog");
    if (label === "Suspend") await dialog.getByRole("button", { name: label }).press("Enter");
    await page.getByText("It is done.").waitFor();
    expect(await focused(page)).toBe(label);
  });

  it("on a button that is pressed twice does what it offers once", async () => {
    const page = await openPage("/repository");
    const asked: Route[] = [];
    await page.route(`${stage.url}/api/v1/actions`, (route) =>
      route.request().method() === "POST" ? void asked.push(route) : route.continue(),
    );
    const button = page.getByRole("button", { name: "Reconcile now" });
    await button.dblclick();
    await button.press("Enter");
    await until(
      async () => asked.length,
      (count) => count > 0,
    );
    for (const route of asked) await route.continue();
    await page.getByText("It is done.").waitFor();
    expect(asked).toHaveLength(1);
  });

  it("is in the content after a link to another view, not lost with the link", async () => {
    const page = await openPage("/clusters");
    await page.getByRole("link", { name: "prod-ap-south-1", exact: false }).first().press("Enter");
    await page.locator(".conditions").waitFor();
    expect(await focused(page)).toBe("view");
  });

  it("finds the table on the way back where it was scrolled to", async () => {
    const page = await openPage("/clusters");
    await page.locator(".table-row").first().waitFor();
    await page.locator(".table-scroller").evaluate((scroller) => scroller.scrollTo(0, 5_000));
    await page.locator('[aria-rowindex="140"] a.name').press("Enter");
    await page.locator(".conditions").waitFor();
    await page.goBack();
    await page.locator('[aria-rowindex="140"]').waitFor();
    expect(await page.locator(".table-scroller").evaluate((scroller) => scroller.scrollTop)).toBeGreaterThan(4_500);
  });

  it("sees the first rows behind a label in the table, and on the way back where the table was scrolled to", async () => {
    const page = await openPage("/clusters");
    const scroller = page.locator(".table-scroller");
    const topOf = async (): Promise<number> => scroller.evaluate(({ scrollTop }) => scrollTop);
    await page.locator(".table-row").first().waitFor();
    await scroller.evaluate((element) => element.scrollTo(0, 5_000));
    await page.locator('[aria-rowindex="140"] a.label').first().click();
    await page.waitForURL(/q=/u);
    await page.locator('[aria-rowindex="2"]').waitFor();
    expect(await topOf()).toBe(0);
    await page.goBack();
    await page.locator('[aria-rowindex="140"]').waitFor();
    expect(await topOf()).toBeGreaterThan(4_500);
  });

  it("is one step away from the view before, however often the link to this one was followed", async () => {
    const page = await openPage("/clusters");
    for (const _ of [1, 2, 3]) await page.getByRole("link", { name: "Tokens", exact: true }).press("Enter");
    await page.goBack();
    await page.waitForURL(/clusters$/u);
  });

  it("is in the content after the link that skips the views", async () => {
    const page = await openPage("/clusters");
    await page.locator(".table-row").first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("view");
  });

  it("stays in the view whose link is opened in a tab of its own", async () => {
    const page = await openPage("/clusters");
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Tokens", exact: true }).click({ modifiers: ["Control"] });
    await (await opened).waitForURL(/tokens$/u);
    expect(new URL(page.url()).pathname).toBe("/clusters");
  });
});

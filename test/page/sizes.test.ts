import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

const widths = [320, 390, 768, 1440, 2560];
const views = [
  { path: "/", ready: ".share" },
  { path: "/clusters", ready: ".table-row" },
  { path: "/clusters?view=grid&by=region", ready: ".grid-legend li" },
  { path: "/clusters/fleet-prod/prod-eu-north-2", ready: ".conditions" },
  { path: "/repository", ready: ".commits" },
  { path: "/repository/plan?branch=retire-sa-east", ready: ".changes" },
  { path: "/tokens", ready: ".wide" },
  { path: "/history?with=hour", ready: ".clusters-then li" },
];
const arabic = "المنطقة-الشرقية";

describe("every view", () => {
  let stage: Stage;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    stage = await openStage([...exampleClusters(120), rightToLeft(exampleCluster(120))]);
    browser = await startBrowser();
  });
  afterEach(async () => context.close());
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  it.each(widths)("fits a window of %i pixels: nothing is scrolled sideways but tables", async (width) => {
    context = await browser.newContext({ viewport: { width, height: 900 }, bypassCSP: true });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    for (const { path, ready } of views) {
      await page.goto(stage.url + path);
      await page.locator(ready).first().waitFor();
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, Math.max(0, wider)]).toEqual([path, 0]);
      expect([path, await findViolations(page)]).toEqual([path, []]);
    }
  });

  it("prints all of a cluster in dark on light, without what is clicked", async () => {
    context = await browser.newContext({ colorScheme: "dark" });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-north-2`);
    await page.locator(".conditions").waitFor();
    await page.emulateMedia({ media: "print" });
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(ground).toBe("rgb(255, 255, 255)");
    expect(await page.getByRole("navigation", { name: "Views" }).isVisible()).toBe(false);
    await page.goto(`${stage.url}/clusters`);
    await page.locator(".table-row").first().waitFor();
    expect(await page.locator(".filter-bar select").first().isVisible()).toBe(false);
  });

  it("prints every row of the table, not only those in sight", async () => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    // Before the listener of the page, which takes the rows away again.
    await page.addInitScript(() =>
      addEventListener("afterprint", () => {
        document.title = `${document.querySelectorAll(".table-row").length} rows`;
      }),
    );
    await page.goto(`${stage.url}/clusters`);
    await page.locator(".table-row").first().waitFor();
    expect(await page.locator(".table-row").count()).toBeLessThan(80);
    await page.pdf();
    expect(await page.title()).toBe("121 rows");
    await page.locator('[aria-rowindex="121"]').waitFor({ state: "detached" });
  });

  it.each([320, 768])(
    "fits names of the longest kind that have no place to break at, %i pixels wide",
    async (width) => {
      const long = await openStage([longest()]);
      context = await browser.newContext({ viewport: { width, height: 900 } });
      context.setDefaultTimeout(longestWaitMs);
      const page = await context.newPage();
      for (const path of ["/", "/clusters", "/clusters?view=grid", `/clusters/${"y".repeat(63)}/${"x".repeat(63)}`]) {
        await page.goto(long.url + path);
        await page.locator(".share, .table-row, .grid-legend li, .conditions").first().waitFor();
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([path, 0]);
      }
      await long.stop();
    },
  );

  it("shows the whole of a label on the cluster's page, and the count of each group of the grid", async () => {
    const long = await openStage([longest()]);
    context = await browser.newContext({ viewport: { width: 320, height: 900 } });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.goto(`${long.url}/clusters/${"y".repeat(63)}/${"x".repeat(63)}`);
    const label = page.locator(".label-table .label");
    await label.waitFor();
    expect(await label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.goto(`${long.url}/clusters?view=grid&by=${"z".repeat(63)}`);
    const count = page.locator(".grid-cells h2 .soft");
    await count.waitFor();
    expect(await count.evaluate((element) => element.getBoundingClientRect().right - innerWidth)).toBeLessThan(0);
    await long.stop();
  });

  it.each([320, 360, 390])("has every link to a view within a window of %i pixels", async (width) => {
    context = await browser.newContext({ viewport: { width, height: 900 } });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.goto(`${stage.url}/history`);
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    await links.last().waitFor();
    const ends = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().right - innerWidth));
    expect(Math.max(...ends)).toBeLessThanOrEqual(0);
  });

  it("shows with forced colours which view, switch and entry is chosen, and how full a meter is", async () => {
    context = await browser.newContext({ forcedColors: "active" });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.goto(`${stage.url}/clusters`);
    await page.locator(".table-row").first().waitFor();
    const borders = await page
      .locator(".top-bar nav a")
      .evaluateAll((links) => links.map((link) => getComputedStyle(link).borderBottomColor));
    expect(borders.filter((colour) => colour === borders[1])).toHaveLength(1);
    await page.keyboard.press("Control+K");
    for (const chosen of [".palette [aria-selected=true]", ".view-switch [aria-current]"])
      expect(await page.locator(chosen).evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
    await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-north-2`);
    const [whole, part] = [page.locator(".meter").first(), page.locator(".meter > span").first()];
    const groundOf = (element: Element): string => getComputedStyle(element).backgroundColor;
    expect(await part.evaluate(groundOf)).not.toBe(await whole.evaluate(groundOf));
  });

  it("has the colours that were chosen, also when it is loaded again", async () => {
    context = await browser.newContext({ colorScheme: "light" });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    const ground = async (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.goto(stage.url);
    const button = page.getByRole("button", { name: "colours" });
    await button.waitFor();
    const asSystem = await ground();
    for (const _ of ["light", "dark"]) await button.click();
    const dark = await ground();
    expect(dark).not.toBe(asSystem);
    await page.reload();
    await page.getByRole("button", { name: "Dark colours" }).waitFor();
    expect(await ground()).toBe(dark);
  });

  it("keeps the order of a right-to-left name within its own place", async () => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.goto(`${stage.url}/clusters?q=${encodeURIComponent(arabic)}`);
    const name = page.locator(".table-row .name .soft");
    await name.getByText(arabic).waitFor();
    expect(await name.getAttribute("dir")).toBe("auto");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});

/** The names that Kubernetes admits may have 63 letters. */
function longest(): Cluster {
  const plain = exampleCluster(0);
  const [x, y, z] = ["x", "y", "z"].map((letter) => letter.repeat(63));
  return {
    ...plain,
    metadata: { ...plain.metadata, name: String(x), namespace: String(y), labels: { [String(z)]: String(z) } },
    spec: { ...plain.spec, displayName: `${arabic} ${"w".repeat(120)}` },
  };
}

function rightToLeft(cluster: Cluster): Cluster {
  return { ...cluster, spec: { ...cluster.spec, displayName: arabic } };
}

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs, until } from "../support/until.ts";

const clusterCount = 10_000;

describe(`the grid of ${clusterCount} clusters`, () => {
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

  const openGrid = async (query = "", options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> => {
    const page = await browser.newPage({ bypassCSP: true, ...options });
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`${stage.url}/clusters?view=grid${query}`);
    await page.locator(".grid-legend li").first().waitFor();
    return page;
  };

  it("draws each cluster once, and is moved through and opened with the keyboard alone", async () => {
    const page = await openGrid();
    const titles = await page.locator(".grid-cells h2").allTextContents();
    expect(titles).toEqual(["fleet-edge 3,333", "fleet-prod 6,667"]);
    await page.getByRole("listbox", { name: "Clusters" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("End");
    const option = page.getByRole("listbox", { name: "Clusters" }).getByRole("option");
    expect([await option.getAttribute("aria-posinset"), await option.getAttribute("aria-setsize")]).toEqual([
      "10000",
      "10000",
    ]);
    expect(await option.innerText()).toBe("fleet-prod/prod-us-west-1667: Ready, Ready");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const name = (await option.innerText()).split(":")[0] ?? "";
    await page.keyboard.press("Enter");
    await page.locator(".conditions").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/clusters/${name}`);
    await page.close();
  });

  it("has a link under the pointer, and a table of the same numbers", async () => {
    const page = await openGrid("&by=region&colour=version");
    const box = await page.locator(".grid-cells canvas").boundingBox();
    await page.mouse.move((box?.x ?? 0) + 4, (box?.y ?? 0) + 30);
    expect(await page.locator(".grid-active").getAttribute("href")).toBe("/clusters/fleet-prod/prod-ap-south-1");
    await page.mouse.down();
    await page.mouse.up();
    await page.locator(".conditions").waitFor();
    await page.goBack();
    await page.getByText("As a table").click();
    const rows = page.locator(".grid-table tbody tr");
    expect(await rows.count()).toBe(6);
    const numbers = (await page.locator(".grid-table td").allInnerTexts()).map(Number);
    expect(numbers.reduce((sum, number) => sum + number, 0)).toBe(clusterCount);
    await page.close();
  });

  it("colours by the age of the last heartbeat", async () => {
    const page = await openGrid("&colour=heartbeat");
    await page.locator(".grid-legend").getByText("under 2 minutes").waitFor();
    await page.locator(".grid-legend").getByText("10 to 60 minutes").waitFor();
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "has colours that stand out from the ground, and no violation, %s",
    async (scheme) => {
      const page = await openGrid("&colour=version&by=team", { colorScheme: scheme });
      const contrasts = await page.evaluate(() => {
        const luminance = (text: string): number => {
          const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/gu) ?? []).slice(0, 3).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const names = ["ready", "notReady", "unknown", "leaving", "shade-none"];
        for (let index = 0; index < 7; index++) names.push(`shade-${index}`);
        return names.map((name) => {
          const cell = document.createElement("canvas");
          cell.className = `cell ${name}`;
          document.body.append(cell);
          const { color, backgroundColor } = getComputedStyle(cell);
          cell.remove();
          const [low = 0, high = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
          return (high + 0.05) / (low + 0.05);
        });
      });
      expect(Math.min(...contrasts)).toBeGreaterThan(3);
      await page.getByText("As a table").click();
      await page.getByRole("listbox", { name: "Clusters" }).focus();
      expect(await findViolations(page)).toEqual([]);
      await page.close();
    },
  );

  it("is drawn anew in the colours that are chosen on the page", async () => {
    const page = await openGrid("", { colorScheme: "light" });
    const drawn = (): Promise<string> => page.locator(".grid-cells canvas").evaluate(readCell);
    const light = await until(drawn, (colour) => !colour.endsWith(",0"));
    const button = page.getByRole("button", { name: "colours" });
    for (const _ of ["light", "dark"]) await button.click();
    await until(drawn, (colour) => colour !== light);
    await page.close();
  });

  it("takes in a thousand changes, and draws them", async () => {
    const page = await openGrid("&by=round");
    for (let tick = 0; tick < 10; tick++)
      stage.put(...Array.from({ length: 100 }, (_, index) => changed(tick * 100 + index, "new")));
    await page.getByRole("heading", { name: "new 1,000" }).waitFor();
    await page.close();
  });
});

/** Runs in the browser: the colour in the middle of the first cell. */
function readCell(element: Element): string {
  const canvas = element as HTMLCanvasElement;
  const place = (4 * canvas.width) / canvas.clientWidth;
  return String(canvas.getContext("2d")?.getImageData(place, (30 * canvas.height) / canvas.clientHeight, 1, 1).data);
}

function changed(index: number, round: string): Cluster {
  const cluster = exampleCluster(index);
  return { ...cluster, metadata: { ...cluster.metadata, labels: { ...cluster.metadata.labels, round } } };
}

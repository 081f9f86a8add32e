import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Access } from "../../src/web/dashboard/access.ts";
import { tokenAccess } from "../../src/web/dashboard/access.ts";
import type { PageActions } from "../../src/web/dashboard/page-actions.ts";
import { clusterActions, repositoryActions } from "../../src/web/dashboard/page-actions.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { startBrowser } from "./browser.ts";
import { comparePictures, measureFonts } from "./compare-pictures.ts";
import { exampleClusters, exampleNowMs } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

/** Where the pictures of docs/page.md are written when asked for (`npm run screenshots`); else they are compared with those. */
const folder = process.env["SCREENSHOTS"];

const accepted = join(import.meta.dirname, "../../docs/page");

/** A word that differs makes a larger share of the pixels differ. */
const largestShare = 0.0002;

/** Of the machine that the accepted pictures are from; see measureFonts. */
const acceptedFonts: readonly number[] = [2384, 2707, 2529];
/** Another version of the browser draws letters and boxes a little differently. */
const acceptedBrowser = "156";

const views = [
  // The second plot is the last to be drawn.
  { name: "overview", path: "/", ready: ":nth-match(.uplot canvas, 2)" },
  { name: "clusters", path: "/clusters?sort=state", ready: ".table-row" },
  { name: "grid", path: "/clusters?view=grid&by=region&colour=version", ready: ".grid-legend li" },
  { name: "cluster", path: "/clusters/fleet-prod/prod-eu-north-2", ready: ".conditions" },
  { name: "repository", path: "/repository", ready: ".commits" },
  { name: "plan", path: "/repository/plan?branch=retire-sa-east", ready: ".changes" },
  { name: "tokens", path: "/tokens", ready: ".wide" },
  // Its page has actions, and the dialog of one is open.
  { name: "actions", path: "/clusters/fleet-prod/prod-eu-north-2", ready: ".actions button" },
  { name: "palette", path: "/tokens", ready: ".wide" },
  { name: "narrow", path: "/clusters/fleet-prod/prod-eu-north-2", ready: ".conditions" },
  { name: "history", path: "/history?at=5b0e9d1c&with=hour", ready: ".clusters-then li" },
];

/** Ada may see and do all. */
function accessOfAda(): Access {
  return tokenAccess({
    clock: realClock,
    daemonNamespace: "rollcall-system",
    workspaces: () => ["fleet-edge", "fleet-prod"],
    reviewToken: async (username) => ({ username, groups: [] }),
    isAllowed: async () => true,
  });
}

const allActions: PageActions = {
  rights: async () => [...repositoryActions, ...clusterActions].map((action) => ({ action, isAllowed: true })),
  perform: async () => "It is done.",
};

describe("pictures of the page", () => {
  let stage: Stage;
  let acting: Stage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(420));
    acting = await openStage(exampleClusters(420), { access: accessOfAda(), actions: allActions });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
    await acting.stop();
  });

  it("differ where a word of the page differs, and do not where all is as before", async () => {
    const page = await browser.newPage({ viewport: { width: 1180, height: 590 }, reducedMotion: "reduce" });
    await page.clock.setFixedTime(exampleNowMs);
    await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-north-2`);
    await page.locator(".conditions").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const before = await page.screenshot();
    expect(await comparePictures(page, before, await page.screenshot())).toEqual({ isSameSize: true, share: 0 });
    await page.locator("h1 .state span").evaluate((element) => (element.textContent = "Unhealthy"));
    const { share } = await comparePictures(page, before, await page.screenshot());
    expect(share).toBeGreaterThan(largestShare);
    await page.setViewportSize({ width: 1180, height: 600 });
    expect((await comparePictures(page, before, await page.screenshot())).isSameSize).toBe(false);
    await page.close();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it.for(views)(
      `shows $name, ${colorScheme}, in a picture of modest size, as accepted`,
      async ({ name, path, ready }, { skip }) => {
        const context = await browser.newContext({
          viewport: name === "narrow" ? { width: 390, height: 844 } : { width: 1180, height: 590 },
          colorScheme,
          reducedMotion: "reduce",
          timezoneId: "UTC",
        });
        const page = await context.newPage();
        page.setDefaultTimeout(longestWaitMs);
        await page.clock.setFixedTime(exampleNowMs);
        if (name === "actions") await context.addCookies([{ name: "rollcall-token", value: "ada", url: acting.url }]);
        await page.goto((name === "actions" ? acting : stage).url + path);
        await page.locator(ready).first().waitFor();
        await page.getByText("Live", { exact: true }).waitFor();
        if (name === "actions") {
          await page.getByRole("button", { name: "Revoke" }).click();
          await page.getByRole("alertdialog").waitFor();
        }
        if (name === "palette") {
          await page.keyboard.press("Control+K");
          await page.locator(".palette input").fill("eu-north");
          // A cluster and a file: both answers that the list is made of are there.
          for (const text of ["prod-eu-north-1", "store-eu-north-4.yaml"])
            await page.locator(".palette li", { hasText: text }).first().waitFor();
        }
        if (name === "repository") await page.locator(".commits summary").first().click();
        const file = folder === undefined ? undefined : join(folder, `${name}-${colorScheme}.png`);
        if (folder !== undefined) await mkdir(folder, { recursive: true });
        const picture = await page.screenshot(file === undefined ? {} : { path: file });
        expect(picture.length).toBeLessThan(160_000);
        if (file !== undefined) expect((await stat(file)).size).toBe(picture.length);
        if (file === undefined) {
          const fonts = await measureFonts(page);
          if (String(fonts) !== String(acceptedFonts))
            skip(`other fonts than those of the accepted pictures: ${fonts.join(", ")}`);
          const [version = ""] = browser.version().split(".");
          if (version !== acceptedBrowser) skip(`another browser than that of the accepted pictures: ${version}`);
          const before = await readFile(join(accepted, `${name}-${colorScheme}.png`));
          const { share } = await comparePictures(page, before, picture);
          expect(share, "look at the page; npm run screenshots accepts it as it is").toBeLessThan(largestShare);
        }
        await context.close();
      },
    );
  }
});

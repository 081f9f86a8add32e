import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

const clusterCount = 10_000;
/** What the first view loads, compressed: page, script, style and answers. */
const firstLoadBytes = 150_000;

/** Work of the browser, as it counts it itself: how often it laid out the page and chose styles, and what there is of it. */
interface Work {
  readonly layouts: number;
  readonly styles: number;
  readonly elements: number;
  /** CPU of the page's main thread: printed, not tested. */
  readonly cpuMs: number;
}

/** At most; about three times what was measured, since the browser decides itself when it draws. */
const toOpen = {
  "": { layouts: 25, styles: 30, elements: 1_200 },
  "clusters?view=table": { layouts: 25, styles: 30, elements: 7_000 },
  "clusters?view=grid": { layouts: 25, styles: 30, elements: 2_200 },
} as const;
const forOneChange = { layouts: 5, styles: 5, elements: 50 };

async function workOf(session: CDPSession): Promise<Work> {
  const { metrics } = await session.send("Performance.getMetrics");
  const valueOf = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return {
    layouts: valueOf("LayoutCount"),
    styles: valueOf("RecalcStyleCount"),
    elements: valueOf("Nodes"),
    cpuMs: Math.round(valueOf("TaskDuration") * 1000),
  };
}

function difference(after: Work, before: Work): Work {
  return {
    layouts: after.layouts - before.layouts,
    styles: after.styles - before.styles,
    elements: after.elements - before.elements,
    cpuMs: after.cpuMs - before.cpuMs,
  };
}

/** Of changes that are alike: what the page's clock draws meanwhile ("5s ago") falls into one of them, not into all. */
function leastOf(works: readonly Work[]): Work {
  const least = (name: keyof Work): number => Math.min(...works.map((work) => work[name]));
  return { layouts: least("layouts"), styles: least("styles"), elements: least("elements"), cpuMs: least("cpuMs") };
}

function expectWithin(what: string, work: Work, most: Omit<Work, "cpuMs">): void {
  process.stdout.write(`${what}: ${JSON.stringify(work)}\n`);
  for (const name of ["layouts", "styles", "elements"] as const) {
    expect(work[name], `${what}: ${name}`).toBeLessThanOrEqual(most[name]);
  }
}

/** Two frames after now, what was changed before is drawn. */
async function whenDrawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn()))),
  );
}

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

  it.each(Object.entries(toOpen))("opens /%s, and draws one change, with little work", async (path, most) => {
    // Without motion: a transition chooses styles anew in each frame, so that the count would follow the speed of the machine.
    const page = await browser.newPage({ reducedMotion: "reduce" });
    page.setDefaultTimeout(longestWaitMs);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(`${stage.url}/${path}`);
    const ready =
      { "": "h1", "clusters?view=table": ".table-row", "clusters?view=grid": ".grid-legend li" }[path] ?? "";
    await page.locator(ready).first().waitFor();
    // The last that opening draws: the stream of changes is there.
    await page.getByText("Live", { exact: true }).waitFor();
    await whenDrawn(page);
    const opened = await workOf(session);
    expectWithin(`open /${path}`, opened, most);

    const changes: Work[] = [];
    for (const change of ["one", "two", "three"]) {
      const before = await workOf(session);
      const cluster = exampleCluster(1);
      const labels = { ...cluster.metadata.labels, round: `${change}-${path.length}` };
      const isReported = new Promise((told) => session.once("Network.dataReceived", told));
      stage.put({ ...cluster, metadata: { ...cluster.metadata, labels } });
      await isReported;
      await whenDrawn(page);
      changes.push(difference(await workOf(session), before));
    }
    expectWithin(`one change on /${path}`, leastOf(changes), forOneChange);
    await page.close();
  });
});

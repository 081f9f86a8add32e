import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

const clusterCount = 10_000;
const changesATick = 10;
const ticks = 50;

/** How busy a page is while clusters change, in the table and in the grid. */
describe(`a page with ${clusterCount} clusters`, () => {
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

  it.each(["table", "grid"])("draws the %s while clusters change", async (view) => {
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    let loadedBytes = 0;
    let streamedBytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      loadedBytes += encodedDataLength;
    });
    session.on("Network.dataReceived", ({ dataLength }) => {
      streamedBytes += dataLength;
    });
    await page.goto(`${stage.url}/clusters?view=${view}`);
    await page
      .locator(view === "grid" ? ".grid-legend li" : ".table-row")
      .first()
      .waitFor();
    // From here on only the stream of changes comes, which is not compressed.
    streamedBytes = 0;
    await session.send("Performance.enable");
    const busySeconds = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    };
    await page.evaluate(() => {
      const seen = globalThis as unknown as { longest: number[]; gaps: number[] };
      seen.longest = [];
      seen.gaps = [];
      let last = performance.now();
      const tick = (now: number): void => {
        seen.gaps.push(now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      new PerformanceObserver((list) =>
        seen.longest.push(...list.getEntries().map(({ duration }) => duration)),
      ).observe({
        type: "longtask",
      });
    });
    const before = await busySeconds();
    const startMs = performance.now();
    for (let tick = 0; tick < ticks; tick++) {
      stage.put(
        ...Array.from({ length: changesATick }, (_, index) => changed(tick * changesATick + index, `${view}-${tick}`)),
      );
      await page.waitForTimeout(100);
    }
    const busy = (await busySeconds()) - before;
    const { tasks, gaps } = await page.evaluate(() => {
      const { longest, gaps: all } = globalThis as unknown as { longest: number[]; gaps: number[] };
      return { tasks: longest, gaps: all.sort((one, other) => one - other) };
    });
    const share = (busy * 100_000) / (performance.now() - startMs);
    const frame = (part: number): string => (gaps[Math.floor((gaps.length - 1) * part)] ?? 0).toFixed(0);
    process.stdout.write(
      `${view} at 100 changes/s: ${tasks.length} tasks over 50 ms, longest ${Math.max(0, ...tasks).toFixed(0)} ms, ` +
        `${share.toFixed(0)} % of a core; frames: median ${frame(0.5)} ms, 95 % ${frame(0.95)} ms, longest ${frame(1)} ms; ` +
        `bytes: ${loadedBytes} to open, ${streamedBytes} for ${ticks * changesATick} changes\n`,
    );
    await page.close();
  });
});

function changed(index: number, round: string): Cluster {
  const cluster = exampleCluster(index);
  return { ...cluster, metadata: { ...cluster.metadata, labels: { ...cluster.metadata.labels, round } } };
}

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const clusterCount = 10_000;
const changesASecond = 100;
const watchedMs = 10_000;

/** The numbers of docs/measurements.md about the page. */
describe(`the page with ${clusterCount} clusters`, () => {
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

  it("answers with the whole list", async () => {
    for (const round of ["the first time", "after a change"]) {
      stage.put(changed(0, round));
      const cpuBefore = process.cpuUsage();
      const startMs = performance.now();
      const text = await (await fetch(`${stage.url}/api/v1/clusters`)).text();
      const tookMs = performance.now() - startMs;
      const { user, system } = process.cpuUsage(cpuBefore);
      const cpuMs = ((user + system) / 1000).toFixed(0);
      report(
        `list of all, ${round}`,
        `${tookMs.toFixed(0)} ms, ${cpuMs} ms of CPU with its reader, ${(text.length / 1e6).toFixed(1)} MB`,
      );
    }
  });

  it("paints, loads little, and takes in changes without dropping frames", async () => {
    const page = await browser.newPage();
    let loadedBytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      loadedBytes += encodedDataLength;
    });
    await page.goto(stage.url);
    await page.getByRole("heading", { name: /clusters are ready/u }).waitFor();
    const paintMs = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    report("first contentful paint", `${paintMs.toFixed(0)} ms`);
    report("first load, compressed", `${(loadedBytes / 1000).toFixed(0)} kB`);

    await page.goto(`${stage.url}/clusters`);
    await page.getByText("10,000 clusters").waitFor();
    await page.evaluate(() => {
      const seen = globalThis as unknown as { gaps: number[] };
      seen.gaps = [];
      let last = performance.now();
      const tick = (now: number): void => {
        seen.gaps.push(now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    const cpuBefore = process.cpuUsage();
    for (let tick = 0; tick < watchedMs / 100; tick++) {
      const start = tick * (changesASecond / 10);
      stage.put(
        ...Array.from({ length: changesASecond / 10 }, (_, index) =>
          changed((start + index) % clusterCount, `t${tick}`),
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const gaps = await page.evaluate(() => (globalThis as unknown as { gaps: number[] }).gaps);
    const sorted = [...gaps].sort((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
    report("time between frames at 100 changes/s", `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
    report(
      "server and test at 100 changes/s",
      `${(((user + system) / 1000 / watchedMs) * 100).toFixed(1)} % of a core`,
    );
    await page.close();
  });

  it("filters, and shows a change", async () => {
    const page = await browser.newPage();
    await page.goto(`${stage.url}/clusters`);
    await page.getByText("10,000 clusters").waitFor();
    const tookMs: number[] = [];
    for (const [text, count] of [
      ["store-sa-east-1666", "1 of 10,000"],
      ["", "10,000 clusters"],
    ] as const) {
      const filter = page.getByRole("combobox", { name: "Filter clusters" });
      // From the event to the first frame that has the new count.
      const drawn = filter.evaluate(
        (input, [written, expected]) =>
          new Promise<number>((resolve) => {
            Reflect.set(HTMLInputElement.prototype, "value", written, input);
            const startMs = performance.now();
            const look = (): void =>
              (document.body.textContent ?? "").includes(expected)
                ? resolve(performance.now() - startMs)
                : void requestAnimationFrame(look);
            input.dispatchEvent(new Event("input", { bubbles: true }));
            look();
          }),
        [text, count] as const,
      );
      tookMs.push(await drawn);
    }
    report("filter, the slower of two", `${Math.max(...tookMs).toFixed(0)} ms`);
    const startMs = performance.now();
    stage.put({ ...exampleCluster(0), metadata: { ...exampleCluster(0).metadata, name: "a-new-one" } });
    await page.getByText("10,001 clusters").waitFor();
    report("a change is shown after", `${(performance.now() - startMs).toFixed(0)} ms`);
    await page.close();
  });

  it("costs next to nothing while it is open and nothing happens", async () => {
    const page = await browser.newPage();
    await page.goto(stage.url);
    await page.getByText("Live", { exact: true }).waitFor();
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, watchedMs));
    const { user, system } = process.cpuUsage(before);
    const share = ((user + system) / 1000 / watchedMs) * 100;
    report("server and test with an open page", `${share.toFixed(2)} % of a core`);
    await page.close();
  });
});

function changed(index: number, round: string): Cluster {
  const cluster = exampleCluster(index);
  return { ...cluster, metadata: { ...cluster.metadata, labels: { ...cluster.metadata.labels, round } } };
}

function report(name: string, value: string): void {
  process.stdout.write(`${name}: ${value}\n`);
}

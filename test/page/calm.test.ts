import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { longestWaitMs } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleRepository } from "./example-fleet.ts";
import { openStage } from "./stage.ts";

const noProblem = { ...exampleRepository, errors: 0, warnings: 0, problems: [] };
const states = [
  { what: "a repository that cannot be read", count: 1, waiting: 0, repository: { message: "fetch: no answer" } },
  {
    what: "a suspended repository",
    count: 1,
    waiting: 0,
    repository: { message: "Suspended: git is not followed.", isSuspended: true },
  },
  {
    what: "a request that waits for its answer",
    count: 1,
    waiting: 1,
    repository: { state: "applied", message: "1 request to join waits for an answer" },
  },
  { what: "a fleet without a cluster", count: 0, waiting: 0, repository: { state: "applied", message: "" } },
] as const;

describe("the overview", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it.each(states)("does not show that nothing needs attention with $what", async ({ count, repository, waiting }) => {
    const stage = await openStage(count === 0 ? [] : [exampleCluster(0)], {
      repository: () => ({ ...noProblem, ...repository }),
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    // Nothing else of the example is to be shown.
    await page.route(`${stage.url}/api/v1/fleet`, async (route) => {
      const { hubObjects: _, ...fleet } = (await (await route.fetch()).json()) as {
        readonly hubObjects: unknown;
        readonly counts: object;
      };
      await route.fulfill({ json: { ...fleet, counts: { ...fleet.counts, waiting } } });
    });
    await page.goto(stage.url);
    const card = page.getByRole("region", { name: "Needs attention" });
    await card.locator("p").first().waitFor();
    const text = await card.innerText();
    expect(text).not.toContain("Nothing");
    expect(text).toContain(count === 0 ? "rollcall add cluster" : repository.message);
    await page.close();
    await stage.stop();
  });
});

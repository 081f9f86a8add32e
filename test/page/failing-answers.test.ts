import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { realClock } from "../../src/system/real-clock.ts";
import { longestWaitMs } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

/** Each view with what it asks for, and something that only an answer shows. */
const views = [
  { path: "/", asks: "fleet", part: "fleet", shows: ".share" },
  {
    path: "/clusters/fleet-prod/prod-eu-north-2",
    asks: "clusters/fleet-prod/*",
    part: "repository",
    shows: ".conditions",
  },
  { path: "/repository", asks: "repository", part: "repository", shows: ".commits" },
  { path: "/repository/plan?branch=retire-sa-east", asks: "plan?*", part: "repository", shows: ".plan-counts" },
  { path: "/tokens", asks: "tokens", part: "tokens", shows: ".wide:has(th:text('Approval'))" },
  { path: "/history", asks: "records", part: "repository", shows: ".clusters-then" },
] as const;

const failures = [
  { what: "500 of the daemon", answer: { status: 500, body: "internal error\n" }, says: "The daemon answered 500." },
  {
    what: "a sign-in page of a proxy",
    answer: { status: 200, contentType: "text/html", body: "<!doctype html><p>Who are you?" },
    says: "The answer is not the daemon's.",
  },
  {
    what: "a refusal by a proxy",
    answer: { status: 403, contentType: "text/html", body: "<!doctype html><p>Who are you?" },
    says: "The answer is not the daemon's.",
  },
  {
    what: "the way to the sign-in of another host",
    answer: { status: 302, headers: { location: "https://sso.example/login" } },
    says: "The answer is not the daemon's.",
  },
] as const;

describe("an answer that fails", () => {
  let browser: Browser;
  let stage: Stage;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await startBrowser();
    stage = await openStage(exampleClusters(12));
  });
  afterEach(async () => context.close());
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const openPage = async (): Promise<Page> => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    return context.newPage();
  };

  it.each(views)("is no old answer without an alert: $path", async ({ path, asks, part, shows }) => {
    const page = await openPage();
    const address = `${stage.url}/api/v1/${asks}`;
    for (const { answer, says } of failures) {
      await page.goto(stage.url + path);
      await page.locator(shows).waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
      await page.route(address, (route) => route.fulfill(answer));
      stage.feed.recordPart(part);
      const alert = page.getByRole("alert").filter({ hasText: says });
      await alert.getByText("What you see is from before.").waitFor();
      await alert.getByText("asks again").waitFor();
      expect(await page.locator(shows).isVisible()).toBe(true);
      await page.unroute(address);
      stage.feed.recordPart(part);
      await alert.waitFor({ state: "detached" });
    }
  });

  it.each(views)("shows nothing more to whom a right was taken away: $path", async ({ path, asks, part, shows }) => {
    const page = await openPage();
    await page.goto(stage.url + path);
    await page.locator(shows).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const body = JSON.stringify({ code: "Forbidden", error: "You may not see it." });
    await page.route(`${stage.url}/api/v1/${asks}`, (route) => route.fulfill({ status: 403, body }));
    stage.feed.recordPart(part);
    await page.getByRole("alert").getByText("You may not see it.").waitFor();
    expect(await page.locator(shows).count()).toBe(0);
  });

  it("of a proxy to the stream of changes is not the end of the stream", async () => {
    const page = await openPage();
    await page.clock.install({ time: 0 });
    await page.route(`${stage.url}/api/v1/events*`, (route) => route.fulfill({ status: 502 }), { times: 1 });
    await page.goto(`${stage.url}/tokens`);
    await page.getByText("Connection lost").waitFor();
    // Before a tab that receives nothing opens the stream anyway.
    await page.clock.pauseAt(30_000);
    await page.getByText("Live", { exact: true }).waitFor();
  });

  it("is asked for again when no answer came for long, as behind a connection that was lost unnoticed", async () => {
    const page = await openPage();
    await page.clock.install();
    await page.route(`${stage.url}/api/v1/tokens`, () => undefined, { times: 1 });
    await page.goto(`${stage.url}/tokens`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.clock.runFor(125_000);
    await page.getByRole("alert").getByText("The daemon does not answer.").waitFor();
    await page.clock.runFor(15_000);
    await page.getByRole("rowheader", { name: "fleet-edge/onboarding" }).waitFor();
  });

  it("is named by the palette, which does not read on for ever", async () => {
    const page = await openPage();
    await page.route(`${stage.url}/api/v1/clusters`, (route) => route.fulfill({ status: 500 }));
    await page.goto(`${stage.url}/tokens`);
    await page.getByRole("button", { name: "Go to" }).click();
    await page.getByRole("dialog").getByText("The clusters are missing: The daemon answered 500.").waitFor();
  });

  it.each(["/clusters", "/clusters?view=grid", ...views.map(({ path }) => path)])(
    "shows in every view that the hub is unreachable: %s",
    async (path) => {
      const page = await openPage();
      await page.goto(stage.url + path);
      await page.getByText("Live", { exact: true }).waitFor();
      stage.loseHub(realClock.nowMs() - 60_000);
      const alert = page.getByRole("alert").getByText("The hub cannot be watched since");
      await alert.waitFor();
      expect(await alert.count()).toBe(1);
      stage.loseHub(undefined);
      await alert.waitFor({ state: "detached" });
    },
  );
});

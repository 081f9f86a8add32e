import type { Browser, BrowserContext, Page, Request, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tokenAccess } from "../../src/web/dashboard/access.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { longestWaitMs, until } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

describe("tabs of one browser", () => {
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
      isAllowed: async ({ username }, { namespace }) => username === "ada" || namespace === "fleet-edge",
    });
    stage = await openStage(exampleClusters(30), { access });
  });
  afterEach(async () => context.close());
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const signIn = async (page: Page, token: string): Promise<void> => {
    await page.getByLabel("Bearer token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  /** The first one has the stream, the other one receives it from that. */
  const openTwo = async (): Promise<[Page, Page]> => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    const [first, second] = [await context.newPage(), await context.newPage()];
    await first.goto(`${stage.url}/clusters?q=state%3DReady`);
    await signIn(first, "ada");
    await first.getByText("Live", { exact: true }).waitFor();
    await second.goto(`${stage.url}/clusters`);
    await second.getByText("30 clusters", { exact: true }).waitFor();
    return [first, second];
  };

  const openAsBob = async (path: string): Promise<Page> => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    await context.addCookies([{ name: "rollcall-token", value: "bob", url: stage.url }]);
    const page = await context.newPage();
    await page.goto(`${stage.url}/${path}`);
    return page;
  };

  it("show the fleet no more once the viewer has signed out in one, and again after the sign-in", async () => {
    const [first, second] = await openTwo();
    await second.getByRole("button", { name: "Sign out" }).click();
    for (const page of [first, second]) {
      await page.getByLabel("Bearer token").waitFor();
      expect(await page.title()).toBe("Sign in · Rollcall");
    }
    await signIn(second, "ada");
    await first.getByText("of 30", { exact: false }).waitFor();
  });

  it("show the fleet of who has signed in last", async () => {
    const [first, second] = await openTwo();
    await second.getByRole("button", { name: "Sign out" }).click();
    await signIn(second, "bob");
    await first.getByText("of 10", { exact: false }).waitFor();
    await first.getByText("bob", { exact: true }).waitFor();
  });

  it("A87 show nothing of the viewer before while the answers to the next one are awaited", async () => {
    const [first, second] = await openTwo();
    await context.clearCookies();
    await second.reload();
    await second.getByLabel("Bearer token").waitFor();
    await first.route(`${stage.url}/api/v1/clusters`, () => undefined);
    await signIn(second, "bob");
    await first.getByText("bob", { exact: true }).waitFor();
    expect(await first.getByText("of 30", { exact: false }).count()).toBe(0);
    await first.getByText("Reading…").waitFor();
  });

  it("open the sign-in when an answer reports that the cookie has ended, though the stream is open", async () => {
    const [first] = await openTwo();
    await context.clearCookies();
    // Where a tab asked for something by itself meanwhile, it is at the sign-in already, and has no link.
    await first.evaluate(() => document.querySelector<HTMLElement>('a[href="/tokens"]')?.click());
    await first.getByLabel("Bearer token").waitFor();
  });

  it("have one stream after none of them was answered for a while", async () => {
    context = await browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    await context.addCookies([{ name: "rollcall-token", value: "ada", url: stage.url }]);
    await context.clock.install();
    const streams = new Set<Request>();
    const end = (request: Request): boolean => streams.delete(request);
    context.on("request", (request) => request.url().includes("/api/v1/events") && streams.add(request));
    context.on("requestfailed", end);
    context.on("requestfinished", end);
    // More than a browser opens connections to one server.
    const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
    for (const page of pages) await page.goto(`${stage.url}/clusters`);
    for (const page of pages) await page.getByText("Live", { exact: true }).waitFor();
    expect(streams.size).toBe(1);
    const waiting: Route[] = [];
    await context.route(`${stage.url}/api/v1/events*`, (route) => void waiting.push(route));
    await context.clock.runFor(41_000);
    for (const page of pages) await page.getByText("Connection lost").waitFor();
    await context.unroute(`${stage.url}/api/v1/events*`);
    // A stream that was closed meanwhile takes none.
    for (const route of waiting) await route.continue().catch(() => undefined);
    for (const page of pages) await page.getByText("Live", { exact: true }).waitFor();
    await until(
      async () => streams.size,
      (count) => count === 1,
    );
    stage.put(...exampleClusters(31));
    for (const page of pages) await page.getByText("31 clusters", { exact: true }).waitFor();
    await pages[1]?.reload();
    await pages[1]?.getByText("31 clusters", { exact: true }).waitFor();
    // Before a tab that receives nothing takes the stream anyway.
    const times = await Promise.all(pages.map(async (page) => page.evaluate(() => Date.now())));
    await context.clock.pauseAt(Math.max(...times) + 5_000);
    for (const page of pages.slice(1)) await page.close();
    stage.remove(exampleCluster(30));
    await pages[0]?.getByText("30 clusters", { exact: true }).waitFor();
  });

  it("read their answers and rights anew when the stream cannot name what has changed", async () => {
    const page = await openAsBob("history");
    await page.getByText("The history is for those who may see the repository.").waitFor();
    await page.getByRole("link", { name: "Tokens", exact: true }).click();
    const row = page.getByRole("rowheader", { name: "fleet-edge/onboarding" });
    await row.waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const none = { tokens: [], registrations: [] };
    await page.route(`${stage.url}/api/v1/tokens`, (route) => route.fulfill({ json: none }));
    await page.route(`${stage.url}/api/v1/session`, async (route) => {
      const session = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...session, canSeeRepository: true } });
    });
    // As the tab that has the stream forwards it.
    const read = page.waitForResponse(`${stage.url}/api/v1/session`);
    await page.evaluate(() => new BroadcastChannel("rollcall-live bob").postMessage({ kind: "reset" }));
    await row.waitFor({ state: "detached" });
    await read;
    await page.getByRole("link", { name: "History", exact: true }).click();
    // By the real server, which still refuses.
    await page.getByRole("alert").getByText("do not let you get repositories").waitFor();
  });

  it("read the list once more that was under way when their rights changed", async () => {
    const page = await openAsBob("clusters");
    const count = page.getByText(/^[1-9]\d* clusters$/u);
    await count.waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    await page.route(`${stage.url}/api/v1/clusters`, async (route) => {
      const response = await route.fetch();
      if (++asked > 1) return route.fulfill({ json: { ...((await response.json()) as object), items: [] } });
      await released;
      await route.fulfill({ response });
    });
    // The first one has the list read; during that, the second one comes.
    for (const path of ["clusters", "session"]) {
      const read = page.waitForRequest(`${stage.url}/api/v1/${path}`);
      await page.evaluate(() => new BroadcastChannel("rollcall-live bob").postMessage({ kind: "reset" }));
      await read;
    }
    release();
    await count.waitFor({ state: "detached" });
  });

  it("report that signing out has failed", async () => {
    const [first] = await openTwo();
    await first.route(`${stage.url}/api/v1/session`, (route) => route.abort());
    await first.getByRole("button", { name: "Sign out" }).click();
    await first.getByRole("alert").getByText("You are still signed in").waitFor();
  });
});

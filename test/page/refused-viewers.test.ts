import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Access, Admission } from "../../src/web/dashboard/access.ts";
import { openAccess, proxyAccess, tokenAccess } from "../../src/web/dashboard/access.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { longestWaitMs } from "../support/until.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const options = {
  clock: realClock,
  daemonNamespace: "rollcall-system",
  workspaces: () => ["fleet-edge", "fleet-prod"],
  reviewToken: async (token: string) => (token === "bobs" ? { username: "bob", groups: [] } : undefined),
  isAllowed: async () => false,
};
const noRight = "bob may list clusters.rollcall.dev in no workspace of this hub.";

describe("a viewer who is refused", () => {
  let browser: Browser;
  let context: BrowserContext;
  let stage: Stage;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    await context.close();
    await stage.stop();
  });
  afterAll(async () => {
    await browser.close();
  });

  const openPage = async (access: Access, headers: Readonly<Record<string, string>> = {}): Promise<Page> => {
    stage = await openStage(exampleClusters(30), { access });
    context = await browser.newContext({ extraHTTPHeaders: headers });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(stage.url);
    return page;
  };

  it("is shown the fleet without loading the page anew, once the hub gives them a right", async () => {
    const token = tokenAccess(options);
    let hasRight = false;
    const admit = async (request: Parameters<Access["admit"]>[0]): Promise<Admission> =>
      hasRight
        ? openAccess(options.workspaces).admit({ ...request, headers: { host: "localhost" } })
        : token.admit(request);
    const page = await openPage({ ...token, admit }, { authorization: "Bearer bobs" });
    await page.getByText(noRight).waitFor();
    hasRight = true;
    await page.clock.runFor(16_000);
    await page.getByText("of 30 clusters are ready").waitFor();
  });

  it("can sign out, to come back as another one", async () => {
    const page = await openPage(tokenAccess(options));
    await page.getByLabel("Bearer token").fill("bobs");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText(noRight).waitFor();
    await context.addCookies([{ name: "rollcall-token", value: "bobs", url: stage.url }]);
    await page.reload();
    await page.getByText(noRight).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Bearer token").waitFor();
  });

  it("is offered neither a form for a token nor a sign-out behind a proxy, which takes no token", async () => {
    const access = proxyAccess(options, { user: "X-User", groups: "X-Groups" });
    const page = await openPage(access);
    await page.getByText("did not send your user name in the header X-User").waitFor();
    expect(await page.getByLabel("Bearer token").count()).toBe(0);
    expect(await page.getByRole("button").count()).toBe(0);
    await context.setExtraHTTPHeaders({ "X-User": "bob" });
    await page.clock.runFor(16_000);
    await page.getByText(noRight).waitFor();
    expect(await page.getByRole("button").count()).toBe(0);
  });
});

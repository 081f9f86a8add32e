import { request } from "node:http";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KubeUser, SeenResource } from "../../src/web/dashboard/access.ts";
import { tokenAccess } from "../../src/web/dashboard/access.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { quoteWord } from "../../src/model/filter/read-tokens.ts";
import { longestWaitMs, until } from "../support/until.ts";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleCluster, exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

describe("the page", () => {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const stages: Stage[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    for (const stage of stages.splice(0)) await stage.stop();
  });
  afterAll(async () => {
    await browser.close();
  });

  const openPage = async (options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> => {
    const context = await browser.newContext(options);
    contexts.push(context);
    context.setDefaultTimeout(longestWaitMs);
    return context.newPage();
  };
  const stageOf = async (...args: Parameters<typeof openStage>): Promise<Stage> => {
    const stage = await openStage(...args);
    stages.push(stage);
    return stage;
  };

  it("A41 shows markup in names, labels and messages as the text it is", async () => {
    const plain = exampleCluster(0);
    const stage = await stageOf([
      {
        ...plain,
        metadata: { ...plain.metadata, labels: { note: markup, "a/b": "</td>" } },
        spec: { ...plain.spec, displayName: markup },
        status: {
          ...plain.status,
          conditions: plain.status?.conditions?.map((condition) => ({
            ...condition,
            status: "False",
            message: markup,
          })),
          kubernetesVersion: markup,
        },
      },
    ]);
    const page = await openPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    for (const path of [
      "/",
      "/clusters",
      "/clusters/fleet-prod/prod-eu-west-1",
      `/clusters?q=${encodeURIComponent(quoteWord(markup))}`,
      `/clusters?q=${encodeURIComponent(`name<1 ${markup}`)}`,
    ]) {
      await page.goto(stage.url + path);
      await page.locator("main .share, main .table-row, main .conditions, main .filter-problems p").first().waitFor();
      expect(await page.locator("main img, main script").count()).toBe(0);
      expect(await page.title()).not.toContain("owned");
    }
    await page.goto(`${stage.url}/clusters`);
    await page.getByText(markup).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("bounds huge label sets, and shows all of them on the cluster's page, as links", async () => {
    const plain = exampleCluster(0);
    const labels = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`key-${String(index).padStart(3, "0")}`, "x".repeat(63)]),
    );
    // Named like a field, which has another value.
    labels["version"] = "old";
    const stage = await stageOf([{ ...plain, metadata: { ...plain.metadata, labels } }]);
    const answer = (await (await fetch(`${stage.url}/api/v1/clusters`)).json()) as {
      items: { labels: object; moreLabels: number }[];
    };
    expect(Object.keys(answer.items[0]?.labels ?? {})).toHaveLength(64);
    expect(answer.items[0]?.moreLabels).toBe(837);
    const page = await openPage();
    await page.goto(`${stage.url}/clusters`);
    await page.getByText("+899").waitFor();
    await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-west-1`);
    await page.getByRole("button", { name: "Show all 901" }).press("Enter");
    await page.getByText(`key-899=${"x".repeat(63)}`).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^key-040=/u);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    const link = page.getByRole("link", { name: "version=old" });
    expect(await link.getAttribute("href")).toBe("/clusters?q=label%3Aversion%3Dold");
  });

  it("shows that the hub is unreachable, and when it is back", async () => {
    const stage = await stageOf(exampleClusters(5));
    const page = await openPage();
    await page.goto(stage.url);
    await page.getByText("Live", { exact: true }).waitFor();
    stage.loseHub(realClock.nowMs() - 60_000);
    await page.getByRole("alert").getByText("The hub cannot be watched since").waitFor();
    stage.loseHub(undefined);
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("shows that the connection is lost, keeps what it has, and resumes", async () => {
    const clusters = exampleClusters(30);
    const stage = await stageOf(clusters);
    const page = await openPage();
    await page.goto(`${stage.url}/clusters`);
    await page.getByText("30 clusters").waitFor();
    await stage.stop();
    await page.getByText("Connection lost").waitFor();
    expect(await page.locator(".table-row").count()).toBeGreaterThan(10);
    stage.put(...exampleClusters(31));
    await stage.start();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("31 clusters").waitFor();
  });

  it("serves fifty open pages; those of one browser share one stream", async () => {
    const stage = await stageOf(exampleClusters(20));
    const others = await Promise.all(Array.from({ length: 42 }, () => listen(`${stage.url}/api/v1/events`)));
    const context = await browser.newContext();
    contexts.push(context);
    // More than a browser opens connections to one server.
    const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
    for (const page of pages) await page.goto(`${stage.url}/clusters`);
    for (const page of pages) await page.getByText("20 clusters").waitFor();
    stage.put(...exampleClusters(21));
    for (const page of pages) await page.getByText("21 clusters").waitFor();
    for (const other of others) {
      await until(
        async () => other.text,
        (text) => text.includes("event: clusters"),
      );
      other.end();
    }
  });

  it("lets a reader that takes nothing cost nothing, and others continue", async () => {
    const stage = await stageOf(exampleClusters(1000));
    const slow = request(`${stage.url}/api/v1/events`);
    slow.on("error", () => undefined);
    slow.end();
    await new Promise<void>((resolve) => slow.once("response", (response) => resolve(void response.pause())));
    const other = await listen(`${stage.url}/api/v1/events`);
    const before = process.memoryUsage().rss;
    for (let round = 1; round <= 20; round++) {
      stage.put(...exampleClusters(1000).map((cluster) => withLabel(cluster, `n${round}`)));
      await until(
        async () => other.text,
        (text) => text.includes(`"round":"n${round}"`),
      );
      other.text = "";
    }
    // Twenty times the fleet went by; a queue for the slow one would hold it.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    other.end();
    slow.destroy();
  });

  it("draws forty rows of ten thousand, and every one can be reached", async () => {
    const stage = await stageOf(exampleClusters(10_000));
    const page = await openPage();
    await page.goto(`${stage.url}/clusters`);
    await page.getByText("10,000 clusters").waitFor();
    expect(await page.locator(".table-row").count()).toBeLessThan(80);
    const table = page.getByRole("table", { name: "Clusters" });
    expect(await table.getAttribute("aria-rowcount")).toBe("10001");
    const byName = table.getByRole("columnheader", { name: "Cluster" });
    expect(await byName.getAttribute("aria-sort")).toBe("ascending");
    await byName.getByRole("button").click();
    await table
      .getByRole("row")
      .nth(1)
      .getByText(/^store-us-east-/u)
      .waitFor();
    expect(await byName.getAttribute("aria-sort")).toBe("descending");
    await page.locator(".table-scroller").evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await page.locator('[aria-rowindex="10001"]').waitFor();
    await page.getByRole("combobox", { name: "Filter clusters" }).fill("store-sa-east-1666");
    await page.getByText("1 of 10,000").waitFor();
    await page.getByRole("link", { name: "store-sa-east-1666" }).click();
    await page.getByRole("heading", { name: "store-sa-east-1666" }).waitFor();
  });

  it("is walked with the keyboard alone", async () => {
    const stage = await stageOf(exampleClusters(200));
    const page = await openPage();
    await page.goto(`${stage.url}/clusters`);
    await page.getByText("200 clusters").waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Skip to the content");
    await page.locator(".table-scroller").focus();
    await page.keyboard.press("ArrowDown");
    for (let step = 0; step < 30; step++) await page.keyboard.press("ArrowDown");
    const row = await page.evaluate(() =>
      document.activeElement?.closest("[aria-rowindex]")?.getAttribute("aria-rowindex"),
    );
    expect(row).toBe("32");
    await page.keyboard.press("Enter");
    await page.locator(".conditions").waitFor();
  });

  describe("with a token that the hub evaluates", () => {
    const users: Readonly<Record<string, KubeUser>> = {
      "whole-fleet": { username: "ada", groups: ["platform"] },
      "edge-only": { username: "bob", groups: [] },
    };
    const access = tokenAccess({
      clock: realClock,
      daemonNamespace: "rollcall-system",
      workspaces: () => ["fleet-edge", "fleet-prod"],
      reviewToken: async (token) => users[token],
      isAllowed: async ({ groups, username }, { namespace }: SeenResource) =>
        groups.includes("platform") || (username === "bob" && namespace === "fleet-edge"),
    });

    it("asks for it, reports a wrong one, and shows what the hub allows", async () => {
      const stage = await stageOf(exampleClusters(30), { access });
      const page = await openPage();
      await page.goto(stage.url);
      await page.getByLabel("Bearer token").fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).press("Enter");
      await page.getByRole("alert").getByText("does not accept this token").waitFor();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Sign in");
      await page.getByLabel("Bearer token").fill("edge-only");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("of 10 clusters are ready").waitFor();
      expect(await page.evaluate(() => document.cookie)).toBe("");
      await page.goto(`${stage.url}/clusters/fleet-prod/prod-eu-west-1`);
      await page.getByText("There is no such cluster.").waitFor();
      await page.goto(`${stage.url}/repository`);
      await page.getByText("do not let you get repositories").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Bearer token").waitFor();
    });

    it("shows a viewer nothing that comes by the stream of another one, whose tab is open in the same browser", async () => {
      const stage = await stageOf(exampleClusters(30), { access });
      const page = await openPage();
      await page.goto(`${stage.url}/clusters`);
      await page.getByLabel("Bearer token").fill("whole-fleet");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("30 clusters", { exact: true }).waitFor();
      // Its stream was opened with its own cookie then.
      await page.getByText("Live", { exact: true }).waitFor();
      const other = await page.context().newPage();
      await other.goto(`${stage.url}/assets/icon.svg`);
      // Not by the sign-in of the page, which notifies the other tabs: the first one does not know that the cookie is another's.
      await other.evaluate(async () => {
        await fetch("/api/v1/session", { method: "POST", body: JSON.stringify({ token: "edge-only" }) });
      });
      await other.goto(`${stage.url}/clusters`);
      await other.getByText("10 clusters", { exact: true }).waitFor();
      await other.getByText("Live", { exact: true }).waitFor();
      // Two of production, and one of those that both may see.
      stage.put(...exampleClusters(33));
      await page.getByText("33 clusters", { exact: true }).waitFor();
      await other.getByText("11 clusters", { exact: true }).waitFor();
      expect(await other.locator(".table-row").getByText("prod-").count()).toBe(0);
    });

    it("opens the sign-in once the token has ended, and shows nothing any more", async () => {
      let hasEnded = false;
      const why = "This token has ended.";
      const refused = { kind: "refused", status: 401, code: "SignIn", why, takesToken: true } as const;
      const stage = await stageOf(exampleClusters(30), {
        access: { ...access, admit: async (request) => (hasEnded ? refused : access.admit(request)) },
      });
      const page = await openPage();
      await page.goto(stage.url);
      await page.getByLabel("Bearer token").fill("edge-only");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("of 10 clusters are ready").waitFor();
      hasEnded = true;
      await stage.stop();
      await stage.start();
      await page.getByText("This token has ended.").waitFor();
      await page.getByLabel("Bearer token").waitFor();
      expect(await page.getByText("of 10 clusters are ready").count()).toBe(0);
    });

    it("sends no change to a viewer who may not see it", async () => {
      const stage = await stageOf(exampleClusters(30), { access });
      const heard = await listen(`${stage.url}/api/v1/events`, "edge-only");
      stage.put(withLabel(exampleCluster(0), "secret-prod"), withLabel(exampleCluster(2), "seen-edge"));
      await until(
        async () => heard.text,
        (text) => text.includes("seen-edge"),
      );
      expect(heard.text).not.toContain("secret-prod");
      heard.end();
    });

    it("gives nothing without one", async () => {
      const stage = await stageOf(exampleClusters(3), { access });
      for (const path of [
        "fleet",
        "clusters",
        "clusters/fleet-edge/x",
        "repository",
        "plan?branch=x",
        "heartbeats",
        "tokens",
        "history",
        "events",
      ]) {
        const response = await fetch(`${stage.url}/api/v1/${path}`);
        expect([path, response.status]).toEqual([path, 401]);
        expect(await response.json()).toMatchObject({ code: "SignIn" });
      }
    });
  });

  describe("for everybody", () => {
    const paths = [
      "/",
      "/clusters?sort=state",
      "/clusters?q=nowhere",
      "/clusters?q=regoin%3Deu+name%3C1",
      "/clusters/fleet-prod/prod-eu-north-2",
      "/repository",
      "/repository/plan?branch=retire-sa-east",
      "/tokens",
    ];

    it.each(["light", "dark"] as const)("has no violation that axe finds, %s", async (colorScheme) => {
      const stage = await stageOf(exampleClusters(120));
      // The page's own policy forbids scripts from elsewhere: the checker comes past it.
      const page = await openPage({ colorScheme, bypassCSP: true });
      for (const path of paths) {
        await page.goto(stage.url + path);
        await page.getByText("Live", { exact: true }).waitFor();
        await page.locator("main h1, main .notice").first().waitFor({ state: "attached" });
        if (path === "/repository") await page.locator(".commits summary").first().click();
        const found = await findViolations(page);
        expect([path, found]).toEqual([path, []]);
      }
    });

    it("moves nothing when less motion is asked for", async () => {
      const stage = await stageOf(exampleClusters(20));
      const page = await openPage({ reducedMotion: "reduce" });
      await page.goto(stage.url);
      await page.locator(".fill").first().waitFor({ state: "attached" });
      const durations = await page.evaluate(() =>
        [...document.querySelectorAll("*")].map((element) => getComputedStyle(element).transitionDuration),
      );
      expect(new Set(durations)).toEqual(new Set(["0s"]));
    });
  });
});

function withLabel(cluster: Cluster, round: string): Cluster {
  const { metadata } = cluster;
  return { ...cluster, metadata: { ...metadata, labels: { ...metadata.labels, round } } };
}

/** Reads a stream as a page does. */
async function listen(url: string, token?: string): Promise<{ text: string; end(): void }> {
  const stop = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: stop.signal });
  const heard = { text: "", end: () => stop.abort() };
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) heard.text += new TextDecoder().decode(chunk);
  };
  read().catch(() => undefined); // it was ended
  return heard;
}

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "../../src/core/errors.ts";
import type { RepositorySummary } from "../../src/model/generated/page-api.ts";
import type { Repository } from "../../src/model/generated/repository.ts";
import { forgeLinks } from "../../src/planning/views/forge-links.ts";
import { repositorySummary } from "../../src/planning/views/repository-summary.ts";
import type { ActingHub } from "../support/acting-hub.ts";
import { openActingHub } from "../support/acting-hub.ts";
import { longestWaitMs } from "../support/until.ts";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters, exampleRepository } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

const clusters = exampleClusters(6);
const [cluster] = clusters;
const name = cluster?.metadata.name ?? "";
const clusterPath = `/clusters/${cluster?.metadata.namespace}/${name}`;

describe("actions on the page", () => {
  let hub: ActingHub;
  let stage: Stage;
  let browser: Browser;
  const shown: { repository: RepositorySummary } = { repository: exampleRepository };

  beforeAll(async () => {
    hub = await openActingHub(clusters);
    const { access, actions } = hub;
    stage = await openStage(clusters, { access, actions, repository: () => shown.repository });
    browser = await startBrowser();
    await followHub();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
    await hub.stop();
  });

  /** Shows what is on the hub now, as the watches of a daemon do. */
  async function followHub(): Promise<void> {
    const live = (await hub.readRepository()) as Repository | undefined;
    if (live) shown.repository = repositorySummary(live, { links: forgeLinks(live), commitOf: () => undefined });
    stage.feed.recordPart("repository");
    const onHub = await hub.readCluster(name);
    if (cluster && onHub) stage.put({ ...cluster, metadata: { ...cluster.metadata, ...onHub.metadata } });
  }

  /** Signs in as a person does. */
  async function open(who: "editor" | "reader", path: string, width = 1180): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 800 }, bypassCSP: true });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    await page.goto(stage.url + path);
    await page.getByLabel("Bearer token").fill(hub.tokens[who]);
    await page.getByRole("button", { name: "Sign in" }).click();
    return page;
  }

  const byName = (page: Page, label: string) =>
    page.getByRole("group", { name: "Actions" }).getByRole("button", { name: label });

  const offers = [
    { path: clusterPath, label: "Suspend", asks: `Git is not followed for ${name}`, says: "is suspended until" },
    { path: clusterPath, label: "Resume", asks: "that were merged meanwhile", says: "is resumed." },
    { path: clusterPath, label: "Revoke", asks: "loses its access at once", says: "is revoked." },
    { path: "/repository", label: "Suspend", asks: "any cluster of this repository", says: "/fleet is suspended." },
    { path: "/repository", label: "Resume", asks: "Git is followed again", says: "/fleet is resumed." },
    { path: "/repository", label: "Reconcile now", asks: undefined, says: "A running daemon handles it at once." },
    { path: "/", label: "Approve 2 removals", asks: "The next run removes Cluster/fleet/a", says: "are approved" },
  ];

  it.each(offers)(
    "A84 $label at $path: confirmed, done as the viewer, and reported",
    async ({ path, label, asks, says }) => {
      const page = await open("editor", path);
      const before = JSON.stringify([await hub.readCluster(name), await hub.readRepository()]);
      await byName(page, label).click();
      if (asks !== undefined) {
        const dialog = page.getByRole("alertdialog");
        expect(await dialog.innerText()).toContain(asks);
        expect(await findViolations(page)).toEqual([]);
        expect(JSON.stringify([await hub.readCluster(name), await hub.readRepository()])).toBe(before);
        await dialog.getByRole("button", { name: label }).click();
      }
      const outcome = page.getByRole("group", { name: "Actions" }).getByRole("status").getByText(says);
      await outcome.waitFor();
      expect(await findViolations(page)).toEqual([]);
      const changed = [await hub.readCluster(name), await hub.readRepository()];
      expect(JSON.stringify(changed)).not.toBe(before);
      await followHub();
      await page.context().close();
    },
  );

  it.each([clusterPath, "/repository", "/"])("shows who may not why there is no action, at %s", async (path) => {
    const page = await open("reader", path);
    await page.getByText("No actions: The hub's rules do not let you patch").waitFor();
    expect(await page.getByRole("group", { name: "Actions" }).getByRole("button").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    const status = await page.evaluate(async () => {
      const { user } = (await (await fetch("/api/v1/session")).json()) as { readonly user: string };
      const headers = { "content-type": "application/json", "x-rollcall-action": encodeURIComponent(user) };
      const init = { method: "POST", headers, body: JSON.stringify({ action: "SuspendRepository" }) };
      return (await fetch("/api/v1/actions", init)).status;
    });
    expect(status).toBe(403);
    expect((await hub.readRepository())?.["spec"]).not.toMatchObject({ suspend: true });
    await page.context().close();
  });

  it("A87 does nothing for a page whose browser has the token of another viewer since", async () => {
    const page = await open("editor", "/repository");
    await byName(page, "Suspend").click();
    const agree = page.getByRole("alertdialog").getByRole("button", { name: "Suspend" });
    await agree.waitFor();
    // Not signed out in between, and the question is there already: the page asks for its answers again at any time, and
    // shows what these say.
    const other = await page.context().newPage();
    await other.goto(`${stage.url}/repository`);
    await other.evaluate(async (token) => {
      await fetch("/api/v1/session", { method: "POST", body: JSON.stringify({ token }) });
    }, hub.tokens.reader);
    await agree.click();
    await page.getByRole("alert").getByText("the page shows another viewer").waitFor();
    await page.context().close();
  });

  it("A84 does nothing for a form of another page, whose browser has the cookie", async () => {
    const page = await open("editor", "/repository");
    await byName(page, "Suspend").waitFor();
    const before = JSON.stringify(await hub.readRepository());
    await page.goto("about:blank");
    const answered = page.waitForResponse(`${stage.url}/api/v1/actions`);
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${stage.url}/api/v1/actions">` +
        `<input name='{"action":"SuspendRepository","x":"' value='"}'></form>`,
    );
    await page.evaluate(() => document.querySelector("form")?.submit());
    expect([401, 403]).toContain((await answered).status());
    expect(JSON.stringify(await hub.readRepository())).toBe(before);
    await page.context().close();
  });

  it("changes nothing after Cancel or Escape, by keyboard too, and fits a narrow window", async () => {
    const page = await open("editor", "/repository", 390);
    const before = JSON.stringify(await hub.readRepository());
    await byName(page, "Suspend").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Suspend");
    await byName(page, "Suspend").click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    expect(JSON.stringify(await hub.readRepository())).toBe(before);
    await page.context().close();
  });

  it("asks again what the viewer may do, when the hub did not report it", async () => {
    const state = { isAway: true };
    const away = new AppError("E_KUBE_UNREACHABLE", "review: no answer");
    const { access, actions } = hub;
    const rights: typeof actions.rights = (actor, target) =>
      state.isAway ? Promise.reject(away) : actions.rights(actor, target);
    const retried = await openStage(clusters, { access, actions: { ...actions, rights } });
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`${retried.url}/repository`);
    await page.getByLabel("Bearer token").fill(hub.tokens.editor);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The hub did not report what you may do").waitFor();
    expect(await byName(page, "Reconcile now").count()).toBe(0);
    state.isAway = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await byName(page, "Reconcile now").waitFor();
    await page.close();
    await retried.stop();
  });

  it("A84 offers nothing where the daemon does not have --page-actions", async () => {
    const readOnly = await openStage(clusters, { access: hub.access });
    const page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(readOnly.url + clusterPath);
    await page.getByLabel("Bearer token").fill(hub.tokens.editor);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".conditions").waitFor();
    expect(await page.getByRole("group", { name: "Actions" }).count()).toBe(0);
    await page.close();
    await readOnly.stop();
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { exampleClusters } from "./example-fleet.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import { longestWaitMs } from "../support/until.ts";

describe("the palette", () => {
  let stage: Stage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await openStage(exampleClusters(2000));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const openPage = async (): Promise<Page> => {
    const page = await browser.newPage({ bypassCSP: true });
    page.setDefaultTimeout(longestWaitMs);
    await page.goto(`${stage.url}/repository`);
    await page.locator(".commits").waitFor();
    return page;
  };

  it("opens a cluster with the keyboard alone", async () => {
    const page = await openPage();
    await page.keyboard.press("Control+k");
    const input = page.getByRole("combobox", { name: "Go to" });
    await page.keyboard.type("store-sa-east-333");
    await page.getByRole("option", { name: "cluster store-sa-east-333" }).waitFor();
    expect(await input.getAttribute("aria-activedescendant")).toBe(
      await page.locator(".palette [aria-selected=true]").getAttribute("id"),
    );
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "store-sa-east-333" }).waitFor();
    await page.close();
  });

  it("has the focus before the next key, without waiting for a frame", async () => {
    const page = await openPage();
    const hasFocus = await page.evaluate(async () => {
      dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, cancelable: true }));
      // What is rendered is rendered within microtasks; a key is a task of its own.
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      return document.activeElement?.matches(".palette input");
    });
    expect(hasFocus).toBe(true);
    await page.close();
  });

  it("opens by a slash, closes by Escape, and gives the focus back", async () => {
    const page = await openPage();
    await page.getByRole("link", { name: "Tokens" }).focus();
    await page.keyboard.press("/");
    await page.getByRole("combobox", { name: "Go to" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Tokens");
    await page.getByRole("combobox", { name: "Branch" }).focus();
    await page.keyboard.press("/");
    expect(await page.getByRole("combobox", { name: "Branch" }).inputValue()).toBe("/");
    await page.close();
  });

  it("follows nothing by the Enter that ends a word of an input method", async () => {
    const page = await openPage();
    await page.keyboard.press("Control+k");
    const input = page.getByRole("combobox", { name: "Go to" });
    await input.waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send("Input.imeSetComposition", { text: "東京", selectionStart: 2, selectionEnd: 2 });
    await page.getByRole("option", { name: "filter 東京" }).waitFor();
    const enter = { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 } as const;
    await session.send("Input.dispatchKeyEvent", enter);
    expect(new URL(page.url()).pathname).toBe("/repository");
    await session.send("Input.insertText", { text: "東京" });
    // As Safari reports it: behind the end of the word.
    await input.dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
    expect(new URL(page.url()).pathname).toBe("/repository");
    await page.keyboard.press("Enter");
    await page.waitForURL(/clusters/u);
    await page.close();
  });

  it.each([
    { typed: "heartbeatm", option: "reason HeartbeatMissed", path: "/clusters?q=reason%3DHeartbeatMissed" },
    { typed: "onboard", option: "token onboarding", path: "/tokens" },
    { typed: "grid", option: "page Grid", path: "/clusters?view=grid" },
    { typed: "us-east", option: "group us-east", path: "/clusters?q=workspace%3Dfleet-edge+group%3Dus-east" },
    { typed: "version<1.33", option: "filter version<1.33", path: "/clusters?q=version%3C1.33" },
  ])("leads to $path by `$typed`", async ({ typed, option, path }) => {
    const page = await openPage();
    await page.getByRole("button", { name: "Go to" }).click();
    await page.getByRole("combobox", { name: "Go to" }).fill(typed);
    await page.getByRole("option", { name: option }).first().click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(page.url()).toBe(stage.url + path);
    await page.close();
  });
});

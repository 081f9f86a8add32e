import { readFile, readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { longestWaitMs, until } from "../support/until.ts";
import { startBrowser } from "./browser.ts";

describe("the page of rollcall up", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let dir: string;
  let fleet: string;
  let up: RollcallProcess;
  let browser: Browser;
  let page: Page;
  let url: string;

  const push = async (message: string): Promise<void> => {
    await runGit(fleet, ["add", "-A"]);
    await runGit(fleet, ["commit", "-q", "-m", message]);
    await runGit(fleet, ["push", "-q"]);
  };
  const edit = async (name: string, change: (text: string) => string): Promise<void> => {
    const paths = await readdir(join(fleet, "clusters"), { recursive: true });
    const path = join(fleet, "clusters", paths.find((known) => known.endsWith(`${name}.yaml`)) ?? "");
    await writeFile(path, change(await readFile(path, "utf8")));
  };
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name }) });

  beforeAll(async () => {
    folder = await makeTempFolder();
    dir = join(folder.path, "demo");
    fleet = join(dir, "fleet");
    up = startRollcall(["up", "--dir", dir]);
    await up.whenPrinted(/Every cluster is Ready/u, 120_000);
    url = /page +(http:\S+)/u.exec(up.output())?.[1] ?? "";
    browser = await startBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(longestWaitMs);
    await page.addInitScript(rememberDrawnTexts);
  });
  afterAll(async () => {
    await browser.close();
    up.kill("SIGTERM");
    await up.finished;
    await folder.remove();
  });

  it("shows the fleet at one glance, and each cluster explained as rollcall status does", async () => {
    await page.goto(url);
    await page.getByRole("heading", { name: "All 3 clusters are ready" }).waitFor();
    await page.getByText("Start the fleet").waitFor();
    await page.getByRole("link", { name: "Clusters" }).click();
    await page.getByRole("link", { name: "prod-eu-1" }).click();
    const status = await runRollcall(["status", "prod-eu-1", "--kubeconfig", join(dir, "hub.kubeconfig")]);
    for (const message of await page.locator(".conditions p:not(.next)").allTextContents())
      expect(status.stdout).toContain(message);
    await page.getByText("Last heartbeat").waitFor();
    await page.getByText("installed by the hub").waitFor();
  });

  it("is a page, with 404, at an address where there is nothing", async () => {
    const answer = await page.goto(`${url}xyz`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    await page.locator("main").getByRole("link", { name: "clusters" }).click();
    await row("prod-eu-1").waitFor();
    expect((await fetch(`${url}xyz`)).headers.get("content-type")).toContain("json");
  });

  it("asks for a branch where none is named to plan", async () => {
    await page.goto(`${url}repository/plan`);
    await page.getByRole("button", { name: "Show what merging it would do" }).waitFor();
  });

  it("changes the table by itself after a push, and keeps its filters over a reload", async () => {
    await page.goto(`${url}clusters`);
    await page.getByRole("combobox", { name: "Filter clusters" }).fill("season=autumn");
    await page.getByText("No cluster matches.").waitFor();
    await edit("prod-eu-1", (text) => text.replace(/labels:\n/u, "labels:\n    season: autumn\n"));
    await push("Label the season");
    await row("prod-eu-1").waitFor();
    await page.reload();
    expect(await page.getByRole("combobox", { name: "Filter clusters" }).inputValue()).toBe("season=autumn");
    await row("prod-eu-1").waitFor();
    expect(await page.locator(".table-row").count()).toBe(1);
  });

  it("shows what the commit did", async () => {
    await page.goto(`${url}repository`);
    const commit = page.locator(".commits > li").filter({ hasText: "Label the season" });
    await commit.getByText("Applied").waitFor();
    await commit.locator("summary").click();
    await commit.getByText("metadata.labels[season]").waitFor();
    await commit.getByText("autumn").waitFor();
  });

  it("gives plots of a fleet that has just started an axis of half an hour", async () => {
    await page.goto(url);
    await page.locator(":nth-match(.uplot canvas, 2)").waitFor();
    const drawn = await page.evaluate(() => (globalThis as unknown as Drawing).drawn);
    expect(drawn.filter((text) => /^\d\d:\d\d$/u.test(text)).length).toBeGreaterThan(2);
    // Midnight is drawn as a day.
    expect(new Set(drawn.filter((text) => /^\d+ [A-Z]/u.test(text))).size).toBeLessThanOrEqual(1);
  });

  it("has the commit in the timeline of the cluster, and the fleet as it was then", async () => {
    await page.goto(`${url}clusters/fleet/prod-eu-1`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    const entry = timeline.getByRole("listitem").filter({ hasText: "season=autumn added." });
    await entry.getByText("Label the season").first().waitFor();
    await timeline.getByText("It was declared.").waitFor();
    await entry.getByRole("link", { name: /the fleet then/u }).click();
    await page.getByRole("region", { name: "The fleet then" }).getByText("Label the season").waitFor();
    await page.getByText("season=autumn added.").waitFor();
    await page
      .locator(".share li")
      .filter({ hasText: /^3\s*Ready$/u })
      .waitFor();
  });

  it("names the files that wait and why, as rollcall status does", async () => {
    await writeFile(join(fleet, "bad.yaml"), "kind: [\n");
    await push("Add a bad file");
    await page.goto(`${url}repository`);
    const waiting = page.getByRole("region", { name: "1 file waits", exact: true });
    await waiting.getByText("bad.yaml").waitFor();
    await waiting.getByText("It has errors. What it declared before stays").waitFor();
    const status = await runRollcall(["status", "--server", url.replace(/\/$/u, "")]);
    expect(status.stdout).toMatch(/1 file waits:\n +bad\.yaml since [0-9a-f]{12}: It has errors\./u);
    await runGit(fleet, ["rm", "-q", "bad.yaml"]);
    await push("Remove it");
    await waiting.waitFor({ state: "detached" });
  });

  it("shows what merging a branch would do, deletions first", async () => {
    await runGit(fleet, ["checkout", "-q", "-b", "retire"]);
    await runGit(fleet, ["rm", "-q", "-r", "clusters/dev"]);
    await runGit(fleet, ["commit", "-q", "-m", "Retire dev"]);
    await runGit(fleet, ["push", "-q", "-u", "origin", "retire"]);
    await runGit(fleet, ["checkout", "-q", "main"]);
    await page.goto(`${url}repository`);
    // Listed at once, or at the next request: pages share what was listed shortly before.
    await until(
      async () => {
        await page.reload();
        await page.getByRole("combobox", { name: "Branch" }).waitFor();
        return page.locator("p.branches a").allTextContents();
      },
      (names) => names.includes("retire"),
    );
    expect(await page.locator("p.branches a").allTextContents()).not.toContain("main");
    await page.getByRole("combobox", { name: "Branch" }).fill("retire");
    await page.getByRole("button", { name: "Show what merging it would do" }).click();
    await page.getByText("1 to remove").waitFor();
    expect(await page.locator(".changes > li").first().textContent()).toContain("dev-us-1");
    await page.goto(`${url}repository/plan?branch=nowhere`);
    await page.getByText("The repository has no branch nowhere.").waitFor();
  });

  it("shows deletions that a branch would not get, and which agents it rolls out", async () => {
    await runGit(fleet, ["checkout", "-q", "-b", "held"]);
    await runGit(fleet, ["rm", "-q", "tokens/edge.yaml"]);
    await edit("prod-eu-1", (text) => `${text}  agent:\n    logLevel: debug\n`);
    // It may be the token under another name.
    await writeFile(join(fleet, "token.yaml"), "kind: [\n");
    await runGit(fleet, ["add", "-A"]);
    await runGit(fleet, ["commit", "-q", "-m", "Rename a token, badly"]);
    await runGit(fleet, ["push", "-q", "-u", "origin", "held"]);
    await runGit(fleet, ["checkout", "-q", "main"]);
    await page.goto(`${url}repository/plan?branch=held`);
    const held = page.getByRole("region", { name: "1 deletion would be withheld", exact: true });
    await held.getByText("ClusterRegistrationToken/fleet/edge").waitFor();
    await held.getByText("Stays: a file with errors may still declare it").waitFor();
    const rollout = page.getByRole("region", { name: "1 agent would be rolled out anew", exact: true });
    await rollout.getByText("fleet/prod-eu-1").waitFor();
  });

  it("is what rollcall status --server reads", async () => {
    const server = ["--server", url.replace(/\/$/u, "")];
    const table = await runRollcall(["status", ...server]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    expect(table.stdout).toMatch(/fleet\/prod-eu-1 +Ready +v/u);
    const one = await runRollcall(["status", "prod-eu-1", ...server]);
    expect(one.stdout).toMatch(/Joined +True[^]*heartbeat/u);
    const json: unknown = JSON.parse(
      (await runRollcall(["status", "prod-eu-1", "--output", "json", ...server])).stdout,
    );
    expect(json).toMatchObject({ cluster: { name: "prod-eu-1" }, settings: { failureThreshold: 3 } });
    const nowhere = await runRollcall(["status", "--server", "http://127.0.0.1:1"]);
    expect(nowhere).toMatchObject({ code: 3, stderr: expect.stringContaining("E_PAGE_SERVER") as string });
    const wrong = await runRollcall(["status", "--server", "ftp://example.com"]);
    expect(wrong).toMatchObject({ code: 2 });
  });

  it("shows tokens, and nothing of what they hold", async () => {
    await page.goto(`${url}tokens`);
    await page.getByRole("rowheader", { name: "fleet/edge" }).waitFor();
    const answer = await (await fetch(`${url}api/v1/tokens`)).text();
    expect(answer).not.toMatch(/eyJ|BEGIN|"token":"ey/u);
  });

  it("watches an agent become unresponsive, and shows what to do", async () => {
    await edit(
      "staging-eu-1",
      (text) => `${text.trimEnd()}\n  heartbeat:\n    periodSeconds: 1\n    failureThreshold: 3\n`,
    );
    await push("Beat every second");
    await page.goto(`${url}clusters?state=unknown`);
    await page.getByText("No cluster matches.").waitFor();
    const pids = await agentsOf(join(dir, "clusters", "staging-eu-1"));
    expect(pids.length).toBeGreaterThan(0);
    // Stopped, not ended: an ended one is started again.
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    try {
      await row("staging-eu-1").getByText("HeartbeatMissed").waitFor();
      await page.getByRole("link", { name: "staging-eu-1" }).click();
      await page.getByText("On that cluster: kubectl -n").waitFor();
    } finally {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    }
    await page.locator("h1").getByText("Ready").waitFor();
  });

  it("reports that the daemon has stopped", async () => {
    await page.goto(`${url}clusters`);
    await page.getByText("Live", { exact: true }).waitFor();
    await row("prod-eu-1").waitFor();
    up.kill("SIGTERM");
    await page.getByText("Connection lost").waitFor();
    expect(await page.locator(".table-row").count()).toBe(3);
  });
});

/** Processes of agents whose cluster is kept in a folder. */
async function agentsOf(folder: string): Promise<number[]> {
  const pids: number[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/u.test(entry)) continue;
    try {
      const [cwd, command] = await Promise.all([
        readlink(`/proc/${entry}/cwd`),
        readFile(`/proc/${entry}/cmdline`, "utf8"),
      ]);
      if (cwd.startsWith(folder) && command.includes("\0agent")) pids.push(Number(entry));
    } catch {
      continue; // it ended meanwhile, or is another user's
    }
  }
  return pids;
}

interface Drawing {
  drawn: string[];
}

/** Runs in the browser: keeps the texts that are drawn on canvases. */
function rememberDrawnTexts(): void {
  const drawing = globalThis as unknown as Drawing;
  drawing.drawn = [];
  const { prototype } = CanvasRenderingContext2D;
  prototype.fillText = new Proxy(Reflect.get<CanvasRenderingContext2D, "fillText">(prototype, "fillText"), {
    apply(draw, context: CanvasRenderingContext2D, values: Parameters<CanvasRenderingContext2D["fillText"]>) {
      drawing.drawn.push(values[0]);
      Reflect.apply(draw, context, values);
    },
  });
}

import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/core/version.ts";
import { forgeToken } from "../support/forge/forge-state.ts";
import { startHostingForge } from "../support/forge/hosting-forge.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { RunningCommand, Terminal } from "../support/terminal.ts";
import { openTerminal, whyNoTerminal } from "../support/terminal.ts";

const missing = await whyNoTerminal();
const program = join(import.meta.dirname, "../../bin/rollcall.js");
const golden = join(import.meta.dirname, "golden/terminal");

interface Shown {
  readonly name: string;
  readonly args: readonly string[];
  /** Leaves out what differs from machine to machine. */
  readonly shorten?: (text: string) => string;
}

/** What a terminal shows, as a person sees it. Changed on purpose: `npx vitest run --project e2e test/e2e/terminal.test.ts -u`. */
describe.skipIf(missing !== undefined)(`a terminal${missing === undefined ? "" : ` (${missing})`}`, () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let terminal: Terminal;
  let up: RunningCommand;
  let firstScreen = "";
  let workTree: string;

  const show = async (name: string, text: string, shorten: Shown["shorten"] = (shown) => shown): Promise<void> => {
    await expect(shorten(normalized(text, folder.path))).toMatchFileSnapshot(join(golden, `${name}.txt`));
  };

  beforeAll(async () => {
    folder = await makeTempFolder();
    workTree = join(folder.path, "demo/fleet");
    terminal = await openTerminal({ HOME: folder.path, KUBECONFIG: join(folder.path, "demo/hub.kubeconfig") });
    up = await terminal.start(["up", "--dir", "demo"], { cwd: folder.path });
    firstScreen = await up.whenShown(/Logs: .*rollcall\.log/u);
  });
  afterAll(async () => {
    await up?.interrupt();
    await terminal?.close();
    await folder?.remove();
  });

  it("shows up as a table of clusters, and what to try next", async () => {
    await show("up", firstScreen);
  });

  it.each<Shown>([
    { name: "status", args: ["status"] },
    { name: "status-of-a-cluster", args: ["status", "dev-us-1"] },
    { name: "check", args: ["check", "--repo", "demo/fleet.git", "--namespace", "nowhere"] },
    { name: "get", args: ["get", "clusters", "-n", "fleet"] },
    { name: "describe", args: ["describe", "cluster", "dev-us-1"], shorten: withoutEvents },
    { name: "describe-token", args: ["describe", "token", "edge"] },
    { name: "events-of-nothing", args: ["events", "token/nowhere"] },
    { name: "wait", args: ["wait", "cluster/dev-us-1", "--for", "condition=Ready"] },
    { name: "top", args: ["top"], shorten: withoutResources },
    { name: "logs", args: ["logs", "dev-us-1"] },
    { name: "approve-deletions-of-nothing", args: ["approve-deletions", "0123456", "1"] },
    { name: "bootstrap-without-token", args: ["bootstrap", "github", "acme/fleet"] },
    { name: "explain", args: ["explain", "Cluster.spec.heartbeat"] },
    { name: "unknown-command", args: ["statsu"] },
    { name: "unknown-option", args: ["status", "--namespce", "x"] },
    { name: "former-option", args: ["get", "clusters", "--namespace", "fleet"] },
    { name: "option-in-vain", args: ["suspend", "dev-us-1", "--repository", "fleet"] },
    { name: "unknown-cluster", args: ["status", "dev-us-7"] },
    { name: "no-hub", args: ["status", "--kubeconfig", "nowhere.kubeconfig"] },
  ])("shows $name as the golden has it", async ({ name, args, shorten }) => {
    await show(name, await terminal.run(args, { cwd: folder.path }), shorten);
  });

  it("shows bootstrap as steps, first those of a dry run", async () => {
    await mkdir(join(folder.path, "forge"));
    const forge = await startHostingForge(join(folder.path, "forge"), { provider: "GitHub", isThere: false });
    const token = join(folder.path, "forge-token");
    await writeFile(token, `${forgeToken}\n`);
    const args = ["bootstrap", "github", forge.repositoryUrl, "--token-file", "forge-token"];
    try {
      await show("bootstrap-dry-run", await terminal.run([...args, "--dry-run"], { cwd: folder.path }));
      await show("bootstrap", await terminal.run(args, { cwd: folder.path }));
      await show("bootstrap-again", await terminal.run(args, { cwd: folder.path }));
    } finally {
      await forge.stop();
    }
  });

  it("shows diff and plan of a label that was changed, and a file with a typo", async () => {
    const path = join(workTree, "clusters/dev/dev-us-1.yaml");
    const before = await readFile(path, "utf8");
    await writeFile(path, before.replace("team: search", "team: stores"));
    await show("diff", await terminal.run(["diff", "."], { cwd: workTree }));
    await runGit(workTree, ["checkout", "-q", "-b", "label"]);
    await runGit(workTree, ["commit", "-qam", "Change a label"]);
    await runGit(workTree, ["push", "-q", "origin", "label"]);
    const repository = join(folder.path, "demo/fleet.git");
    await show("plan", await terminal.run(["plan", "--repo", repository, "--branch", "label"], { cwd: workTree }));
    await appendFile(path, "\n  heartbeet: {}\n");
    await show("validate", await terminal.run(["validate"], { cwd: workTree }));
  });
});

/** Without what this machine has, and without the widths that follow from it. */
function withoutResources(text: string): string {
  return text.replaceAll(/ +\d+ +[\d.]+ [KMGT]iB$/gmu, "  CPU  MEMORY").replaceAll(/ {2,}/gu, "  ");
}

/** A busy machine has more Events. */
function withoutEvents(text: string): string {
  return text.replace(/^Events:\n.*?(?=^\[exit)/msu, "Events: ...\n");
}

/** Without what differs from one run to the next. */
function normalized(text: string, folder: string): string {
  return `${text
    .replaceAll(folder, "FOLDER")
    .replaceAll(program, "PROGRAM")
    .replaceAll(version, "X.Y.Z")
    .replaceAll(/Node\.js v[\d.]+, \w+ \w+/gu, "Node.js VERSION, SYSTEM")
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/gu, "$1:PORT")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/gu, "ID")
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/gu, "COMMIT")
    .replaceAll(/(deploy key +rollcall) [\w+/]{8}$/gmu, "$1 KEY")
    .replaceAll(/resourceVersion: "\d+"/gu, 'resourceVersion: "N"')
    .replaceAll(/\b\d+[smh](?:\d+s)?\b(?: {2,})?/gu, (age) => (age.endsWith(" ") ? "AGE".padEnd(age.length) : "AGE"))
    .replaceAll(/ +$/gmu, "")
    .trimEnd()}\n`;
}

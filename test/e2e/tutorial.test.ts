import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forgeToken } from "../support/forge/forge-state.ts";
import type { HostingForge } from "../support/forge/hosting-forge.ts";
import { startHostingForge } from "../support/forge/hosting-forge.ts";
import type { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import { argumentsOf, blocksOf, makeCheckoutFolder, typePage } from "../support/typed-page.ts";

let page: string;
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let forge: HostingForge;
const terminals: RollcallProcess[] = [];

beforeAll(async () => {
  page = await readFile(resolve(import.meta.dirname, "../../docs/tutorial.md"), "utf8");
  folder = await makeCheckoutFolder();
  await mkdir(join(folder.path, "forge"));
  forge = await startHostingForge(join(folder.path, "forge"));
  const { host } = new URL(forge.url);
  await writeFile(join(folder.path, ".git-credentials"), `http://${forge.gitUser}:${forgeToken}@${host}\n`);
  await writeFile(join(folder.path, ".gitconfig"), "[credential]\n\thelper = store\n");
  start(1);
  start(2);
  await terminals[0]?.whenPrinted(/The hub is ready/u);
  await terminals[1]?.whenPrinted(/Every cluster is Ready/u);
});
afterAll(async () => {
  for (const terminal of terminals) terminal.kill("SIGTERM");
  await Promise.all(terminals.map(({ finished }) => finished));
  await forge?.stop();
  await folder?.remove();
});

function start(terminal: number, env: Record<string, string> = {}): void {
  const args = argumentsOf(page, terminal).map((arg) => (arg === '"$FLEET"' ? forge.repositoryUrl : arg));
  terminals.push(startRollcall(args, { cwd: folder.path, env }));
}

it("docs/tutorial.md, typed from top to bottom into one shell, leads to a cluster that joined", async () => {
  const variables = [
    `export FORGE=${forge.url}`,
    "export REPO=acme/fleet",
    `export FLEET=${forge.repositoryUrl}`,
    `printf %s ${forgeToken} > token`,
  ];
  await writeFile(join(folder.path, "token"), forgeToken);
  // The third terminal is open beside the shell: the daemon waits for the first commit.
  // A reader waits a minute at most for the status branch.
  start(3, { ROLLCALL_WRITE_BACK_INTERVAL: "1s" });
  const blocks = blocksOf(page);
  expect(blocks.length).toBeGreaterThanOrEqual(8);
  const { output, failed } = await typePage([...variables, ...blocks].join("\n"), folder.path);
  expect(failed, output).toEqual([]);
  expect(output).toMatch(/edge-1 +Ready/u);
  expect(output).toMatch(/edge-1 \| Ready/u);
});

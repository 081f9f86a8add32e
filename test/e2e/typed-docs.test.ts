import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import { kubectlFolder } from "../support/shell.ts";
import { argumentsOf, blocksOf, makeCheckoutFolder, typePage } from "../support/typed-page.ts";

const checkout = resolve(import.meta.dirname, "../..");

interface Session {
  readonly folder: Awaited<ReturnType<typeof makeTempFolder>>;
  readonly up: RollcallProcess;
}

/** A folder with what these pages use of a checkout, and the fleet of a first terminal. */
async function startFleet(args: readonly string[]): Promise<Session> {
  const folder = await makeCheckoutFolder();
  const up = startRollcall([...args], { cwd: folder.path });
  await up.whenPrinted(/Every cluster is Ready/u);
  return { folder, up };
}

async function endFleet({ folder, up }: Session): Promise<void> {
  up.kill("SIGTERM");
  await up.finished;
  await folder.remove();
}

describe("docs/walk-through.md, typed from top to bottom into one shell", () => {
  let session: Session;
  let page: string;
  beforeAll(async () => {
    page = await readFile(join(checkout, "docs/walk-through.md"), "utf8");
    session = await startFleet(argumentsOf(page, 1));
  });
  afterAll(() => endFleet(session));

  it("comes to its end without a command that fails", async () => {
    const blocks = blocksOf(page);
    expect(blocks.length).toBeGreaterThanOrEqual(7);
    const { output, failed } = await typePage(blocks.join("\n"), session.folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toMatch(/lab-1[\s\S]*Joined +True/u);
    expect(output).toMatch(/dev-us-1/u);
  });
});

describe("README.md, typed from top to bottom into one shell", () => {
  let session: Session;
  let blocks: string[];
  beforeAll(async () => {
    blocks = blocksOf(await readFile(join(checkout, "README.md"), "utf8"));
    session = await startFleet(["up"]);
  });
  afterAll(() => endFleet(session));

  it("begins with install, start and test, which run before this test", () => {
    expect(blocks[0]).toBe("npm ci && npm start\nnpm ci && npm test\n");
  });

  it(`comes to its end${kubectlFolder === undefined ? " (without kubectl, which is not here)" : ""}`, async () => {
    const lines = (blocks[1] ?? "")
      .split("\n")
      .filter((line) => kubectlFolder !== undefined || !/^kubectl /u.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    const { output, failed } = await typePage(lines.join("\n"), session.folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toMatch(/prod-eu-1/u);
  });

  it("prints commands to try that work from where it was started", async () => {
    const printed = session.up.output();
    const lines = [...printed.slice(printed.indexOf("Every cluster is Ready")).matchAll(/^ {2}(\S.*)$/gmu)].map(
      (match) => match[1] ?? "",
    );
    const typed = lines.filter((line) => !/^kubectl /u.test(line) || kubectlFolder !== undefined);
    const isCommit = (line: string): boolean => line.includes("commit -am");
    expect(typed.filter((line) => /^node \S*bin\/rollcall\.js status /u.test(line))).toHaveLength(2);
    const { output, failed } = await typePage(typed.filter((line) => !isCommit(line)).join("\n"), session.folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toContain("Rollcall-Source-Commit");
  });
});

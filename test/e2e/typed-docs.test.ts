import { readFile, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import { kubectlFolder } from "../support/shell.ts";
import { argumentsOf, blocksOf, makeCheckoutFolder, typePage } from "../support/typed-page.ts";

const checkout = resolve(import.meta.dirname, "../..");

/** A folder with what these pages use of a checkout. */
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
/** The fleet of the README in it. The walk-through has another name for its folder. */
let up: RollcallProcess;
beforeAll(async () => {
  folder = await makeCheckoutFolder();
  await symlink(".rollcall", join(folder.path, "demo"));
  up = startRollcall(["up"], { cwd: folder.path });
  await up.whenPrinted(/Every cluster is Ready/u);
});
afterAll(async () => {
  up.kill("SIGTERM");
  await up.finished;
  await folder.remove();
});

describe("README.md, typed from top to bottom into one shell", () => {
  let blocks: string[];
  beforeAll(async () => {
    blocks = blocksOf(await readFile(join(checkout, "README.md"), "utf8"));
  });

  it("begins with install, start and test, which run before this test", () => {
    expect(blocks[0]).toBe("npm ci && npm start\nnpm ci && npm test\n");
  });

  it(`comes to its end${kubectlFolder === undefined ? " (without kubectl, which is not here)" : ""}`, async () => {
    const lines = (blocks[1] ?? "")
      .split("\n")
      .filter((line) => kubectlFolder !== undefined || !/^kubectl /u.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    const { output, failed } = await typePage(lines.join("\n"), folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toMatch(/prod-eu-1/u);
  });

  it("prints commands to try that work from where it was started", async () => {
    const printed = up.output();
    const lines = [...printed.slice(printed.indexOf("Every cluster is Ready")).matchAll(/^ {2}(\S.*)$/gmu)].map(
      (match) => match[1] ?? "",
    );
    const typed = lines.filter((line) => !/^kubectl /u.test(line) || kubectlFolder !== undefined);
    const isCommit = (line: string): boolean => line.includes("commit -am");
    expect(typed.filter((line) => /^node \S*bin\/rollcall\.js status /u.test(line))).toHaveLength(2);
    const { output, failed } = await typePage(typed.filter((line) => !isCommit(line)).join("\n"), folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toContain("Rollcall-Source-Commit");
  });
});

/** The last page: it removes a cluster. */
describe("docs/walk-through.md, typed from top to bottom into one shell", () => {
  it("comes to its end without a command that fails", async () => {
    const page = await readFile(join(checkout, "docs/walk-through.md"), "utf8");
    expect(argumentsOf(page, 1)).toEqual(["up", "--dir", "demo"]);
    const blocks = blocksOf(page);
    expect(blocks.length).toBeGreaterThanOrEqual(7);
    const { output, failed } = await typePage(blocks.join("\n"), folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toMatch(/lab-1[\s\S]*Joined +True/u);
    expect(output).toMatch(/dev-us-1/u);
  });
});

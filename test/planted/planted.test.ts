import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";
import { attackFaults } from "./attack-faults.ts";
import { removalFaults } from "./faults.ts";
import type { PlantedFault } from "./faults.ts";

const root = resolve(import.meta.dirname, "../..");
const tests = "test/unit/reconcile/removals";
const sequences = process.env["ROLLCALL_REMOVAL_SEQUENCES"] ?? "300";
const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** Runs tests in a copy of the source; resolves with true when they pass. */
function passes(folder: string, args: readonly string[]): Promise<boolean> {
  const env = { ...process.env, ROLLCALL_REMOVAL_SEQUENCES: sequences };
  return new Promise((done) => {
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [vitest, "run", ...args], options, (error) => done(error === null));
  });
}

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
beforeAll(async () => {
  folder = await makeTempFolder();
  for (const part of ["src", "schemas", "docs", "test", "package.json", "tsconfig.json", "vitest.config.ts"])
    await cp(join(root, part), join(folder.path, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder.path, "node_modules"));
});
afterAll(() => folder.remove());

async function passesWith({ file, from, to }: PlantedFault, args: readonly string[]): Promise<boolean> {
  const path = join(folder.path, file);
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  try {
    return await passes(folder.path, args);
  } finally {
    await writeFile(path, text);
  }
}

describe("the tests of removals", () => {
  const args = ["--project", "unit", tests];

  it("pass in a copy without a fault", async () => {
    expect(await passes(folder.path, args)).toBe(true);
  });

  it.each(removalFaults)("fail when $name", async (fault) => {
    expect(await passesWith(fault, args)).toBe(false);
  });
});

describe("the tests of attacks", () => {
  const files = (project: string): string[] => [
    ...new Set(attackFaults.filter((fault) => fault.project === project).map(({ test }) => test)),
  ];

  it.each(["unit", "contract"])("pass in a copy without a fault: %s", async (project) => {
    expect(await passes(folder.path, ["--project", project, ...files(project)])).toBe(true);
  });

  it.each(attackFaults)("$number fails without $name", async (fault) => {
    const only = fault.only === undefined ? [] : ["-t", fault.only];
    expect(await passesWith(fault, ["--project", fault.project, fault.test, ...only])).toBe(false);
  });
});

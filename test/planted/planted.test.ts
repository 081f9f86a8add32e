import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";
import { removalFaults } from "./faults.ts";

const root = resolve(import.meta.dirname, "../..");
const tests = "test/unit/reconcile/removals";
const sequences = process.env["ROLLCALL_REMOVAL_SEQUENCES"] ?? "300";
const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** Runs the tests of removals in a copy of the source; resolves with true when they pass. */
function passes(folder: string): Promise<boolean> {
  const env = { ...process.env, ROLLCALL_REMOVAL_SEQUENCES: sequences };
  return new Promise((done) => {
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [vitest, "run", "--project", "unit", tests], options, (error) => done(error === null));
  });
}

describe("the tests of removals", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  beforeAll(async () => {
    folder = await makeTempFolder();
    for (const part of ["src", "schemas", tests, "package.json", "tsconfig.json", "vitest.config.ts"])
      await cp(join(root, part), join(folder.path, part), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder.path, "node_modules"));
  });
  afterAll(() => folder.remove());

  it("pass in a copy without a fault", async () => {
    expect(await passes(folder.path)).toBe(true);
  });

  it.each(removalFaults)("fail when $name", async ({ file, from, to }) => {
    const path = join(folder.path, file);
    const text = await readFile(path, "utf8");
    await writeFile(
      path,
      text.replace(from, () => to),
    );
    try {
      expect(await passes(folder.path)).toBe(false);
    } finally {
      await writeFile(path, text);
    }
  });
});

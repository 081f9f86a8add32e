import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { optimizeLate } from "../support/optimize-late.ts";

const root = resolve(import.meta.dirname, "../..");

function generate(folder: string, ...args: string[]): Promise<{ exitCode: number; errors: string }> {
  return new Promise((resolve) => {
    const all = [...optimizeLate, join(folder, "scripts/generate.mjs"), ...args];
    execFile(process.execPath, all, (error, _output, errors) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), errors });
    });
  });
}

describe("npm run generate", () => {
  let copy = "";

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "rollcall-generate-"));
    for (const folder of ["schemas", "scripts", "src", "deploy", "docs", "test/rules", "test/e2e/golden"]) {
      mkdirSync(dirname(join(copy, folder)), { recursive: true });
      execFileSync("cp", ["-R", join(root, folder), join(copy, folder)]);
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "dir");
  });

  afterAll(() => rmSync(copy, { recursive: true }));

  it("names each file that was edited, is missing or has no source any more, and mends them", async () => {
    const edited = join(copy, "src/model/generated/cluster.ts");
    writeFileSync(edited, readFileSync(edited, "utf8").replace("displayName", "nickname"));
    rmSync(join(copy, "deploy/crds/clusters.yaml"));
    writeFileSync(join(copy, "docs/spec/forgotten.md"), "");

    const { exitCode, errors } = await generate(copy, "--check");
    expect(exitCode).toBe(1);
    expect(errors.trim().split("\n").sort()).toEqual([
      "differs from what schemas/ declare: deploy/crds/clusters.yaml",
      "differs from what schemas/ declare: src/model/generated/cluster.ts",
      "is no longer generated: docs/spec/forgotten.md",
      "run: npm run generate",
    ]);

    expect(await generate(copy)).toMatchObject({ exitCode: 0 });
    for (const path of ["deploy/crds/clusters.yaml", "src/model/generated/cluster.ts"])
      expect(readFileSync(join(copy, path), "utf8")).toBe(readFileSync(join(root, path), "utf8"));
    expect(readdirSync(join(copy, "docs/spec"))).toEqual(readdirSync(join(root, "docs/spec")));
  });
});

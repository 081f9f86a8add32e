import { execFile, spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { PlantedFault } from "./faults.ts";

const root = resolve(import.meta.dirname, "../..");

/** The titles of the tests that a run executes, with those of the blocks around them. */
export interface TestResults {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** False also when a file cannot be loaded, or a hook fails. */
  readonly isSuccess: boolean;
}

export interface SourceCopy {
  /** Runs vitest in the copy, with a fault in it when one is given. */
  run(args: readonly string[], fault?: PlantedFault): Promise<TestResults>;
  remove(): Promise<void>;
}

/** A copy of all files that git knows or would add, with the packages of this checkout. */
export async function copySource(): Promise<SourceCopy> {
  const folder = await makeTempFolder();
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const { stdout } = await promisify(execFile)("git", list, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  for (const file of stdout.split("\0").filter((name) => name !== "")) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await cp(join(root, file), join(folder.path, file));
  }
  await symlink(join(root, "node_modules"), join(folder.path, "node_modules"));
  return {
    run: (args, fault) =>
      fault === undefined
        ? runTests(folder.path, args)
        : withFault(folder.path, fault, () => runTests(folder.path, args)),
    remove: () => folder.remove(),
  };
}

async function withFault<T>(folder: string, { file, from, to }: PlantedFault, work: () => Promise<T>): Promise<T> {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  try {
    return await work();
  } finally {
    await writeFile(path, text);
  }
}

async function runTests(folder: string, args: readonly string[]): Promise<TestResults> {
  const report = join(folder, "report.json");
  await rm(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...args, "--reporter=json", `--outputFile=${report}`], {
    cwd: folder,
    stdio: "ignore",
  });
  await new Promise((done, fail) => child.on("close", done).on("error", fail));
  const { success, testResults } = JSON.parse(await readFile(report, "utf8")) as VitestReport;
  const titlesOf = (status: string): string[] =>
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter((test) => test.status === status).map(({ fullName }) => fullName),
    );
  return { passed: titlesOf("passed"), failed: titlesOf("failed"), isSuccess: success };
}

/** The part of vitest's JSON report that is read. */
export interface VitestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Fits a title, or a title within a block, that begins with the number or has it among those that it begins with. */
export function titleOf(number: string): RegExp {
  return new RegExp(`(?:^|\\s)(?:[AF]\\d+:? )*${number}(?::|\\s)`, "u");
}

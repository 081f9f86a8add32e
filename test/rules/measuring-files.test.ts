import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { measuringFiles } from "../support/measuring-files.ts";

const root = resolve(import.meta.dirname, "../..");

/** What measures the process that it runs in. */
const measures =
  /\bprocess\.(?:memoryUsage|cpuUsage|resourceUsage)\b|\b(?:heldBytes|measureLoop|leastCpuMs|cpuMsOf|startCpuWatch)\b/u;
/** What changes the process for the files after it. */
const changes =
  /\bprocess\.env(?:\.\w+|\["\w+"\]) =(?!=)|\bdelete process\.env|\bsetGlobalDispatcher\(|\bvi\.(?:useFakeTimers|mock|doMock|stubGlobal|stubEnv|spyOn)\(/u;

function contractFiles(pattern: RegExp): string[] {
  return filesOf("test/contract", pattern);
}

function filesOf(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && pattern.test(readFileSync(join(root, path), "utf8")))
    .sort();
}

describe("contract tests, whose files share a process", () => {
  it("have a process of their own where they measure it", () => {
    expect(contractFiles(measures)).toEqual([...measuringFiles].sort());
  });

  it("run in a step of CI where they measure it, since npm test leaves those out", () => {
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npx vitest run --project contract-measured\n");
    expect(readFileSync(join(root, ".github/workflows/ci.yml"), "utf8")).toContain("npm run test:measured\n");
  });

  it("leave the environment, the clock and the globals of the process as they are", () => {
    expect(contractFiles(changes)).toEqual([]);
  });
});

describe("end-to-end tests, whose files share a process", () => {
  it.each(["test/e2e", "test/seeds"])("measure and change no process that they run in (%s)", (folder) => {
    expect(filesOf(folder, measures)).toEqual([]);
    expect(filesOf(folder, changes)).toEqual([]);
  });
});

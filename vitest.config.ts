import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { fullCountFiles } from "./test/support/full-counts.ts";
import { longFiles } from "./test/support/long-files.ts";
import { measuringFiles } from "./test/support/measuring-files.ts";
import { optimizeLate } from "./test/support/optimize-late.ts";
import { longestWaitMs } from "./test/support/until.ts";

/**
 * End-to-end tests and those of a fleet's life wait most of their time, and a suite that a small file `embedded.test.ts` calls is
 * long: begun first, they wait beside the others instead of after them.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      /\/test\/(?:e2e|contract\/life)\/|\/(?:embedded|options-of-operators)\.test\.ts$/u.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * Projects whose files share a process, one after the other: what they import is read once for each worker. Their files close
 * what they open, and change nothing of the process.
 */
const sharingProjects: ReadonlySet<string> = new Set(["unit", "contract", "e2e", "together", "long", "kube", "page"]);

const unit = ["test/unit/**/*.test.ts", "test/rules/**/*.test.ts"];
const contract = ["test/contract/**/*.test.ts"];
const e2e = ["test/e2e/**/*.test.ts", "test/seeds/**/*.test.ts"];

/** Files of other projects that a project leaves out. */
const excluded: Readonly<Record<string, readonly string[]>> = {
  unit: longFiles,
  contract: [...measuringFiles, ...longFiles],
  e2e: longFiles,
  together: [...measuringFiles, ...longFiles],
};

/** It only ends a test that would wait for ever: how fast a machine is decides nothing. */
const longestTestMs = 600_000;

/** One project per suite; package.json says which command runs which. */
function suite(name: string, include: string[], isParallel: boolean) {
  return {
    test: {
      name,
      include,
      exclude: [...(excluded[name] ?? [])],
      testTimeout: longestTestMs,
      hookTimeout: longestTestMs,
      // What another process does is waited for until it is there; the default of one second is short on a busy machine.
      expect: { poll: { timeout: longestWaitMs } },
      pool: "forks" as const,
      // What was stripped of types is kept by content: for the other projects of a run, and for the next run.
      experimental: { fsModuleCache: true },
      fileParallelism: isParallel,
      isolate: !sharingProjects.has(name),
      execArgv: sharingProjects.has(name) ? [...optimizeLate] : [],
    },
  };
}

function withEnvironment(project: ReturnType<typeof suite>, env: Readonly<Record<string, string>>) {
  return { test: { ...project.test, env: { ...env } } };
}

function withGlobalSetup(project: ReturnType<typeof suite>, file: string) {
  return { test: { ...project.test, globalSetup: [file] } };
}

export default defineConfig({
  test: {
    // Tests wait for processes and clocks as often as they compute: five keep two cores busy.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      suite("unit", unit, true),
      suite("contract", contract, true),
      suite("contract-measured", [...measuringFiles], true),
      suite("e2e", e2e, true),
      // The files of these three, in the same processes: a process of its own for each kind would read most of src again.
      suite("together", [...unit, ...contract, ...e2e], true),
      suite("long", [...longFiles], true),
      withGlobalSetup(suite("kube", ["test/kube/**/*.test.ts"], false), "test/support/kube-global-setup.ts"),
      suite("bench", ["test/bench/**/*.bench.ts", "test/page/**/*.bench.ts"], false),
      suite("fuzz", ["test/fuzz/**/*.test.ts"], false),
      withEnvironment(suite("full", [...fullCountFiles], false), { ROLLCALL_FULL_COUNTS: "true" }),
      suite("planted", ["test/planted/**/*.test.ts"], false),
      suite("release", ["test/release/**/*.test.ts", "test/upgrade/**/*.test.ts"], false),
      suite("record", ["test/upgrade/record.ts"], false),
      suite("image", ["test/image/**/*.test.ts"], false),
      suite("pods", ["test/pods/**/*.test.ts"], false),
      suite("page", ["test/page/**/*.test.ts"], false),
    ],
  },
});

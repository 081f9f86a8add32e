import { describe, expect, it } from "vitest";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { logRuns } from "../../../src/daemon/log-runs.ts";
import type { RunReport } from "../../../src/reconcile/reconciler-options.ts";

const quiet: RunReport = {
  commit: "a",
  committedAtMs: 1,
  isApplied: true,
  appliedBefore: "a",
  statusCommitBefore: "s",
  planSizes: {},
  failedCount: 0,
  durationMs: 4848.787498,
  phasesMs: { read: 12.25, writeBack: 0.75 },
  changeCount: 0,
  parsedCount: 3,
  visitedCount: undefined,
  errorCount: 0,
  withheldCount: 0,
  statusCommit: "s",
  failure: undefined,
};

/** Logs `runs` in turn; the level of each, with the repository that its line names. */
function levelsOf(runs: readonly { readonly run: RunReport; readonly further?: string }[]) {
  const lines: { level: string; fields: LogFields }[] = [];
  const logOf = (own: LogFields): Log => ({
    ...silentLog,
    info: (_message, fields) => void lines.push({ level: "info", fields: { ...own, ...fields } }),
    debug: (_message, fields) => void lines.push({ level: "debug", fields: { ...own, ...fields } }),
    with: (fields) => logOf({ ...own, ...fields }),
  });
  const logRun = logRuns(logOf({}));
  for (const { run, further } of runs) logRun(run, further);
  const repositoryOf = ({ repository }: LogFields) => (typeof repository === "string" ? repository : "main");
  return { lines, levels: lines.map(({ level, fields }) => `${level} ${repositoryOf(fields)}`) };
}

describe("logRuns", () => {
  it("logs the first run and hides those after it that saw nothing new", () => {
    expect(levelsOf([{ run: quiet }, { run: quiet }, { run: quiet }]).levels).toEqual([
      "info main",
      "debug main",
      "debug main",
    ]);
  });

  it.each([
    ["another commit", { commit: "b" }],
    ["a commit that is not applied", { isApplied: false }],
    ["changes", { changeCount: 1 }],
    ["a status commit", { statusCommit: "t" }],
  ])("logs one with %s", (_what, fields) => {
    expect(levelsOf([{ run: quiet }, { run: { ...quiet, ...fields } }]).levels).toEqual(["info main", "info main"]);
  });

  it("hides one that was not written back", () => {
    const report = { run: { ...quiet, statusCommit: undefined } };
    expect(levelsOf([report, report]).levels).toEqual(["info main", "debug main"]);
  });

  it("compares each repository with itself", () => {
    const other = { run: { ...quiet, commit: "b" }, further: "other" };
    const third = { run: { ...quiet, commit: "c" }, further: "third" };
    expect(levelsOf([{ run: quiet }, other, third, { run: quiet }, other, third]).levels).toEqual([
      ...["info main", "info other", "info third"],
      ...["debug main", "debug other", "debug third"],
    ]);
  });

  it("leaves the reason of a failure to the line that names the next try", () => {
    const failed = { ...quiet, isApplied: false, failure: new Error("away") };
    const { levels, lines } = levelsOf([{ run: failed }, { run: failed }]);
    expect(levels).toEqual(["info main", "debug main"]);
    expect(lines[0]?.fields).toMatchObject({ hasFailed: true });
    expect(lines[0]?.fields).not.toHaveProperty("failure");
  });

  it("gives times in whole milliseconds", () => {
    const [line] = levelsOf([{ run: quiet }]).lines;
    expect(line?.fields).toMatchObject({ durationMs: 4849, phasesMs: { read: 12, writeBack: 1 }, hasFailed: false });
  });
});

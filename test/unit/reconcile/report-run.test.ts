import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { reportRun } from "../../../src/reconcile/report-run.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import type { RunReport } from "../../../src/reconcile/reconciler-options.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { creation, outcome, planOfNothing, repository, scopeOf } from "./phase-builders.ts";

const problem: Problem = { code: "E_SCHEMA", severity: "error", file: "a.yaml", line: 1, column: 1, message: "no" };

/** What a run reports to its listeners, and how it ends. */
function reportOf(fields: Partial<RunScope>, read: Repository = repository) {
  let report: RunReport | undefined;
  const news: unknown[] = [];
  let failure: unknown;
  try {
    reportRun(scopeOf(fields), {
      readRepository: () => read,
      clock: createManualClock(),
      reportProblems: () => undefined,
      onForgeNews: ({ unverified }) => void news.push(unverified),
      onRun: (made) => (report = made),
    });
  } catch (error) {
    failure = error;
  }
  return { report, news, failure };
}

describe("reportRun", () => {
  it("counts changes by kind, failures and errors in files", () => {
    const plan = {
      ...planOfNothing,
      changes: [creation("a"), creation("b")],
      problems: [problem, { ...problem, line: 2 }, { ...problem, severity: "warning" as const }],
    };
    const { report, failure } = reportOf({ plan, outcomes: [outcome("a"), outcome("b", new AppError("E_BUG", "b"))] });
    expect(report).toMatchObject({ planSizes: { create: 2 }, changeCount: 1, failedCount: 1, errorCount: 2 });
    expect(report?.failure).toBe(failure);
  });

  it("does not report a commit as applied when the run failed, or when none was read", () => {
    const snapshot = { commit: { id: "c1" } } as unknown as RunScope["snapshot"];
    const applied = { ...repository, status: { appliedCommit: "c1" } };
    expect(reportOf({ snapshot }, applied).report).toMatchObject({ isApplied: true });
    expect(reportOf({ snapshot, sourceError: away }, applied).report).toMatchObject({ isApplied: false });
    expect(reportOf({ sourceError: away }).report).toMatchObject({ isApplied: false });
    expect(reportOf({}).report).toMatchObject({ isApplied: false });
    expect(reportOf({ snapshot, unverified: refused }, applied).report).toMatchObject({ isApplied: false });
    expect(reportOf({ snapshot }, { ...repository, status: { appliedCommit: "c0" } }).report?.isApplied).toBe(false);
    expect(reportOf({ snapshot }, repository).report).toMatchObject({ isApplied: false });
  });

  it("reports how long the run took", () => {
    expect(reportOf({ startedAtMs: -250 }).report).toMatchObject({ durationMs: 250 });
  });

  const away = new AppError("E_GIT_REMOTE", "away");
  const refused = new AppError("E_UNVERIFIED", "nobody vouches", { data: { commit: "c2" } });

  it.each<[string, Partial<RunScope>, string | undefined, string | undefined]>([
    ["nothing failed", {}, undefined, undefined],
    ["the branch could not be read", { sourceError: away }, "E_GIT_REMOTE", "E_GIT_REMOTE"],
    ["a write failed", { outcomes: [outcome("a", away)] }, "E_GIT_REMOTE", "E_GIT_REMOTE"],
    [
      "both failed: the branch comes first",
      { sourceError: refused, outcomes: [outcome("a", away)] },
      "E_UNVERIFIED",
      "E_UNVERIFIED",
    ],
    ["a phase threw something unknown", { sourceError: new TypeError("x") }, "E_BUG", undefined],
    ["a commit is not verified: the run itself is done", { unverified: refused }, undefined, "E_UNVERIFIED"],
  ])("reports how the run ended when %s", (_reason, fields, thrown, reported) => {
    const { report, failure } = reportOf(fields);
    expect(failure).toEqual(thrown === undefined ? undefined : expect.objectContaining({ code: thrown }));
    if (reported !== undefined) expect(report?.failure).toMatchObject({ code: reported });
  });

  it("names the commit that is refused to the forge", () => {
    expect(reportOf({ unverified: refused }).news).toEqual([{ commit: "c2", message: "nobody vouches" }]);
    expect(reportOf({}).news).toEqual([undefined]);
    expect(reportOf({ unverified: new AppError("E_UNVERIFIED", "no keys") }).news).toEqual([undefined]);
  });
});

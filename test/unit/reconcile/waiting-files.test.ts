import { describe, expect, it } from "vitest";
import type { Repository, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { computeRepositoryStatus } from "../../../src/reconcile/repository-status.ts";
import type { RunResult } from "../../../src/reconcile/run-result.ts";
import { fleetOf, live, plan } from "../planning/plan-builders.ts";
import { creation } from "./phase-builders.ts";
import { commit, held, plan as planOfCommit, problem, refused, statusOf, withheld } from "./run-results.ts";

const commits = { first: "a".repeat(40), second: "b".repeat(40), third: "c".repeat(40) };
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `c${from + index}`);

/** Repository.status after a commit that removes these, more than the budget allows. */
function after(commit: string, removed: readonly string[], before?: RepositoryStatus): RepositoryStatus {
  const repository: Repository = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "rollcall-system" },
    spec: { url: "https://git.example/fleet" },
    ...(before === undefined ? {} : { status: before }),
  };
  const planned = plan(
    fleetOf(),
    removed.map((name) => live(name)),
    { commit },
  );
  return computeRepositoryStatus(repository, { plan: planned, outcomes: [] }, Date.parse("2027-01-01T00:00:00Z"));
}

describe("Repository.status.waiting", () => {
  it("names twenty withheld removals in natural order, and counts all", () => {
    const { waiting } = after(commits.first, numbers(1, 25));
    expect(waiting?.count).toBe(25);
    expect(waiting?.first.map(({ file }) => file.replace(/^.*\/|\.yaml$/gu, ""))).toEqual(numbers(1, 20));
  });

  it("knows since when a removal beyond the twentieth waits, once it is named", () => {
    const first = after(commits.first, numbers(1, 25));
    const second = after(commits.second, numbers(1, 30), first);
    const third = after(commits.third, numbers(16, 31), second);
    expect(third.waiting?.first.map(({ since }) => since)).toEqual([
      ...numbers(16, 25).map(() => commits.first),
      ...numbers(26, 30).map(() => commits.second),
      commits.third,
    ]);
    expect(third.waiting?.others).toBeUndefined();
  });

  it("does not invent since when a file waits that is beyond the 1,020 that are recorded", () => {
    const first = after(commits.first, numbers(1, 1100));
    const second = after(commits.second, numbers(1, 1101), first);
    const third = after(commits.third, numbers(1015, 1102), second);
    expect(third.waiting?.first.map(({ since }) => since)).toEqual([
      ...numbers(1015, 1020).map(() => commits.first),
      ...numbers(1021, 1034).map(() => undefined),
    ]);
    const last = after(commits.third, numbers(1021, 1040), third);
    expect(last.waiting?.first.every(({ since }) => since === undefined)).toBe(true);
  });

  it("records since when again once all that waits is recorded", () => {
    const many = after(commits.first, numbers(1, 1100));
    const few = after(commits.second, ["c1", "c1100"], many);
    const { waiting } = after(commits.third, ["c1", "c1100", "c1101"], few);
    expect(waiting?.first.map(({ since }) => since)).toEqual([commits.first, undefined, commits.third]);
  });
});

describe("what waits of a commit", () => {
  it("is named file by file with the strongest reason, in natural order", () => {
    const source = { file: "c10.yaml", line: 1, column: 1 };
    const written = { ...creation("eu-1"), source };
    const result = {
      plan: {
        ...planOfCommit,
        withheld: [withheld("eu-2", "budget", "c9.yaml"), withheld("eu-3", "budget")],
        heldDeletes: [held("t", "budget", "t.yaml"), held("u", "budget")],
        problems: [problem("c9.yaml", "error"), problem("w.yaml", "warning")],
      },
      outcomes: [
        { change: written, error: refused },
        { change: creation("eu-4"), error: refused },
      ],
    };
    expect(statusOf(result as Partial<RunResult>).waiting).toEqual({
      count: 3,
      first: [
        { file: "c9.yaml", reason: "Errors", since: commit },
        { file: "c10.yaml", reason: "WriteFailed", since: commit },
        { file: "t.yaml", reason: "Withheld", since: commit },
      ],
    });
  });

  it("is not there when nothing waits, whatever was remembered", () => {
    const status = { waiting: { count: 1, first: [{ file: "a", reason: "Errors" as const }] } };
    expect(statusOf({ plan: planOfCommit }, { status })).not.toHaveProperty("waiting");
  });
});

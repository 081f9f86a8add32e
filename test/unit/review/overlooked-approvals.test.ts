import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import { withLapsed, withOverlooked, withUnsigned } from "../../../src/review/overlooked-approvals.ts";

describe("A59 an approval that is not read", () => {
  const approval: RemovalApproval = { commit: "0123456789abcdef", by: "Trailer", count: 3, spent: 1 };
  const planOf = (isExceeded: boolean) => ({ budget: { isExceeded }, problems: [] });
  const lapsed = { lapsed: [{ ...approval, lapsed: true }] };

  it("is named where the planned commit has it and it lapsed, whatever removals wait for", () => {
    const warning = {
      code: "E_APPROVAL",
      severity: "warning",
      message:
        "the approval of removals in commit 0123456789ab does not count: it ended, or is older than the settings of the Repository",
    };
    expect(withLapsed(planOf(true), lapsed).problems).toMatchObject([warning]);
    const older = { ...approval, commit: "fedcba9876543210" };
    expect(withLapsed(planOf(true), { lapsed: [older, older, ...lapsed.lapsed] }).problems).toMatchObject([warning]);
    const held = { budget: { isExceeded: false, approvable: 1 }, problems: [] };
    expect(withLapsed(held, lapsed).problems).toMatchObject([warning]);
    expect(withLapsed(planOf(false), lapsed).problems).toEqual([]);
    expect(withLapsed(planOf(true), { lapsed: [] }).problems).toEqual([]);
  });

  it("is named where removals are withheld, and only there", () => {
    expect(withOverlooked(planOf(true), [approval]).problems).toEqual([
      {
        code: "E_APPROVAL",
        severity: "warning",
        file: ".",
        line: 1,
        column: 1,
        message:
          "1 approval of removals, the oldest in commit 0123456789ab, is not counted: only the newest that are not used up are",
        fix: "Approve again what is withheld, with a trailer or rollcall approve-deletions.",
      },
    ]);
    expect(withOverlooked(planOf(true), []).problems).toEqual([]);
    expect(withOverlooked(planOf(false), [approval]).problems).toEqual([]);
  });

  it("is named in the order of files", () => {
    const other = { code: "E_YAML", severity: "error", file: "!.yaml", line: 1, column: 1, message: "no" } as const;
    const plan = { budget: { isExceeded: true }, problems: [{ ...other, file: "a.yaml" }, other] };
    const files = withOverlooked(plan, [approval]).problems.map(({ file }) => file);
    expect(files).toEqual([...files].sort());
  });

  it("is named where no listed key signed its commit, the newest one", () => {
    const newest = { ...approval, commit: "fedcba9876543210" };
    expect(withUnsigned(planOf(true), [approval, approval, newest]).problems).toMatchObject([
      {
        code: "E_APPROVAL",
        severity: "warning",
        message: "the approval of removals in commit fedcba987654 does not count: no listed key signed that commit",
      },
    ]);
    expect(withUnsigned(planOf(true), []).problems).toEqual([]);
    expect(withUnsigned(planOf(false), [newest]).problems).toEqual([]);
  });
});

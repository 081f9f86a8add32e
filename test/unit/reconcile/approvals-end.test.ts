import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import type { Repository, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import type { Plan } from "../../../src/model/plan.ts";
import type { RunResult } from "../../../src/reconcile/run-result.ts";
import { computeRepositoryStatus } from "../../../src/reconcile/repository-status.ts";
import { creation, outcome, planOfNothing, repository } from "./phase-builders.ts";

const nowMs = Date.parse("2030-01-02T03:04:05Z");
const hour = "2030-01-02T03:00:00Z";
const approval: RemovalApproval = { commit: "c2", by: "Trailer", count: 4, spent: 1 };
const account = { charges: [], returned: [], approvals: [approval] };
const plan: Plan = { ...planOfNothing, commit: "c2", account };
const reserved = { removing: { hour, groups: [{ approval: "Trailer/c2", removals: ["a"] }] } };

function statusAfter(
  { before = {}, ...result }: Partial<RunResult> & { readonly before?: RepositoryStatus } = {},
  spec: Repository["spec"] = repository.spec,
): RepositoryStatus {
  return computeRepositoryStatus({ ...repository, spec, status: before }, { plan, outcomes: [], ...result }, nowMs);
}

describe("an approval", () => {
  it("ends with a commit of which nothing waits", () => {
    expect(statusAfter()).toMatchObject({ settledCommit: "c2", approvals: [{ ...approval, lapsed: true }] });
  });

  it("does not end while a removal is counted that was perhaps not carried out: the next run charges it again", () => {
    const after = statusAfter({ before: { deletions: { hours: [{ hour, count: 1 }] }, ...reserved } });
    expect(after).toMatchObject({ settledCommit: "c2", ...reserved });
    expect(after.approvals).toEqual([approval]);
  });

  it.each<[string, Partial<RunResult>]>([
    ["a write failed", { outcomes: [outcome("eu-1", { code: "E_KUBE_FORBIDDEN" } as never)] }],
    ["a change waits, since a person edited its object", { waiting: [creation("eu-1")] }],
    [
      "removals of the whole commit are withheld",
      {
        plan: {
          ...plan,
          withheld: [{ kind: "leave", cluster: "fleet/eu-1", reason: "gone", because: "foreign-history" }],
        },
      },
    ],
  ])("does not end while %s", (_reason, result) => {
    const after = statusAfter(result);
    expect([after.settledCommit, after.approvals]).toEqual([undefined, [approval]]);
  });
});

describe("a commit with a change that waits, since a person edited its object meanwhile", () => {
  const waiting = [creation("eu-1")];
  const changed = { ...plan, changes: waiting };

  it("is neither applied nor settled", () => {
    const after = statusAfter({ plan: changed, waiting, before: { appliedCommit: "c1", settledCommit: "c1" } });
    expect(after).toMatchObject({ appliedCommit: "c1", settledCommit: "c1", observedCommit: "c2" });
    expect(after.recentCommits).toMatchObject([{ outcome: "Partial", counts: { changes: 0 } }]);
    expect(after.recentCommits?.[0]?.message).toBe("0 changes, 1 postponed.");
    const applied = after.conditions?.find(({ type }) => type === "Applied");
    expect(applied).toMatchObject({ status: "False", reason: "ChangesPostponed" });
    expect(applied?.message).toContain("Cluster/fleet/eu-1");
  });

  it("stays applied when it was: the edit is reverted a little later", () => {
    const before = { appliedCommit: "c2", settledCommit: "c2" };
    const after = statusAfter({ plan: changed, waiting, before });
    expect(after).toMatchObject({ ...before, recentCommits: [{ outcome: "Applied" }] });
    expect(after.conditions?.find(({ type }) => type === "Applied")).toMatchObject({ status: "True" });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BudgetReport } from "../../../src/model/generated/plan-report.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { signatureNotes, squashNotes } from "../../../src/planning/squash-notes.ts";
import { declared, fleetOf, live, many, plan } from "./plan-builders.ts";

const exceeded: BudgetReport = { wanted: 3, recent: 0, limit: 1, isExceeded: true, approvable: 3 };
const approved: BudgetReport = { wanted: 3, recent: 0, limit: 1, isExceeded: false, approved: 3 };
const within: BudgetReport = { wanted: 1, recent: 0, limit: 1, isExceeded: false };
const line = (count: number): string => `Title\n\nText.\n\nRollcall-Allow-Deletions: ${count}\n`;

describe("A59 squashNotes", () => {
  it.each([
    {
      reason: "approved, and the message has the line",
      budget: approved,
      message: line(3),
      says: /keeps an approval/u,
    },
    {
      reason: "approved, and the message drops the line",
      budget: approved,
      message: "Title",
      says: /withholds.*: 3"/u,
    },
    { reason: "approved, and the count is too small", budget: approved, message: line(2), says: /withholds/u },
    { reason: "withheld, and the message approves", budget: exceeded, message: line(3), says: /A squash releases/u },
    {
      reason: "withheld, and the message approves what earlier approvals leave",
      budget: { ...exceeded, approved: 2, approvedBefore: 2 },
      message: line(1),
      says: /A squash releases what waits \(3 removals\).*has the line that approves, and earlier approvals count for 2 more/u,
    },
    {
      reason: "approved by a commit of the request and earlier, and the message has the line of the former",
      budget: { ...approved, approvedBefore: 1 },
      message: line(2),
      says: /keeps an approval/u,
    },
  ])("explain what a squash does: $reason", ({ budget, message, says }) => {
    expect(squashNotes(budget, message).join()).toMatch(says);
  });

  it.each([
    { reason: "withheld either way", budget: exceeded, message: "Title" },
    { reason: "the message is not known", budget: approved, message: undefined },
    {
      reason: "the message approves, but the commit needs a signature",
      budget: { ...exceeded, needsSignature: true },
      message: line(3),
    },
    {
      reason: "a commit of the request approves a part, and a squash loses it",
      budget: { ...exceeded, approved: 2 },
      message: line(1),
    },
    { reason: "no approval is needed", budget: within, message: line(1) },
  ])("are empty: $reason", ({ budget, message }) => {
    expect(squashNotes(budget, message)).toEqual([]);
  });
});

describe("squashNotes and the plan of the squashed commit", () => {
  /** An approval in a commit of its own. */
  const inCommit = (commit: string, count: number) => ({
    approval: { commit, by: "Trailer" as const, count, spent: 0 },
    covers: undefined,
  });

  it("agree, whatever earlier commits, the request and the message approve", () => {
    const counts = fc.integer({ min: 0, max: 5 });
    fc.assert(
      fc.property(counts, counts, counts, fc.integer({ min: 3, max: 8 }), (before, own, ofMessage, removed) => {
        const fleet = fleetOf(...many.slice(removed).map((name) => declared(name)));
        const approve = (approvals: readonly ReturnType<typeof inCommit>[], isNew: string) =>
          plan(
            fleet,
            many.map((name) => live(name)),
            { approvals: approvals.filter(({ approval }) => approval.count > 0), newApprovals: new Set([isNew]) },
          ).budget;
        const earlier = inCommit("a", before);
        const budget = approve([earlier, inCommit("b", own)], "Trailer/b");
        const squashed = approve([earlier, inCommit("c", ofMessage)], "Trailer/c");
        const says = squashNotes(budget, ofMessage === 0 ? "Title" : line(ofMessage)).join();
        expect(/A squash (?:releases|keeps)/u.test(says)).toBe(!squashed.isExceeded);
        expect(says.startsWith("A squash withholds")).toBe(squashed.isExceeded && !budget.isExceeded);
      }),
    );
  });
});

describe("signatureNotes", () => {
  const nothing = { changes: [], withheld: [], heldDeletes: [] };
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
  const leave: PlannedChange = {
    kind: "leave",
    ref,
    commit: "c",
    uid: "u",
    resourceVersion: "1",
    reason: "its file is gone",
  };
  const removal = { kind: "leave", cluster: "fleet/eu-1", reason: "its file is gone", because: "budget" } as const;
  it.each([
    { reason: "the Repository asks for signatures", plan: { ...nothing, changes: [leave] }, needs: true, count: 1 },
    { reason: "a removal is withheld", plan: { ...nothing, withheld: [removal] }, needs: true, count: 1 },
    { reason: "it asks for none", plan: { ...nothing, changes: [leave] }, needs: false, count: 0 },
    { reason: "the plan does nothing", plan: nothing, needs: true, count: 0 },
  ])("warn $count times that a squash by the forge is not signed by a listed key: $reason", (given) => {
    const notes = signatureNotes(given.plan, given.needs);
    expect(notes.length).toBe(given.count);
    for (const note of notes) expect(note).toMatch(/squash or a rebase on the forge .* with its own key/u);
  });
});

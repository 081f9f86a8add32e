import { describe, expect, it } from "vitest";
import type { BudgetReport } from "../../../src/model/generated/plan-report.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { signatureNotes, squashNotes } from "../../../src/planning/squash-notes.ts";

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
  ])("say what a squash does: $reason", ({ budget, message, says }) => {
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
    { reason: "no approval is needed", budget: within, message: line(1) },
  ])("say nothing: $reason", ({ budget, message }) => {
    expect(squashNotes(budget, message)).toEqual([]);
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
  ])("say $count times that a squash by the forge is not signed by a listed key: $reason", (given) => {
    const notes = signatureNotes(given.plan, given.needs);
    expect(notes.length).toBe(given.count);
    for (const note of notes) expect(note).toMatch(/squash or a rebase on the forge .* with its own key/u);
  });
});

import { describe, expect, it } from "vitest";
import type { BudgetReport } from "../../../src/model/generated/plan-report.ts";
import { squashNotes } from "../../../src/planning/squash-notes.ts";

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
    { reason: "no approval is needed", budget: within, message: line(1) },
  ])("say nothing: $reason", ({ budget, message }) => {
    expect(squashNotes(budget, message)).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { renderPlanComment } from "../../../src/forge/plan-comment.ts";
import type { PlanReport } from "../../../src/model/generated/plan-report.ts";
import { renderPlanMarkdown } from "../../../src/planning/render-plan-markdown.ts";

const report: PlanReport = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "PlanReport",
  metadata: { name: "fleet" },
  basis: { source: "Records" },
  counts: { remove: 1, create: 0, update: 0, withheld: 1, errors: 0, warnings: 0 },
  changes: [{ action: "Leave", kind: "Cluster", namespace: "fleet", name: "prod-eu-1", effects: [], fields: [] }],
  withheld: [
    { action: "Leave", kind: "Cluster", namespace: "fleet", name: "prod-us-1", because: "budget", reason: "no file" },
  ],
  budget: { wanted: 2, recent: 0, limit: 1, isExceeded: true },
  selectors: [],
  agents: [],
  problems: [],
  notes: ["x".repeat(70_000)],
};

it("A200 names removals before notes, which may be longer than a comment", () => {
  const markdown = renderPlanMarkdown(report);
  const comment = renderPlanComment(
    { pullRequest: 1, repository: "fleet.fleet", base: "a".repeat(40), head: "b".repeat(40), markdown },
    65_536,
  );
  expect(comment).toContain("prod&#45;eu&#45;1");
  expect(comment).toContain("prod&#45;us&#45;1");
  expect(comment).toContain("was cut here");
});

import { expect, it } from "vitest";
import { renderPlan } from "../../../../src/cli/render/render-plan.ts";
import type { ObjectChange, PlanReport } from "../../../../src/model/generated/plan-report.ts";

function created(kind: string, name: string, effect: string): ObjectChange {
  const fields = [{ path: "spec.own", to: JSON.stringify(`${name}-own`) }];
  return { action: "Create", kind, namespace: "fleet", name, effects: [effect], fields };
}

it("A204 shows what a new token admits, among however many new clusters", () => {
  const clusters = Array.from({ length: 11 }, (_value, index) => created("Cluster", `c-${index}`, "joins at once"));
  const report: PlanReport = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "PlanReport",
    metadata: { name: "fleet" },
    basis: { source: "Records" },
    counts: { remove: 0, create: 12, update: 0, withheld: 0, errors: 0, warnings: 0 },
    changes: [...clusters, created("ClusterRegistrationToken", "edge", "any number of clusters may join")],
    withheld: [],
    budget: { wanted: 0, recent: 0, limit: 1, isExceeded: false },
    selectors: [],
    agents: [],
    problems: [],
    notes: [],
  };
  const text = renderPlan(report, { isColour: false });
  expect(text).toContain("any number of clusters may join");
  expect(text).toContain('spec.own: "edge-own"');
  expect(text).not.toContain("joins at once");
});

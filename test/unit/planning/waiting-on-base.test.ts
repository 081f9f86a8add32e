import { describe, expect, it } from "vitest";
import { removalId } from "../../../src/planning/plan-removals.ts";
import { renderPlanMarkdown } from "../../../src/planning/render-plan-markdown.ts";
import { reviewPlan } from "../../../src/planning/review-plan.ts";
import { approval, declared, fleetOf, live, many, plan } from "./plan-builders.ts";

const idsOf = (names: readonly string[]): Set<string> =>
  new Set(names.map((name) => removalId({ kind: "leave", cluster: `prod/${name}`, reason: "", uid: `uid-${name}` })));

/** The plan of commits that remove these, on a base that asks for the removal of `waiting`. */
function review(removed: readonly string[], waiting: readonly string[], approved?: number) {
  const fleet = fleetOf(...many.filter((name) => !removed.includes(name)).map((name) => declared(name)));
  const planned = plan(
    fleet,
    many.map((name) => live(name)),
    {
      onBase: idsOf(waiting),
      ...(approved === undefined ? {} : { approvals: [approval(approved)] }),
    },
  );
  return reviewPlan({
    repository: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "fleet" },
      spec: { url: "x" },
    },
    plan: planned,
    observed: { isComplete: true, get: () => undefined, list: () => [], isWorkspace: () => true },
    fleet,
    basis: { source: "Hub" },
  });
}

describe("A59 the plan of a request", () => {
  const six = many.slice(0, 6);

  it("that changes no cluster shows nothing withheld, and names apart what waits on the base", () => {
    const report = review(six, six);
    expect(report.withheld).toEqual([]);
    expect(report.counts.withheld).toBe(0);
    expect(report.waitingOnBase?.map(({ name }) => name)).toEqual(six);
    const markdown = renderPlanMarkdown(report);
    expect(markdown).toContain("6 removals are waiting");
    expect(markdown).not.toContain("Rollcall-Allow-Deletions");
  });

  it("that removes one cluster shows that one, and that its approval would release the others", () => {
    const report = review([...six, "c9"], six);
    expect(report.withheld.map(({ name }) => name)).toEqual(["c9"]);
    expect(report.waitingOnBase).toHaveLength(6);
    expect(report.notes.join()).toContain("an approval of 7 here also releases those");
  });

  it("that counts on a trailer says which ways of merging keep it", () => {
    const report = review(["c1", "c2", "c3"], [], 3);
    expect(report.counts.remove).toBe(3);
    expect(report.notes.join()).toMatch(/merge commit.*rebase.*squash drops it/u);
  });
});

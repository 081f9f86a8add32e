import { describe, expect, it } from "vitest";
import { renderPlan } from "../../../src/cli/render/render-plan.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { removalId } from "../../../src/planning/plan-removals.ts";
import { summarizePlan } from "../../../src/planning/plan-words.ts";
import { renderPlanMarkdown } from "../../../src/planning/render-plan-markdown.ts";
import { reviewPlan } from "../../../src/planning/review-plan.ts";
import { forgeLinks } from "../../../src/planning/views/forge-links.ts";
import { planView } from "../../../src/planning/views/plan-view.ts";
import { markOnBase } from "../../../src/planning/plan-fleet.ts";
import { approval, declared, fleetOf, label, live, many, plan } from "./plan-builders.ts";

const idsOf = (names: readonly string[]): Set<string> =>
  new Set(names.map((name) => removalId({ kind: "leave", cluster: `prod/${name}`, reason: "", uid: `uid-${name}` })));

/** The plan of commits that remove these, on a base that asks for the removal of `waiting`. */
function planOf(removed: readonly string[], waiting: readonly string[], approved?: number) {
  const fleet = fleetOf(...many.filter((name) => !removed.includes(name)).map((name) => declared(name)));
  const planned = plan(
    fleet,
    many.map((name) => live(name)),
    approved === undefined ? {} : { approvals: [approval(approved)] },
  );
  return { planned: markOnBase(planned, idsOf(waiting)), fleet };
}

function review(removed: readonly string[], waiting: readonly string[], approved?: number) {
  const { planned, fleet } = planOf(removed, waiting, approved);
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

  it("reports in each form how many of the removals are its own", () => {
    const report = review([...six, "c9"], six);
    for (const text of [renderPlan(report, { isColour: false }), renderPlanMarkdown(report)]) {
      expect(text).toMatch(/WITHHELD 1:|1 removal is withheld/u);
      expect(text).toMatch(/7 removals .{0,10}6 of them on the base already.{0,10} are more than the deletion budget/u);
      expect(text).toContain("Removals that wait on the base: 6");
    }
    expect(summarizePlan(report)).toBe("withholds 1 removal");
    const view = planView(planOf([...six, "c9"], six).planned, { links: forgeLinks(undefined) });
    expect(view.withheld.map(({ cluster }) => cluster)).toEqual(["prod/c9"]);
    expect(view.waitingOnBase.map(({ object }) => object)).toEqual(six.map((name) => `Cluster/prod/${name}`));
    expect(view.notes).toEqual(report.notes);
  });

  it("shows apart a token whose deletion waits on the base", () => {
    const token: KubeObject = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterRegistrationToken",
      metadata: {
        name: "door",
        namespace: "prod",
        uid: "uid-door",
        labels: { "rollcall.dev/repository": label },
        managedFields: live("c1").metadata.managedFields ?? [],
      },
    };
    const holds = { wasAppliedBefore: false };
    const onBase = new Set([describeRef(refOf(resourceTypes.clusterRegistrationToken, token))]);
    const of = (base?: ReadonlySet<string>) =>
      planView(markOnBase(plan(fleetOf(), [token], { holds }), base ?? new Set()), {
        links: forgeLinks(undefined),
      });
    expect(of()).toMatchObject({ heldDeletes: [{ object: [...onBase][0] }], waitingOnBase: [] });
    expect(of(onBase)).toMatchObject({ heldDeletes: [], waitingOnBase: [{ object: [...onBase][0] }] });
  });

  it("that counts on a trailer names which ways of merging keep it", () => {
    const report = review(["c1", "c2", "c3"], [], 3);
    expect(report.counts.remove).toBe(3);
    expect(report.notes.join()).toMatch(/merge commit.*rebase.*squash drops it/u);
  });
});

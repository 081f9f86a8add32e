import { describe, expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { ClusterLabels } from "../../../src/model/generated/cluster-labels.ts";
import { removalId } from "../../../src/planning/plan-removals.ts";
import { approvableRemovals } from "../../../src/planning/plan-fleet.ts";
import { declared, fleetOf, label, live, plan, summarize } from "./plan-builders.ts";

const kinds = ({ removals }: ReturnType<typeof plan>) => removals.map(({ kind, cluster }) => `${kind} ${cluster}`);
const rule = (labels: Record<string, string>): Declared<ClusterLabels> => ({
  object: {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterLabels",
    metadata: { name: "tiers" },
    spec: { selector: {}, labels },
  },
  position: { file: "rules/tiers.yaml", line: 1, column: 1 },
  blobId: "rule",
});

describe("planRemovals", () => {
  it("removes nothing of another Repository, and nothing that git never applied", () => {
    const foreign = live("a", { labels: { "rollcall.dev/repository": "other.fleet" } });
    const newcomer = live("b");
    newcomer.metadata.managedFields = [{ manager: "rollcall-hub", operation: "Apply", fieldsV1: {} }];
    const planned = plan(fleetOf(declared("x")), [foreign, newcomer, live("x")]);
    expect([kinds(planned), planned.withheld, planned.changes]).toEqual([[], [], []]);
  });

  it("removes a cluster once: one that leaves already, or is being deleted, is no further removal", () => {
    const leaving = live("a", { annotations: { "rollcall.dev/leave": "c1" } });
    const deleted = live("b");
    deleted.metadata.deletionTimestamp = "2027-01-01T00:00:00Z";
    const planned = plan(fleetOf(declared("x")), [leaving, deleted, live("x")]);
    expect([kinds(planned), planned.withheld]).toEqual([[], []]);
  });

  it("counts nothing of a suspended cluster: its leave waits, its labels and protocol stay", () => {
    const annotations = { "rollcall.dev/reconcile": "disabled" };
    const objects = [
      live("gone", { annotations }),
      live("protocol", { annotations }),
      live("label", { annotations, labels: { tier: "gold" } }),
    ];
    const fleet = fleetOf(declared("protocol", { protocol: "fleet" }), declared("label"));
    const planned = plan(fleet, objects, { budget: { minimum: 9 } });
    expect([kinds(planned), planned.changes, planned.account.charges]).toEqual([[], [], []]);
    expect(planned.withheld).toMatchObject([{ kind: "leave", cluster: "prod/gone", because: "suspended" }]);
    const resumed = plan(fleet, [live("gone")], { budget: { minimum: 9 } });
    expect(kinds(resumed)).toEqual(["leave prod/gone"]);
  });

  it("takes the mark of a leave from a suspended cluster whose file is back, and changes nothing else of it", () => {
    const annotations = { "rollcall.dev/reconcile": "disabled", "rollcall.dev/leave": "c1" };
    const labels = { tier: "gold" };
    const planned = plan(fleetOf(declared("a")), [live("a", { annotations, labels })]);
    expect(planned.changes).toMatchObject([
      { kind: "update", fields: [], patchAnnotations: { "rollcall.dev/leave": null }, resourceVersion: "7" },
    ]);
    expect(planned.changes[0]).not.toHaveProperty("patchAnnotations.rollcall.dev/revoked");
    const begun = { ...live("a", { annotations }), status: { leave: { phase: "Revoking" } } };
    const foreign = live("a", { annotations, labels: { "rollcall.dev/repository": "other.fleet" } });
    for (const object of [begun, foreign]) expect(plan(fleetOf(declared("a")), [object]).changes).toEqual([]);
  });

  it("names the file that declared the cluster, if the hub knows it", () => {
    const unknown = live("b");
    delete unknown.metadata.annotations;
    const planned = plan(fleetOf(), [live("a"), unknown], { budget: { minimum: 2 }, holds: { hasDocuments: true } });
    expect(planned.removals).toEqual([
      {
        kind: "leave",
        cluster: "prod/a",
        reason: "clusters/a.yaml no longer declares it",
        uid: "uid-a",
        file: "clusters/a.yaml",
      },
      { kind: "leave", cluster: "prod/b", reason: "its file no longer declares it", uid: "uid-b" },
    ]);
  });

  it("counts a change of protocol and a label that a rule takes away, and no other change", () => {
    const labels = { tier: "gold", zone: "z1" };
    const objects = [
      live("protocol"),
      live("label", { labels }),
      live("changed", { labels: { tier: "silver" } }),
      live("same"),
      live("given"),
    ];
    const fleet = {
      ...fleetOf(
        declared("protocol", { protocol: "fleet" }),
        declared("label", {}, { zone: "z1" }),
        declared("changed", {}, { tier: "gold" }),
        declared("same"),
        declared("given", {}, { zone: "z2" }),
      ),
    };
    const planned = plan(fleet, objects, { budget: { minimum: 9 } });
    expect(planned.removals).toEqual([
      expect.objectContaining({
        kind: "protocol",
        cluster: "prod/protocol",
        reason: "protocol changes from rollcall to fleet",
      }),
      expect.objectContaining({ kind: "label", cluster: "prod/label", reason: "rules take its label tier" }),
    ]);
  });

  it("takes a label that the changed file itself no longer has for no removal", () => {
    const objects = [live("a", { labels: { tier: "gold" } })];
    const holds = { changedFiles: new Set(["clusters/a.yaml"]) };
    expect(kinds(plan(fleetOf(declared("a")), objects, { holds }))).toEqual([]);
    expect(kinds(plan(fleetOf(declared("a")), objects))).toEqual(["label prod/a"]);
  });

  it("keeps a label that two rules contest, without a removal", () => {
    const other: Declared<ClusterLabels> = {
      ...rule({ tier: "b" }),
      position: { file: "rules/b.yaml", line: 1, column: 1 },
    };
    const fleet = { ...fleetOf(declared("a")), labelRules: [rule({ tier: "a" }), other] };
    const planned = plan(fleet, [live("a", { labels: { tier: "a" } })]);
    expect(kinds(planned)).toEqual([]);
  });

  it("lets no approval mean a removal that a file with errors may not ask for", () => {
    const objects = [live("a"), live("b")];
    const inputsOf = (brokenFiles: readonly string[]) => ({
      repositoryLabel: label,
      fleet: fleetOf(declared("x")),
      problems: [],
      recentRemovals: 0,
      rememberedLabels: () => undefined,
      holds: {
        hasDocuments: true,
        brokenFiles: new Set(brokenFiles),
        brokenObjects: new Set<string>(),
        hasUnidentifiedNewFile: false,
        files: new Set<string>(),
        changedFiles: new Set<string>(),
        wasAppliedBefore: true,
        isForeignHistory: false,
        isApproved: false,
      },
      observed: { isComplete: true, get: () => undefined, list: () => objects, isWorkspace: () => true },
    });
    expect(approvableRemovals(inputsOf([])).size).toBe(2);
    const [only, ...others] = approvableRemovals(inputsOf(["clusters/a.yaml"]));
    expect(others).toEqual([]);
    expect(only).toBe(removalId({ kind: "leave", cluster: "prod/b", reason: "", uid: "uid-b" }));
  });
});

describe("a previous name that no cluster has", () => {
  const misspelt = declared("new", { previousName: "odl" });

  it("holds each leave, and lets other removals through", () => {
    const objects = [live("old"), live("label", { labels: { tier: "gold" } })];
    const planned = plan(fleetOf(misspelt, declared("label")), objects, { budget: { minimum: 5 } });
    expect(kinds(planned)).toEqual(["label prod/label"]);
    expect(planned.withheld).toMatchObject([{ cluster: "prod/old", because: "held-by-bad-file" }]);
    expect(summarize(planned)).not.toContain("create prod/new");
  });

  it("holds nothing where only labels or protocols would go", () => {
    const planned = plan(fleetOf(misspelt, declared("label")), [live("label", { labels: { tier: "gold" } })]);
    expect(kinds(planned)).toEqual(["label prod/label"]);
    expect(summarize(planned)).toContain("create prod/new");
    expect(planned.problems).toMatchObject([{ code: "E_REFERENCE", severity: "warning" }]);
  });
});

describe("removalId", () => {
  const leave = { kind: "leave", cluster: "prod/a", reason: "a.yaml no longer declares it", uid: "u" } as const;
  it("is the same whichever file declared the cluster, and another for another object, kind or label", () => {
    expect(removalId({ ...leave, reason: "b.yaml no longer declares it" })).toBe(removalId(leave));
    const tier = { ...leave, kind: "label", reason: "rules take its label tier" } as const;
    const others = [
      { ...leave, uid: "v" },
      { ...leave, cluster: "prod/b" },
      tier,
      { ...tier, reason: "rules take its label zone" },
    ];
    expect(new Set([leave, ...others].map(removalId)).size).toBe(5);
    expect(removalId(leave)).toMatch(/^[0-9a-f]{16}$/u);
  });
});

import { describe, expect, it } from "vitest";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { RevertedEdits } from "../../../src/reconcile/reverted-edits.ts";

const ref = { type: resourceTypes.memberCluster, name: "eu-1" };

/** A MemberCluster; `byHand` names the fields of the spec that kubectl owns. */
function member(spec: Record<string, number>, byHand: readonly string[] = [], uid = "first"): KubeObject {
  const fields = Object.fromEntries(byHand.map((field) => [`f:${field}`, {}]));
  const entry = { manager: "kubectl-patch", operation: "Update" as const, fieldsV1: { "f:spec": fields } };
  const managedFields = byHand.length === 0 ? [] : [entry];
  const labels = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": "prod" };
  const metadata = { name: "eu-1", uid, labels, managedFields };
  return { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster", metadata, spec };
}

const git = member({ period: 60 });
const edited = member({ period: 30 }, ["period"]);
const change: ViewChange = { ref, before: git, object: edited, isPlanned: false };
const period = { path: ["spec", "period"], manager: "kubectl-patch", value: 30 };

describe("RevertedEdits", () => {
  it("keeps what kubectl set after the hub has reverted it", () => {
    const edits = new RevertedEdits();
    edits.record(change);
    edits.record({ ...change, before: edited, object: git });
    expect(edits.of(git)).toEqual([period]);
    edits.forget(git);
    expect(edits.of(git)).toEqual([]);
  });

  it("keeps an earlier edit beside a later one", () => {
    const edits = new RevertedEdits();
    edits.record(change);
    edits.record({ ...change, before: git, object: member({ period: 60, weight: 2 }, ["weight"]) });
    expect(edits.of(git).map(({ path }) => path)).toEqual([
      ["spec", "period"],
      ["spec", "weight"],
    ]);
  });

  it.each<[string, Partial<ViewChange>]>([
    ["what this process wrote", { isPlanned: true }],
    ["a new object", { before: undefined }],
    ["an object that was created again", { before: member({ period: 60 }, [], "other") }],
    ["an object without a file", { object: { ...edited, metadata: { ...edited.metadata, labels: {} } } }],
  ])("does not keep %s", (_what, changes) => {
    const edits = new RevertedEdits();
    edits.record({ ...change, ...changes });
    expect(edits.of(git)).toEqual([]);
  });

  it("does not keep what was set on an object of our own kinds, which the plan reverts", () => {
    const asCluster = (object: KubeObject): KubeObject => ({
      ...object,
      ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster" },
    });
    const edits = new RevertedEdits();
    const place = { type: resourceTypes.cluster, name: "eu-1" };
    edits.record({ ref: place, before: asCluster(git), object: asCluster(edited), isPlanned: false });
    expect(edits.of(asCluster(git))).toEqual([]);
  });

  it("keeps the last value of a field that was set twice", () => {
    const edits = new RevertedEdits();
    edits.record(change);
    edits.record({ ...change, object: member({ period: 20 }, ["period"]) });
    expect(edits.of(git)).toEqual([{ ...period, value: 20 }]);
  });

  it("has nothing of another object of that name, nor of a kind that is not known", () => {
    const edits = new RevertedEdits();
    edits.record(change);
    expect(edits.of(member({ period: 60 }, [], "other"))).toEqual([]);
    const unknown: KubeObject = { ...git, apiVersion: "example.org/v1", kind: "Thing" };
    edits.forget(unknown);
    expect([edits.of(unknown), edits.of(git)]).toEqual([[], [period]]);
  });

  it("keeps the edits of a thousand objects, and further ones only of these", () => {
    const edits = new RevertedEdits();
    const named = (object: KubeObject, name: string): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, name },
    });
    const record = (name: string, object: KubeObject): void =>
      edits.record({ ref: { ...ref, name }, before: named(git, name), object: named(object, name), isPlanned: false });
    for (let index = 0; index < 1000; index += 1) record(`m-${index}`, edited);
    record("one-too-many", edited);
    record("m-0", member({ period: 60, weight: 2 }, ["weight"]));
    const countOf = (name: string): number => edits.of(named(git, name)).length;
    expect(["m-0", "m-999", "one-too-many"].map(countOf)).toEqual([2, 1, 0]);
  });

  it("forgets an object that is deleted", () => {
    const edits = new RevertedEdits();
    edits.record(change);
    edits.record({ ...change, before: edited, object: undefined });
    expect(edits.of(git)).toEqual([]);
  });
});

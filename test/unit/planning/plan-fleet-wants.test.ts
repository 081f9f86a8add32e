import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { countOwned, removalSources, wantedRemovals } from "../../../src/planning/plan-fleet.ts";
import { approval, declared, fleetOf, inputsOf, label, live, many, plan, summarize } from "./plan-builders.ts";

const commit = "d".repeat(40);

/** The same of another kind; git owns it as it owns a Cluster. */
function liveOf(kind: string, name: string, more: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const { metadata } = live(name);
  const apiVersion = kind === "Secret" ? "v1" : "rollcall.dev/v1alpha1";
  return { apiVersion, kind, metadata: { ...metadata, ...more } };
}

/** One that a user wrote on the hub, with the label of the repository. */
const byHand = (name: string): KubeObject => {
  const object = live(name);
  object.metadata.managedFields = [{ manager: "kubectl", operation: "Update", fieldsV1: {} }];
  return object;
};

const ofOthers = (name: string): KubeObject => live(name, { labels: { "rollcall.dev/repository": "other.fleet" } });

describe("what a fleet wants removed", () => {
  it("is each cluster and other object without a file, also one that is held", () => {
    const objects = [
      live("a"),
      live("b"),
      live("c", { annotations: { "rollcall.dev/source-file": "broken.yaml" } }),
      liveOf("ClusterGroup", "g"),
      liveOf("Secret", "s"),
      ofOthers("d"),
    ];
    const inputs = inputsOf(fleetOf(declared("a")), objects, { holds: { brokenFiles: new Set(["broken.yaml"]) } });
    const wanted = [...wantedRemovals(inputs)];
    expect(wanted.filter((id) => id.includes("/"))).toEqual(["ClusterGroup/prod/g", "Secret/prod/s"]);
    expect(wanted.filter((id) => /^[0-9a-f]{16}$/u.test(id))).toHaveLength(2);
    expect(wanted).toHaveLength(4);
    expect(new Set(wanted)).toEqual(new Set([...removalsOf(inputs), "ClusterGroup/prod/g", "Secret/prod/s"]));
  });

  it("has a source where the hub records the commit that a cluster was applied from", () => {
    const annotations = { "rollcall.dev/source-commit": commit };
    const bare = live("bare");
    delete bare.metadata.annotations;
    const inputs = inputsOf(fleetOf(declared("a", {}, {})), [
      live("a", { annotations }),
      live("b", { annotations }),
      live("no-commit"),
      bare,
    ]);
    expect([...removalSources(inputs).values()]).toEqual([{ cluster: "prod/b", commit }]);
    expect([...removalSources(inputs).keys()].every((id) => wantedRemovals(inputs).has(id))).toBe(true);
    const held = inputsOf(fleetOf(declared("a")), [live("b", { annotations })], {
      holds: { brokenFiles: new Set(["clusters/b.yaml"]) },
    });
    expect([...removalSources(held).values()]).toEqual([{ cluster: "prod/b", commit }]);
  });

  function removalsOf(inputs: ReturnType<typeof inputsOf>): string[] {
    return [...wantedRemovals(inputs)].filter((id) => !id.includes("/"));
  }
});

describe("countOwned", () => {
  it("counts what carries the label of the repository and was applied by git", () => {
    const { observed } = inputsOf(fleetOf(), [live("a"), live("b"), byHand("c"), ofOthers("d"), liveOf("Secret", "s")]);
    expect(countOwned({ observed, repositoryLabel: label })).toBe(2);
  });
});

describe("planFleet", () => {
  it("names the range of commits, and none of a work tree", () => {
    expect(plan(fleetOf(declared("a")), [])).toMatchObject({ commit: "c2", base: "c1" });
    const inWorkTree = plan(fleetOf(declared("a")), [], { commit: undefined, base: undefined });
    expect(Object.keys(inWorkTree)).not.toEqual(expect.arrayContaining(["commit"]));
    expect(Object.keys(inWorkTree)).not.toEqual(expect.arrayContaining(["base"]));
  });

  it("has problems by file and place", () => {
    const at = (file: string, line: number): Problem => ({
      code: "E_SCHEMA",
      severity: "error",
      file,
      line,
      column: 1,
      message: "m",
    });
    const { problems } = plan(fleetOf(), [], { problems: [at("b.yaml", 1), at("a.yaml", 7), at("a.yaml", 2)] });
    expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual(["a.yaml:2", "a.yaml:7", "b.yaml:1"]);
  });

  it("deletes no token, group or Secret that another writer made, or that is being deleted", () => {
    const fromOthers = liveOf("ClusterGroup", "other", { labels: { "rollcall.dev/repository": "other.fleet" } });
    const leaving = liveOf("ClusterGroup", "leaving", { deletionTimestamp: "2026-11-01T00:00:00Z" });
    const manual = liveOf("ClusterGroup", "manual", { managedFields: [] });
    const objects = [fromOthers, leaving, manual, liveOf("ClusterGroup", "mine")];
    expect(summarize(plan(fleetOf(), objects, { holds: { hasDocuments: true } }))).toEqual(["delete prod/mine"]);
  });

  it("names the file that no longer declares an object, or none where the hub does not know it", () => {
    const unknown = liveOf("ClusterGroup", "unknown", { annotations: {} });
    const { changes } = plan(fleetOf(declared("a")), [live("a"), unknown, liveOf("ClusterGroup", "known")]);
    expect(changes).toStrictEqual([
      deletion("unknown", "its file no longer declares it"),
      deletion("known", "clusters/known.yaml no longer declares it"),
    ]);
    const held = plan(fleetOf(declared("a")), [live("a"), unknown, liveOf("ClusterGroup", "known")], {
      holds: { brokenFiles: new Set(["clusters/known.yaml"]), brokenObjects: new Set(["ClusterGroup/prod/unknown"]) },
    }).heldDeletes;
    expect(held.map(({ ref, file }) => [ref.name, file])).toEqual([
      ["unknown", undefined],
      ["known", "clusters/known.yaml"],
    ]);
    expect(held.map((item) => Object.hasOwn(item, "file"))).toEqual([false, true]);
  });

  function deletion(name: string, reason: string) {
    const ref = { type: resourceTypes.clusterGroup, namespace: "prod", name };
    return { kind: "delete", ref, uid: `uid-${name}`, resourceVersion: "7", reason };
  }

  it("keeps the kubeconfig of a cluster that leaves, and of none that stays", () => {
    const kubeconfig = (name: string) => ({ kubeConfigSecretRef: { name: `${name}-kubeconfig`, key: "value" } });
    const objects = ["stays", "leaves"].flatMap((name) => [
      live(name, { spec: kubeconfig(name) }),
      liveOf("Secret", `${name}-kubeconfig`),
    ]);
    const bare = live("bare");
    delete bare["spec"];
    const { changes } = plan(fleetOf(declared("stays", kubeconfig("stays"))), [...objects, bare]);
    const deleted = changes.filter(({ kind }) => kind === "delete").map(({ ref }) => ref.name);
    expect(deleted).toEqual(["stays-kubeconfig"]);
  });
});

describe("an approval that lifts a hold", () => {
  const fleet = fleetOf(...many.slice(0, 15).map((name) => declared(name)));
  const objects = many.map((name) => live(name));
  const held = { wasAppliedBefore: false, isApproved: true };

  it("lets through as many removals as it covers, and none where more are wanted", () => {
    expect(plan(fleet, objects, { holds: held, approvals: [approval(5)] }).removals).toHaveLength(5);
    const few = plan(fleet, objects, { holds: held, approvals: [approval(4)], budget: { minimum: 10 } });
    expect([few.removals.length, few.withheld.length]).toEqual([0, 5]);
  });

  it("is of no effect on a history that was applied before: there the budget decides", () => {
    const holds = { wasAppliedBefore: true, isApproved: true };
    const options = { holds, approvals: [approval(4)], budget: { minimum: 10 } };
    expect(plan(fleet, objects, options).removals).toHaveLength(5);
    const foreign = { ...options, holds: { ...holds, isForeignHistory: true } };
    expect(plan(fleet, objects, foreign).removals).toHaveLength(0);
  });
});

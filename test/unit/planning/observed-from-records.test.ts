import { describe, expect, it } from "vitest";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import type { TokenRecord } from "../../../src/model/generated/token-record.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import type { DesiredObject } from "../../../src/planning/desired-objects.ts";
import { observedFromRecords, rememberedLabelsOf } from "../../../src/planning/observed-from-records.ts";
import { isAppliedBy } from "../../../src/planning/owned-fields.ts";

const { cluster, clusterGroup, clusterRegistrationToken } = resourceTypes;

function desired(type: typeof cluster, name: string, rest: Partial<KubeObject> = {}): DesiredObject {
  const { metadata, ...fields } = rest;
  const object = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: type.kind,
    ...fields,
    metadata: { name, namespace: "fleet", labels: { [labelKeys.repository]: "fleet.r" }, ...metadata },
  };
  return { ref: { type, namespace: "fleet", name }, object } as unknown as DesiredObject;
}

function record(name: string, rest: Partial<ClusterRecord> = {}): ClusterRecord {
  return { metadata: { name, namespace: "fleet" }, protocol: "rollcall", ...rest } as unknown as ClusterRecord;
}

interface Given {
  readonly desired?: readonly DesiredObject[];
  readonly clusters?: readonly ClusterRecord[];
  readonly tokens?: readonly TokenRecord[];
  readonly isAllThere?: boolean;
}

function observe({ desired: wanted = [], clusters = [], tokens = [], isAllThere = false }: Given) {
  return observedFromRecords({ desired: wanted, clusters, tokens, isAllThere, repositoryLabel: "fleet.r" });
}

const clusterOf = (given: Given): KubeObject | undefined =>
  observe(given).get({ type: cluster, namespace: "fleet", name: "a" });

describe("the hub as records describe it", () => {
  const wanted = [desired(cluster, "a"), desired(clusterRegistrationToken, "t"), desired(clusterGroup, "g")];
  const token = { metadata: { name: "t", namespace: "fleet" } } as unknown as TokenRecord;

  it.each([
    { reason: "nothing is on record", given: {}, is: [0, 0, 1] },
    { reason: "the plan starts from the commit", given: { isAllThere: true }, is: [1, 1, 1] },
    { reason: "both are on record", given: { clusters: [record("a")], tokens: [token] }, is: [1, 1, 1] },
  ])("has so many clusters, tokens and groups when $reason: $is", ({ given, is }) => {
    const observed = observe({ desired: wanted, ...given });
    expect([cluster, clusterRegistrationToken, clusterGroup].map((type) => observed.list(type).length)).toEqual(is);
    expect([observed.isComplete, observed.isWorkspace("any")]).toEqual([true, true]);
  });

  it("has what was applied, with defaults and its owner", () => {
    const seen = clusterOf({ desired: [desired(cluster, "a", { spec: { clientID: "a" } })], clusters: [record("a")] });
    expect(seen?.["spec"]).toMatchObject({ clientID: "a", protocol: "rollcall" });
    expect(seen?.metadata.managedFields?.[0]).toMatchObject({
      manager: "rollcall-git",
      fieldsV1: {
        "f:metadata": { "f:labels": { [`f:${labelKeys.repository}`]: {} } },
        "f:spec": { "f:clientID": {} },
      },
    });
  });

  it("has labels of tokens and agents beside those of files and rules, which win", () => {
    const labels = {
      a: { value: "1", owner: "File" },
      b: { value: "2", owner: "Rule" },
      c: { value: "3", owner: "Token" },
      d: { value: "4", owner: "Agent" },
    } as unknown as NonNullable<ClusterRecord["labels"]>;
    const seen = clusterOf({ desired: [desired(cluster, "a")], clusters: [record("a", { labels })] });
    expect(seen?.metadata.labels).toEqual({ a: "1", b: "2", c: "3", d: "4", [labelKeys.repository]: "fleet.r" });
    expect(rememberedLabelsOf(record("a", { labels }))).toEqual({ token: { c: "3" }, agent: { d: "4" } });
    expect(rememberedLabelsOf(record("a"))).toBeUndefined();
  });

  it("has what is held back as it was", () => {
    const held = { spec: { clientID: "before" }, annotations: { x: "1" } } as unknown as NonNullable<
      ClusterRecord["held"]
    >;
    const given = {
      desired: [desired(cluster, "a", { spec: { clientID: "after" } })],
      clusters: [record("a", { held })],
    };
    expect(clusterOf(given)).toMatchObject({ spec: { clientID: "before" }, metadata: { annotations: { x: "1" } } });
  });
});

describe("a cluster that no file wants", () => {
  it.each([
    { reason: "a file declared it", source: { file: "a.yaml" }, isGits: true },
    { reason: "it came in by a token", source: undefined, isGits: false },
  ])("is git's: $isGits, when $reason", ({ source, isGits }) => {
    const seen = clusterOf({ clusters: [record("a", source ? { source } : {})] });
    expect([isAppliedBy(seen as KubeObject, "rollcall-git"), isAppliedBy(seen as KubeObject, "rollcall-hub")]).toEqual([
      isGits,
      !isGits,
    ]);
    expect(seen?.metadata.labels).toEqual({ [labelKeys.repository]: "fleet.r" });
  });

  it.each([
    { given: {}, spec: { protocol: "rollcall" } },
    { given: { protocol: "fleet" as const }, spec: { protocol: "fleet" } },
    { given: { held: { spec: { clientID: "x" } } }, spec: { clientID: "x" } },
  ])("has the spec $spec of $given", ({ given, spec }) => {
    expect(clusterOf({ clusters: [record("a", given as Partial<ClusterRecord>)] })?.["spec"]).toMatchObject(spec);
  });

  it("shows its file, leave, suspension and revocation, and its agent", () => {
    const given = {
      source: { file: "a.yaml", commit: "c0ffee" },
      leave: { commit: "beef" },
      suspended: true,
      revoked: { blob: "b", by: "ann", time: "t" },
      agent: { version: "1.0.0" },
    } as unknown as Partial<ClusterRecord>;
    const seen = clusterOf({ clusters: [record("a", given)] });
    expect(seen?.metadata.annotations).toEqual({
      [annotationKeys.sourceFile]: "a.yaml",
      [annotationKeys.sourceCommit]: "c0ffee",
      [annotationKeys.leave]: "beef",
      [annotationKeys.reconcile]: "disabled",
      [annotationKeys.revoked]: "b/ann/t",
    });
    expect(seen?.["status"]).toEqual({ agent: { version: "1.0.0" } });
    const bare = clusterOf({ clusters: [record("a", { leave: {}, suspended: false, revoked: {} })] });
    expect(bare?.metadata.annotations).toEqual({ [annotationKeys.leave]: "", [annotationKeys.revoked]: "-//" });
    expect(bare).not.toHaveProperty("status");
  });

  it.each([
    { source: undefined, annotations: {} },
    { source: { file: "t.yaml" }, annotations: { [annotationKeys.sourceFile]: "t.yaml" } },
  ])("is there beside a token that no file wants, with $annotations", ({ source, annotations }) => {
    const token = {
      metadata: { name: "t", namespace: "fleet" },
      ...(source ? { source } : {}),
    } as unknown as TokenRecord;
    const seen = observe({ tokens: [token] }).get({ type: clusterRegistrationToken, namespace: "fleet", name: "t" });
    expect(seen?.metadata).toMatchObject({ labels: { [labelKeys.repository]: "fleet.r" }, annotations });
    expect(Object.keys(seen?.metadata.annotations ?? {})).toEqual(Object.keys(annotations));
  });
});

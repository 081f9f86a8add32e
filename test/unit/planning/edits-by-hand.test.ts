import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import {
  describeEdit,
  describeEdits,
  describeNotInGit,
  editsByHand,
  isFromGit,
  isMadeByHand,
  withoutEditsByHand,
} from "../../../src/planning/edits-by-hand.ts";

function owned(manager: string, fieldsV1: JsonObject, subresource?: string) {
  const operation = manager.startsWith("rollcall-") ? ("Apply" as const) : ("Update" as const);
  return { manager, operation, fieldsV1, ...(subresource === undefined ? {} : { subresource }) };
}

function clusterWith(labels: Record<string, string>, spec: JsonObject, managedFields: readonly object[]) {
  const metadata = { name: "eu-1", namespace: "fleet", labels, managedFields };
  const object: unknown = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec };
  return object as Cluster & KubeObject;
}

const byGit = owned("rollcall-git", {
  "f:metadata": { "f:labels": { "f:env": {}, "f:rollcall.dev/repository": {} } },
  "f:spec": { "f:displayName": {}, "f:agent": { "f:image": {} }, "f:identity": {} },
});
const labels = { env: "prod", "rollcall.dev/repository": "a.b" };
const spec = { displayName: "EU", agent: { image: "own" }, identity: { keys: ["k"] }, protocol: "rollcall" };

describe("edits by hand", () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ["nobody but git", [byGit], []],
    [
      "a label",
      [byGit, owned("kubectl-label", { "f:metadata": { "f:labels": { "f:site": {} } } })],
      ["metadata.labels[site]"],
    ],
    ["a label of a file", [byGit, owned("x", { "f:metadata": { "f:labels": { ".": {}, "f:env": {} } } })], []],
    [
      "a field",
      [byGit, owned("x", { "f:spec": { "f:heartbeat": { "f:periodSeconds": {} } } })],
      ["spec.heartbeat.periodSeconds"],
    ],
    [
      "a field beside one of git's",
      [byGit, owned("x", { "f:spec": { "f:agent": { "f:version": {} } } })],
      ["spec.agent.version"],
    ],
    [
      "a field in one that git owns as a whole",
      [byGit, owned("x", { "f:spec": { "f:identity": { "f:keys": {} } } })],
      [],
    ],
    ["an annotation", [byGit, owned("x", { "f:metadata": { "f:annotations": { "f:a": {} } } })], []],
    ["a status", [byGit, owned("x", { "f:spec": { "f:protocol": {} } }, "status")], []],
    [
      "the hub and a command",
      [
        byGit,
        owned("rollcall-hub", { "f:spec": { "f:protocol": {} } }),
        owned("rollcall-operator", { "f:spec": { "f:paused": {} } }),
      ],
      [],
    ],
  ])("finds what %s wrote", (_, managedFields, found) => {
    const cluster = clusterWith({ ...labels, site: "x" }, spec, managedFields);
    expect(editsByHand(cluster).map(describeEdit)).toEqual(found);
  });

  it("names no default that the API server filled in", () => {
    const byHand = owned("kubectl-create", { "f:spec": { "f:paused": {}, "f:protocol": {} } });
    const live = clusterWith(labels, { paused: true, protocol: "rollcall" }, [byHand]);
    expect(describeEdits(live)).toMatch(/: spec\.paused \(kubectl-create\)\.$/u);
  });

  it("serves the Cluster without them, and with what is known where a value was replaced", () => {
    const byHand = owned("kubectl-edit", {
      "f:metadata": { "f:labels": { "f:site": {} } },
      "f:spec": { "f:paused": {}, "f:protocol": {} },
    });
    const live = clusterWith({ ...labels, site: "x" }, { ...spec, paused: true, protocol: "fleet" }, [byGit, byHand]);
    const served = withoutEditsByHand(live, { protocol: "kubefleet" });
    expect(served.metadata.labels).toEqual(labels);
    expect(served.spec).toEqual({ ...spec, protocol: "kubefleet" });
    expect(live.metadata.labels).toHaveProperty("site");
  });

  it("gives the same object back where nothing was edited, and for the same inputs", () => {
    const clean = clusterWith(labels, spec, [byGit]);
    expect(withoutEditsByHand(clean, undefined)).toBe(clean);
    const byHand = owned("x", { "f:spec": { "f:paused": {} } });
    const edited = clusterWith(labels, { ...spec, paused: true }, [byGit, byHand]);
    expect(withoutEditsByHand(edited, undefined)).toBe(withoutEditsByHand(edited, undefined));
  });

  it.each<[string, readonly object[], Record<string, string>, boolean]>([
    ["git's, with the label of its Repository", [byGit], labels, true],
    ["git's name alone", [byGit], { env: "prod" }, false],
    ["kubectl's", [owned("kubectl", {})], labels, false],
    ["written by git's manager with an update", [{ ...byGit, operation: "Update" }], labels, false],
  ])("is from git or not: %s", (_, managedFields, ofObject, expected) => {
    const live = clusterWith(ofObject, spec, managedFields);
    expect(isFromGit(live)).toBe(expected);
    expect(isMadeByHand({ cluster: live, state: undefined })).toBe(!expected);
    expect(isMadeByHand({ cluster: live, state: {} })).toBe(false);
  });

  it("knows a Cluster that a registration made", () => {
    const live = clusterWith({}, {}, [owned("rollcall-hub", {})]);
    expect(isMadeByHand({ cluster: live, state: undefined })).toBe(false);
  });
});

describe("what a message names of them", () => {
  const edited = (count: number) => {
    const keys = Array.from({ length: count }, (_, index) => `k${index}`);
    const fields = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
    const all = Object.fromEntries(keys.map((key) => [key, "x"]));
    return clusterWith({ ...labels, ...all }, spec, [byGit, owned("x", { "f:metadata": { "f:labels": fields } })]);
  };
  const named = (count: number): string =>
    Array.from({ length: count }, (_, index) => `metadata.labels[k${index}] (x)`).join(", ");

  it.each([
    [1, `${named(1)}.`],
    [10, `${named(10)}.`],
    [11, `${named(10)}, and 1 more.`],
    [14, `${named(10)}, and 4 more.`],
  ])("is ten at most: of %i", (count, list) => {
    expect(describeEdits(edited(count))).toBe(`No file has what was set on the hub, so it has no effect: ${list}`);
  });

  it("has 1,024 characters at most", () => {
    const key = `f:${"k".repeat(600)}`;
    const fields = { "f:metadata": { "f:labels": { [key]: {}, [`${key}2`]: {} } } };
    expect(describeEdits(clusterWith(labels, spec, [byGit, owned("x", fields)]))).toHaveLength(1024);
  });

  it("names the place of an object with its namespace, where it has one", () => {
    const group = (metadata: object) =>
      ({ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterGroup", metadata }) as KubeObject;
    expect(describeNotInGit(group({ name: "g", namespace: "fleet" }), "it is not served")).toContain(
      "delete fleet/g on",
    );
    expect(describeNotInGit(group({ name: "g" }), "it is not served")).toContain("delete g on");
  });
});

describe("a value that was replaced on the hub", () => {
  const byX = owned("x", { "f:spec": { "f:heartbeat": { "f:periodSeconds": {} }, "f:paused": {} } });
  const replaced = clusterWith(labels, { ...spec, heartbeat: { periodSeconds: 5, other: 1 }, paused: true }, [
    byGit,
    byX,
  ]);

  it("is what is known of it, and left out where nothing is", () => {
    expect(withoutEditsByHand(replaced, { heartbeat: { periodSeconds: 60 } }).spec).toEqual({
      ...spec,
      heartbeat: { periodSeconds: 60, other: 1 },
    });
    expect(withoutEditsByHand(replaced).spec).toEqual({ ...spec, heartbeat: { other: 1 } });
  });

  it("is not put where the object has no such field", () => {
    const without = clusterWith(labels, { ...spec, heartbeat: "text" }, [byGit, byX]);
    expect(
      withoutEditsByHand(without, { paused: true, heartbeat: "known" } as unknown as Cluster["spec"]).spec,
    ).toEqual({ ...spec, heartbeat: "known" });
  });
});

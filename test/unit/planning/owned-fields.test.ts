import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { diffOwnedFields, isAppliedBy } from "../../../src/planning/owned-fields.ts";

const manager = "rollcall-git";

function live(fields: Record<string, unknown>, owned: Record<string, unknown>): KubeObject {
  const { metadata, ...rest } = fields;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name: "eu-1",
      ...(metadata as Record<string, unknown>),
      managedFields: [{ manager, operation: "Apply", fieldsV1: owned as never }],
    },
    ...rest,
  };
}

function desired(fields: Record<string, unknown>): KubeObject {
  const { metadata, ...rest } = fields;
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", ...(metadata as Record<string, unknown>) },
    ...rest,
  };
}

describe("diffOwnedFields", () => {
  it("is empty when every wanted field is there, owned, and nothing else is owned", () => {
    const object = live(
      { spec: { protocol: "rollcall", displayName: "EU" }, metadata: { labels: { env: "prod", other: "x" } } },
      { "f:spec": { "f:displayName": {} }, "f:metadata": { "f:labels": { "f:env": {} } } },
    );
    const wanted = desired({ spec: { displayName: "EU" }, metadata: { labels: { env: "prod" } } });
    expect(diffOwnedFields(wanted, object, { manager })).toEqual([]);
  });

  it("names a changed value, an owned field wanted no more, and a value that another manager owns", () => {
    const object = live(
      { spec: { displayName: "EU", clientID: "a", paused: true }, metadata: { labels: { env: "dev", region: "eu" } } },
      {
        "f:spec": { "f:displayName": {}, "f:clientID": {} },
        "f:metadata": { "f:labels": { "f:env": {}, "f:region": {} } },
      },
    );
    const wanted = desired({ spec: { displayName: "EU", paused: true }, metadata: { labels: { env: "prod" } } });
    expect(diffOwnedFields(wanted, object, { manager })).toEqual([
      { path: "spec.paused", from: true, to: true },
      { path: "spec.clientID", from: "a" },
      { path: "metadata.labels[env]", from: "dev", to: "prod" },
      { path: "metadata.labels[region]", from: "eu" },
    ]);
  });

  it("ignores an owned field that is removed already", () => {
    const object = live(
      { spec: { displayName: "EU" } },
      { "f:spec": { "f:displayName": {}, "f:agent": { "f:image": {} } } },
    );
    expect(diffOwnedFields(desired({ spec: { displayName: "EU" } }), object, { manager })).toEqual([]);
  });

  it("never writes for provenance alone", () => {
    const object = live(
      { metadata: { annotations: { "rollcall.dev/source-line": "3" } } },
      { "f:metadata": { "f:annotations": { "f:rollcall.dev/source-line": {} } } },
    );
    const wanted = desired({ metadata: { annotations: { "rollcall.dev/source-line": "9" } } });
    expect(diffOwnedFields(wanted, object, { manager })).toEqual([]);
  });

  it("compares list maps item by item and tolerates defaulted fields and foreign items", () => {
    const owned = {
      "f:spec": { "f:taints": { 'k:{"effect":"NoSchedule","key":"a"}': { ".": {}, "f:key": {}, "f:effect": {} } } },
    };
    const object = live(
      {
        spec: {
          taints: [
            { key: "z", effect: "NoSchedule" },
            { key: "a", effect: "NoSchedule", value: "" },
          ],
        },
      },
      owned,
    );
    const same = desired({ spec: { taints: [{ key: "a", effect: "NoSchedule" }] } });
    expect(diffOwnedFields(same, object, { manager })).toEqual([]);
    const other = desired({ spec: { taints: [{ key: "b", effect: "NoSchedule" }] } });
    expect(diffOwnedFields(other, object, { manager }).map(({ path }) => path)).toEqual(["spec.taints"]);
  });

  it("compares atomic lists as a whole", () => {
    const object = live({ spec: { keys: ["a", "b"] } }, { "f:spec": { "f:keys": {} } });
    expect(diffOwnedFields(desired({ spec: { keys: ["a", "b"] } }), object, { manager })).toEqual([]);
    expect(diffOwnedFields(desired({ spec: { keys: ["b", "a"] } }), object, { manager })).toHaveLength(1);
  });

  it("wants everything of an object that the manager never applied", () => {
    const object = live({ spec: { displayName: "EU" } }, {});
    object.metadata.managedFields = [];
    expect(isAppliedBy(object, manager)).toBe(false);
    expect(diffOwnedFields(desired({ spec: { displayName: "EU" } }), object, { manager })).toEqual([
      { path: "spec.displayName", from: "EU", to: "EU" },
    ]);
  });
});

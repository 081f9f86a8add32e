import { describe, expect, it } from "vitest";
import { parentManagersOf, scaleManagersOf } from "../../../../src/embedded-hub/apply/scale-managers.ts";
import type { ReplicasPaths } from "../../../../src/embedded-hub/apply/scale-managers.ts";
import { fieldElement } from "../../../../src/embedded-hub/apply/path-element.ts";
import type { ManagedFieldsEntry } from "../../../../src/model/kubernetes.ts";

const replicas = { "f:spec": { "f:replicas": {} } };
const size = { "f:spec": { "f:size": {} } };
const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

const paths: ReplicasPaths = {
  apiVersion: "a.b/v1",
  pathOf: (version) =>
    version === "a.b/v1"
      ? [fieldElement("spec"), fieldElement("size")]
      : version === "a.b/v2"
        ? [fieldElement("spec"), fieldElement("replicas")]
        : version === "a.b/v0"
          ? "none"
          : undefined,
};

function entry(manager: string, changes: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return {
    ...{ manager, operation: "Apply", apiVersion: "a.b/v1", time: "2026-01-02T03:04:05Z" },
    ...{ fieldsType: "FieldsV1", fieldsV1: size },
    ...changes,
  };
}

const scaleEntry = (manager: string, changes: Partial<ManagedFieldsEntry> = {}) =>
  entry(manager, { apiVersion: "autoscaling/v1", fieldsV1: replicas, ...changes });

describe("scaleManagersOf", () => {
  it("are those that own the number, each by the path of its version", () => {
    const entries = [
      entry("anna"),
      entry("bert", { apiVersion: "a.b/v2", fieldsV1: { "f:spec": { "f:replicas": {}, "f:x": {} } } }),
      entry("carl", { apiVersion: "a.b/v2", fieldsV1: size }),
      entry("dora", { fieldsV1: { "f:spec": { "f:x": {} } } }),
      entry("emil", { apiVersion: "a.b/v0" }),
      entry("fred", { apiVersion: "a.b/v9" }),
    ];
    expect(scaleManagersOf(entries, paths)).toEqual([scaleEntry("anna"), scaleEntry("bert")]);
  });

  it("are none when no manager owns it, or the entries are malformed", () => {
    expect(scaleManagersOf([entry("a", { fieldsV1: fields("x") })], paths)).toBeUndefined();
    expect(scaleManagersOf(undefined, paths)).toBeUndefined();
    expect(scaleManagersOf([entry("a"), { manager: "b" }], paths)).toBeUndefined();
  });
});

describe("parentManagersOf", () => {
  it("takes the number from who lost it on the Scale, and leaves the rest of what it owns", () => {
    const wide = { "f:spec": { "f:size": {}, "f:x": {} } };
    const before = [entry("anna", { fieldsV1: wide }), entry("bert"), entry("carl", { fieldsV1: fields("y") })];
    expect(parentManagersOf(before, [], paths)).toEqual([
      entry("anna", { fieldsV1: { "f:spec": { "f:x": {} } } }),
      entry("carl", { fieldsV1: fields("y") }),
    ]);
  });

  it("leaves it to an applier that still has it there", () => {
    const wide = { "f:spec": { "f:size": {}, "f:x": {} } };
    const before = [entry("anna", { fieldsV1: wide })];
    const now = [scaleEntry("anna", { time: "2026-01-02T09:00:00Z" })];
    expect(parentManagersOf(before, now, paths)).toEqual(before);
  });

  it("gives it to who took it there, without a time and in the version of the request", () => {
    const now = [
      scaleEntry("kubectl", { operation: "Update", subresource: "scale", time: "2026-01-02T09:00:00Z" }),
      scaleEntry("odd", { fieldsV1: fields("other") }),
    ];
    const { time: _none, ...taken } = entry("kubectl", { operation: "Update", subresource: "scale" });
    expect(parentManagersOf([entry("anna")], now, paths)).toEqual([taken]);
  });

  it("keeps the time of an entry that the object had with the same key", () => {
    const before = [entry("anna", { fieldsV1: fields("y"), time: "2026-01-02T01:00:00Z" })];
    const now = [scaleEntry("anna", { time: "2026-01-02T09:00:00Z" })];
    expect(parentManagersOf(before, now, paths)).toEqual([entry("anna", { time: "2026-01-02T01:00:00Z" })]);
  });

  it("finds the number where each version has it", () => {
    const before = [
      entry("bert", { apiVersion: "a.b/v2", fieldsV1: replicas }),
      entry("carl", { apiVersion: "a.b/v2", fieldsV1: size }),
      entry("emil", { apiVersion: "a.b/v0" }),
      entry("fred", { apiVersion: "a.b/v9" }),
    ];
    expect(parentManagersOf(before, [], paths)).toEqual([before[1], before[2]]);
  });

  it("gives nothing of a version that has no such number", () => {
    const now = [scaleEntry("anna")];
    const before = [entry("carl", { fieldsV1: fields("y") })];
    expect(parentManagersOf(before, now, { ...paths, apiVersion: "a.b/v0" })).toEqual(before);
    expect(parentManagersOf(before, now, { ...paths, apiVersion: "a.b/v9" })).toEqual(before);
    expect(parentManagersOf(undefined, undefined, paths)).toBeUndefined();
  });
});

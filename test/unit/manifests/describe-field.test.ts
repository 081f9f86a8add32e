import { describe, expect, it } from "vitest";
import type { FieldDescription } from "../../../src/manifests/describe-field.ts";
import { describeField } from "../../../src/manifests/describe-field.ts";

function found(kind: string, place: string): FieldDescription {
  const result = describeField(kind, place === "" ? [] : place.split("."));
  if ("unknown" in result) throw new Error(`${kind} has no ${place}`);
  return result.found;
}

const labelKey =
  "an optional DNS prefix and a slash, then at most 63 letters, digits, hyphens, underscores and dots, " +
  "with a letter or digit at both ends";

describe("describeField", () => {
  it("describes everything of a field", () => {
    expect(describeField("Cluster", ["spec", "agent", "replicas"])).toStrictEqual({
      found: {
        name: "replicas",
        type: "integer",
        description: "How many Pods the agent runs; one of them leads.",
        isRequired: false,
        default: 1,
        allowed: ["1 to 5"],
        fields: [],
      },
    });
  });

  it("describes the fields below a field, and which of them must be there", () => {
    const { type, description, allowed, fields } = found("Cluster", "spec.taints");
    expect({ type, description, allowed }).toEqual({
      type: "[]object",
      description: "Marks that keep workloads away unless they tolerate them.",
      allowed: ["at most 100 items", "refused: two taints have the same key and effect"],
    });
    expect(fields.map(({ name, type, isRequired }) => `${name} ${type} ${isRequired}`)).toEqual([
      "key string true",
      "value string false",
      "effect string true",
    ]);
  });

  it("describes a kind by its own description and the fields of its files and its status", () => {
    const group = found("ClusterGroup", "");
    expect(group).toMatchObject({ name: "", type: "object", isRequired: true, allowed: [] });
    expect(group.description).toMatch(/^A named selection of clusters; /u);
    expect(group.fields.map(({ name }) => name)).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
  });

  it.each([
    { kind: "Policy", reason: "in files alone", fields: ["apiVersion", "kind", "metadata", "spec"] },
    { kind: "Repository", reason: "on the hub alone", fields: ["apiVersion", "kind", "metadata", "spec", "status"] },
    {
      kind: "StatusSignature",
      reason: "on the status branch",
      fields: ["apiVersion", "kind", "metadata", "hub", "repository", "epoch", "parent", "signature"],
    },
    { kind: "Unheard", reason: "nowhere", fields: [] },
  ])("knows the kind $kind, which is $reason", ({ kind, fields }) => {
    expect(found(kind, "").fields.map(({ name }) => name)).toEqual(fields);
  });

  it.each([
    ["Cluster", "status.nodes.ready", "integer", true],
    ["Cluster", "spec.taints.effect", "string", true],
    ["Cluster", "spec.agent.env", "[]object", false],
    ["Cluster", "spec.identity.keys", "[]string", false],
    ["Cluster", "metadata.labels", "map[string]string", false],
    ["Cluster", "metadata.labels.env", "string", false],
    ["Cluster", "spec.agent.resources.requests", "map[string]integer or string", false],
    ["Cluster", "spec.agent.resources.requests.cpu", "integer or string", false],
    ["ClusterRecord", "labels", "map[string]object", false],
    ["ClusterRecord", "labels.owner", "string", true],
    ["FleetSummary", "counts.byState", "map[string]integer", false],
    ["Repository", "spec.agentRollout.maxUnavailable", "integer or string", false],
    ["Unheard", "", "any", true],
  ])("describes %s.%s as %s, and whether it must be there: %s", (kind, place, type, isRequired) => {
    const field = found(kind, place);
    expect({ name: field.name, type: field.type, isRequired: field.isRequired }).toEqual({
      name: place.split(".").at(-1),
      type,
      isRequired,
    });
  });

  it.each([
    ["Cluster", "spec.protocol", ["rollcall, fleet, kubefleet, clusternet"]],
    ["Cluster", "spec.displayName", ["1 to 128 characters"]],
    ["Cluster", "spec.agent.env.value", ["at most 4096 characters"]],
    ["Cluster", "spec.agent.env.valueFrom", ["1 key"]],
    ["Cluster", "spec.agent.redeployGeneration", ["at least 0"]],
    ["Cluster", "spec.fleet.agentSchedulingCustomization.priorityClass.value", ["-2147483648 to 1000000000"]],
    ["Policy", "spec.rules", ["1 to 50 items"]],
    ["Cluster", "spec.identity", []],
    [
      "Cluster",
      "spec.identity.keys",
      ["at most 5 items", "at most 71 characters", "sha256: and 64 hexadecimal digits in lower case"],
    ],
    ["Cluster", "status.apiServer.url", ["at most 2048 characters", "what ^https?://[^\\s?#@]+$ matches"]],
    [
      "Cluster",
      "spec.agent.resources.requests",
      ["at most 64 keys", "each key: at most 317 characters", `each key: ${labelKey}`],
    ],
    [
      "FleetSummary",
      "repository.agentRollout.maxUnavailable",
      ["at least 1", "at most 4 characters", "what ^([1-9][0-9]?|100)%$ matches"],
    ],
  ])("describes what %s.%s may be: %j", (kind, place, allowed) => {
    expect(found(kind, place).allowed).toEqual(allowed);
  });

  it.each([
    ["Cluster", "spec.protocol", "rollcall"],
    ["Repository", "spec.agentRollout.maxUnavailable", "10%"],
    ["Repository", "spec.agentRollout", undefined],
    ["Cluster", "spec.displayName", undefined],
  ])("describes the default of %s.%s: %j", (kind, place, value) => {
    const field = found(kind, place);
    expect(field.default).toEqual(value);
    expect("default" in field).toBe(value !== undefined);
  });

  it.each([
    {
      reason: "misspelt",
      path: ["spec", "taints", "efect"],
      unknown: { parent: ["spec", "taints"], name: "efect", near: "effect", fields: ["key", "value", "effect"] },
    },
    {
      reason: "not there, with more behind it",
      path: ["spec", "heartbeat", "other", "more"],
      unknown: {
        parent: ["spec", "heartbeat"],
        name: "other",
        near: undefined,
        fields: ["periodSeconds", "failureThreshold"],
      },
    },
    {
      reason: "below a text",
      path: ["metadata", "name", "first"],
      unknown: { parent: ["metadata", "name"], name: "first", near: undefined, fields: [] },
    },
    {
      reason: "named like a method of every object",
      path: ["spec", "identity", "toString"],
      unknown: { parent: ["spec", "identity"], name: "toString", near: undefined, fields: ["keys"] },
    },
  ])("names the fields that exist where a field is $reason", ({ path, unknown }) => {
    expect(describeField("Cluster", path)).toStrictEqual({ unknown });
  });

  it("knows no status of a kind that is in files alone", () => {
    const fields = ["apiVersion", "kind", "metadata", "spec"];
    expect(describeField("Policy", ["status"])).toStrictEqual({
      unknown: { parent: [], name: "status", near: undefined, fields },
    });
  });
});

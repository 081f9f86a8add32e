import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateNode, withNodeNetworks } from "../../../../src/embedded-hub/validation/validate-node.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf } from "./validation-builders.ts";

const node = (spec: JsonObject): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec });
const taints = (...list: JsonObject[]): JsonObject => ({ taints: list });
const networks = (...podCIDRs: string[]): JsonObject => ({ podCIDRs });
const noSchedule = { key: "a", value: "b", effect: "NoSchedule" };
const field = "spec.podCIDRs";

describe("validateNode", () => {
  it.each<{ spec: JsonObject; problems: readonly string[] }>([
    { spec: {}, problems: [] },
    { spec: taints(noSchedule, { ...noSchedule, effect: "NoExecute" }), problems: [] },
    { spec: taints(noSchedule, { ...noSchedule, value: "c" }), problems: ["Duplicate metadata.taints[1]"] },
    { spec: taints({ ...noSchedule, key: "a b" }), problems: ["Invalid metadata.taints[0].key"] },
    { spec: taints({ ...noSchedule, value: "b c" }), problems: ["Invalid metadata.taints[0].value"] },
    { spec: taints({ key: "a" }), problems: ["Required metadata.taints[0].effect"] },
    { spec: taints({ key: "a", effect: "Odd" }), problems: ["NotSupported metadata.taints[0].effect"] },
    { spec: networks("10.0.0.0/24"), problems: [] },
    { spec: networks("10.0.0.0/24", "2001:db8::/64"), problems: [] },
    { spec: networks("2001:db8::/64", "10.0.0.0/24"), problems: [] },
    { spec: networks("10.0.0.0/24", "10.1.0.0/24"), problems: [`Invalid ${field}`] },
    { spec: networks("10.0.0.0/24", "2001:db8::/64", "10.1.0.0/24"), problems: [`Invalid ${field}`] },
    { spec: networks("x"), problems: [`Invalid ${field}[0]`] },
    {
      spec: networks("10.0.0.0/24", "x"),
      problems: [`Invalid ${field}[1]`, `InternalError ${field}`, `Invalid ${field}`],
    },
  ])("finds $problems in $spec", ({ spec, problems }) => {
    expect(problemsOf(validateNode(node(spec), undefined))).toEqual(problems);
  });

  it.each<{ before: JsonObject; after: JsonObject; problems: readonly string[] }>([
    { before: {}, after: networks("10.0.0.0/24"), problems: [] },
    { before: networks("10.0.0.0/24"), after: networks("10.0.0.0/24"), problems: [] },
    { before: networks("10.0.0.0/24"), after: networks("10.1.0.0/24"), problems: [`Forbidden ${field}`] },
    { before: networks("10.0.0.0/24"), after: {}, problems: [`Forbidden ${field}`] },
    { before: {}, after: { providerID: "a" }, problems: [] },
    { before: { providerID: "a" }, after: { providerID: "a" }, problems: [] },
    { before: { providerID: "a" }, after: { providerID: "b" }, problems: ["Forbidden spec.providerID"] },
    { before: { providerID: "a" }, after: {}, problems: ["Forbidden spec.providerID"] },
  ])("finds $problems in a change from $before to $after", ({ before, after, problems }) => {
    expect(problemsOf(validateNode(node(after), node(before)))).toEqual(problems);
  });
});

describe("the swap space of a Node", () => {
  it.each([
    { capacity: 1, problems: [] },
    { capacity: 0, problems: ["Invalid metadata.nodeSwapStatus.capacity"] },
    { capacity: -1, problems: ["Invalid metadata.nodeSwapStatus.capacity"] },
  ])("of $capacity has $problems, but in a status", ({ capacity, problems }) => {
    const swapping = { ...node({}), status: { nodeInfo: { swap: { capacity } } } };
    expect(problemsOf(validateNode(swapping, undefined))).toEqual(problems);
    expect(problemsOf(validateNode(swapping, swapping, { subresource: "status" }))).toEqual([]);
  });
});

describe("the resources of a Node", () => {
  it.each<{ amounts: JsonObject; problems: readonly string[] }>([
    { amounts: { cpu: "1500m", memory: "0", "example.org/card": "2", pods: "110" }, problems: [] },
    { amounts: { cpu: "-1" }, problems: ["Invalid cpu"] },
    { amounts: { "example.org/card": "1500m" }, problems: ["Invalid example.org/card"] },
    { amounts: { pods: "500m" }, problems: ["Invalid pods"] },
    { amounts: { "Bad Name": "1" }, problems: [] },
  ])("have $problems in $amounts", ({ amounts, problems }) => {
    for (const list of ["capacity", "allocatable"]) {
      const found = problemsOf(validateNode({ ...node({}), status: { [list]: amounts } }, undefined));
      expect(found).toEqual(problems.map((problem) => problem.replace(" ", ` status.${list}.`)));
    }
  });
});

describe("withNodeNetworks", () => {
  it.each<{ spec: JsonObject; expected: JsonObject }>([
    { spec: {}, expected: {} },
    { spec: { podCIDR: "a" }, expected: { podCIDR: "a", podCIDRs: ["a"] } },
    { spec: { podCIDRs: ["a", "b"] }, expected: { podCIDR: "a", podCIDRs: ["a", "b"] } },
    { spec: { podCIDR: "a", podCIDRs: ["a", "b"] }, expected: { podCIDR: "a", podCIDRs: ["a", "b"] } },
    { spec: { podCIDR: "c", podCIDRs: ["a", "b"] }, expected: { podCIDR: "c", podCIDRs: ["c"] } },
  ])("makes of $spec $expected", ({ spec, expected }) => {
    expect(withNodeNetworks(node(spec))["spec"]).toEqual(expected);
  });
});

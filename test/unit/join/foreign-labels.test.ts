import { describe, expect, it } from "vitest";
import { isQualifiedName, readAmounts } from "../../../src/join/agent-amounts.ts";
import { allowedLabels } from "../../../src/join/fleet/hub/agent-labels.ts";
import { allowedForeignLabels } from "../../../src/join/foreign-labels.ts";
import { allowedAgentLabels } from "../../../src/join/rollcall/hub/agent-labels.ts";

describe("allowedForeignLabels: what another project's agent proposes", () => {
  const kept = (proposed: Record<string, string>, allowedKeys?: readonly string[]) =>
    Object.keys(allowedForeignLabels(proposed, { allowedKeys }).labels);

  it("is kept where the token lists nothing, and else only what it lists", () => {
    expect(kept({ a: "1", b: "2" })).toEqual(["a", "b"]);
    expect(kept({ a: "1", b: "2" }, ["b"])).toEqual(["b"]);
    expect(kept({ a: "1" }, [])).toEqual([]);
  });

  it("is never what is reserved, also where the token lists it, and the reason is named", () => {
    const key = "rollcall.dev/x";
    const { labels, notes } = allowedForeignLabels({ [key]: "1", b: "2" }, { allowedKeys: [key] });
    expect(labels).toEqual({});
    expect(notes).toEqual([
      'label "rollcall.dev/x" is left out: its prefix is reserved',
      'label "b" is left out: the token does not allow it',
    ]);
  });

  it.each<[string, string, boolean]>([
    ["a", "", true],
    ["a", "v".repeat(63), true],
    ["a", "v".repeat(64), false],
    ["a", "-v", false],
    ["a", "v\n", false],
    ["k".repeat(63), "v", true],
    ["k".repeat(64), "v", false],
    ["example.com/k", "v", true],
    [`${"d".repeat(253)}/k`, "v", true],
    [`${"d".repeat(254)}/k`, "v", false],
    ["example.com/k/k", "v", false],
    ["example.com/", "v", false],
    ["a b", "v", false],
    ["", "v", false],
    ["a b/k", "v", false],
    ["/k", "v", false],
    ["A.com/k", "v", false],
    ["a..b/k", "v", false],
    ["a-/k", "v", false],
  ])("A205 %j: %j is a label: %s", (key, value, isLabel) => {
    expect(kept({ [key]: value })).toEqual(isLabel ? [key] : []);
  });

  it("A7: is read up to the sixty-fourth", () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`k${index}`, "v"]));
    const { labels, notes } = allowedForeignLabels(many, { allowedKeys: undefined });
    expect([Object.keys(labels).length, notes.length]).toEqual([64, 0]);
  });

  it("may be, of Fleet, the Pod that created it, and no other label of Fleet or Rancher", () => {
    const pod = "fleet.cattle.io/created-by-agent-pod";
    const proposed = {
      [pod]: "p",
      "fleet.cattle.io/x": "a",
      "management.cattle.io/x": "a",
      "kubernetes.io/x": "a",
      env: "b",
    };
    expect(Object.keys(allowedLabels(proposed, undefined).labels)).toEqual([pod, "env"]);
    expect(Object.keys(allowedLabels(proposed, ["env"]).labels)).toEqual(["env"]);
  });
});

describe("allowedAgentLabels: what our own agent proposes", () => {
  it("is only what the token lists, of a form that a label can have, and what was left out is named", () => {
    const proposed = { env: "dev", zone: "a b", "bad key": "x", "kubernetes.io/x": "y", other: "z", empty: "" };
    const { labels, notes } = allowedAgentLabels(proposed, ["env", "zone", "bad key", "kubernetes.io/x", "empty"]);
    expect(labels).toEqual({ env: "dev", empty: "" });
    expect(notes).toEqual([
      "label zone is malformed",
      "label bad key is malformed",
      "label kubernetes.io/x has a reserved prefix",
      "label other is not among the token's agentLabels",
    ]);
  });

  it.each<[string, string, boolean]>([
    ["k".repeat(63), "v".repeat(63), true],
    ["k".repeat(64), "v", false],
    ["k", "v".repeat(64), false],
    ["example.com/k", "v", true],
    ["Example.com/k", "v", false],
    ["a..b/k", "v", false],
    ["k-", "v", false],
    ["k", "-v", false],
  ])("%j: %j is a label: %s", (key, value, isLabel) => {
    expect(Object.keys(allowedAgentLabels({ [key]: value }, [key]).labels)).toEqual(isLabel ? [key] : []);
  });
});

describe("readAmounts: resources that an agent reports", () => {
  const amounts = (capacity: object) => readAmounts({ status: { capacity } }, "status", "capacity");

  it.each([
    ["4", true],
    ["1.5", true],
    ["32Gi", true],
    ["100m", true],
    ["1e3", true],
    ["1E-3", true],
    ["", false],
    ["-1", false],
    ["1.", false],
    ["1Gib", false],
    ["x1", false],
    ["1 ", false],
    ["1".repeat(40), true],
    ["1".repeat(41), false],
  ])("%j is an amount: %s", (amount, isAmount) => {
    expect(amounts({ cpu: amount })).toEqual(isAmount ? { cpu: amount } : {});
  });

  it("are numbers, too, and nothing else", () => {
    expect(amounts({ cpu: 4, memory: true, disk: null, "bad name!": "1" })).toEqual({ cpu: "4" });
    expect(readAmounts({}, "status", "capacity")).toEqual({});
  });

  it("A7: are sixty-four at most", () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`r${index}`, "1"]));
    expect(Object.keys(amounts(many))).toHaveLength(64);
  });

  it.each([
    ["a", true],
    ["nvidia.com/gpu", true],
    ["A_b.c-1", true],
    ["a".repeat(63), true],
    ["a".repeat(64), false],
    [`${"a".repeat(253)}/${"b".repeat(63)}`, true],
    [`${"a".repeat(254)}/${"b".repeat(63)}`, false],
    ["a/", false],
    ["/a", false],
    ["a/b/c", false],
    ["-a", false],
    ["A.com/x", false],
    ["a\n", false],
  ])("%j is a name: %s", (name, isName) => {
    expect(isQualifiedName(name)).toBe(isName);
  });
});

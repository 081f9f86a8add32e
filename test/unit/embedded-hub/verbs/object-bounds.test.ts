import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import type { PatchBody } from "../../../../src/embedded-hub/operations/operations.ts";
import { checkObjectBounds, checkPatchBounds } from "../../../../src/embedded-hub/verbs/object-bounds.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

type ManagedFields = NonNullable<KubeObject["metadata"]["managedFields"]>;

/** An object with so many values besides itself. */
function withData(values: number): KubeObject {
  const data = Object.fromEntries(Array.from({ length: values - 4 }, (_, index) => [`k${index}`, "v"]));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: {} as KubeObject["metadata"], data };
}

function objectWith(kind: string, count: number): object {
  return { kind, data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"])) };
}

describe("checkObjectBounds", () => {
  it.each([
    { kind: "ConfigMap", count: 19_000, isAccepted: true, reason: "no object in use has as many" },
    { kind: "ConfigMap", count: 20_001, isAccepted: false, reason: "it would hold the loop" },
    { kind: "CustomResourceDefinition", count: 60_000, isAccepted: true, reason: "those of real projects are large" },
    { kind: "CustomResourceDefinition", count: 100_001, isAccepted: false, reason: "none is as large" },
  ])("A51 $kind with $count values: $reason", ({ kind, count, isAccepted }) => {
    const check = (): void => checkObjectBounds(objectWith(kind, count));
    if (isAccepted) expect(check).not.toThrow();
    else expect(check).toThrow(/Request entity too large/u);
  });

  it.each([
    { what: "the object", object: { kind: "ConfigMap", data: { ["k".repeat(8_000)]: "v" } } },
    { what: "a list", object: { kind: "Widget", spec: { ["k".repeat(7_995)]: ["v"] } } },
    {
      what: "the managed fields",
      object: { metadata: { managedFields: [{ fieldsV1: { ["f:".repeat(4_000)]: {} } }] } },
    },
  ])("A96 refuses a path of more than 8,000 characters in $what", ({ object }) => {
    expect(() => checkObjectBounds(object)).toThrow(/paths of its fields are too long/u);
  });

  it("A96 refuses long paths of many values", () => {
    const values = (count: number) => ({ spec: { ["k".repeat(7_000)]: Array.from({ length: count }, () => "v") } });
    expect(() => checkObjectBounds(values(2_000))).not.toThrow();
    expect(() => checkObjectBounds(values(3_000))).toThrow(/paths of its fields are too long/u);
  });
});

describe("checkPatchBounds", () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const json = (operations: Json) => ({ kind: "json", operations }) as const;
  const merge = (patch: Json) => ({ kind: "merge", patch }) as const;
  const list = (count: number): Json => Array.from({ length: count }, () => 1);
  const tooMany = /the patch has more than 20000 values/u;
  const tooDeep = /nested more than 128 levels deep/u;
  const tooLong = /paths of its fields are too long/u;
  const pointer = (steps: number): string => "/a".repeat(steps);
  const bodies: readonly [string, PatchBody, RegExp | undefined][] = [
    ["a merge patch of 20,000 values", merge(list(19_999)), undefined],
    ["one more", merge(list(20_000)), tooMany],
    ["a patch that is a number", merge(5), undefined],
    ["a patch that is null", merge(null), undefined],
    ["129 maps in each other", merge(nested(129)), undefined],
    ["130 maps", { kind: "strategic", patch: nested(130) }, tooDeep],
    ["130 lists", merge(JSON.parse(`${"[".repeat(130)}${"]".repeat(130)}`) as Json), tooDeep],
    ["a name of 7,999 characters", merge({ ["k".repeat(7_999)]: 1 }), undefined],
    ["a name of 8,000", merge({ ["k".repeat(8_000)]: 1 }), tooLong],
    ["an apply of 20,000 values", { kind: "apply", isForced: false, object: withData(19_999) }, undefined],
    ["one more in an apply", { kind: "apply", isForced: false, object: withData(20_000) }, /the object has more/u],
    [
      "operations of 20,000 values",
      json([{ op: "add", path: "/a", value: list(19_998) }, { op: "remove" }]),
      undefined,
    ],
    ["one more in operations", json([{ op: "add", path: "/a", value: list(19_999) }, { op: "remove" }]), tooMany],
    ["20,001 operations", json(Array.from({ length: 20_001 }, () => ({ op: "remove", path: "/a" }))), tooMany],
    ["operations that are none", json([5, "x", null, []]), undefined],
    ["operations that are no list", json({ op: "add", path: pointer(129), value: 1 }), tooDeep],
    ["a path of 128 steps", json([{ op: "add", path: pointer(128), value: {} }]), undefined],
    ["a path of 129 steps", json([{ op: "remove", path: pointer(129) }]), tooDeep],
    ["a map too deep below its path", json([{ op: "add", path: pointer(127), value: nested(3) }]), tooDeep],
    ["a path of 8,000 characters", json([{ op: "remove", path: "k".repeat(8_000) }]), undefined],
    ["a path of 8,001", json([{ op: "remove", path: "k".repeat(8_001) }]), tooLong],
    ["a value whose path is too long", json([{ op: "add", path: "k".repeat(7_999), value: { a: 1 } }]), tooLong],
  ];
  it.each(bodies)("takes or refuses %s", (_what, patch, refusal) => {
    const check = (): void => checkPatchBounds(patch);
    if (refusal === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(refusal);
  });

  it("does not count what is undefined, and counts managed fields by themselves", () => {
    const managedFields = list(19_998) as unknown as ManagedFields;
    expect(() =>
      checkObjectBounds({ ...withData(19_996), spec: undefined, metadata: { managedFields } }),
    ).not.toThrow();
    const more = list(20_000) as unknown as ManagedFields;
    expect(() => checkObjectBounds({ metadata: { managedFields: more } })).toThrow(/the managedFields have more/u);
    expect(() => checkObjectBounds({ metadata: null, data: 1 })).not.toThrow();
  });
});

import { describe, expect, it } from "vitest";
import { checkObjectBounds } from "../../../../src/embedded-hub/verbs/object-bounds.ts";

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

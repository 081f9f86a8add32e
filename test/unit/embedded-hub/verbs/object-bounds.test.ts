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
});

import { describe, expect, it } from "vitest";
import { asBaseIndex, baseIndexKey } from "../../../src/review/base-index.ts";

const repository = (name: string, paths?: string[]) => ({
  apiVersion: "rollcall.dev/v1alpha1" as const,
  kind: "Repository" as const,
  metadata: { name, namespace: "system" },
  spec: { url: "", ...(paths ? { paths } : {}) },
});

describe("baseIndexKey", () => {
  it("is another one for another tree, another Repository and other settings of it", () => {
    const keys = [
      baseIndexKey("a", repository("fleet")),
      baseIndexKey("b", repository("fleet")),
      baseIndexKey("a", repository("other")),
      baseIndexKey("a", repository("fleet", ["clusters"])),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(baseIndexKey("a", repository("fleet"))).toBe(keys[0]);
  });
});

describe("asBaseIndex", () => {
  const whole = { size: {}, fleet: {}, selected: {}, problems: [], entangled: [], clusterCount: 1, ownedCount: 1 };

  it("takes what has every part", () => {
    expect(asBaseIndex(whole)).toBe(whole);
  });

  it.each([undefined, null, "text", [], {}, { ...whole, selected: [] }, { ...whole, entangled: {} }])(
    "refuses %j",
    (value) => {
      expect(asBaseIndex(value)).toBeUndefined();
    },
  );

  it("refuses counts that are no numbers", () => {
    expect(asBaseIndex({ ...whole, clusterCount: "1" })).toBeUndefined();
    expect(asBaseIndex({ ...whole, ownedCount: null })).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { adoptedObject } from "../../../src/adopt/adopted-object.ts";

describe("adoptedObject", () => {
  it.each([
    { label: "env", isKept: true },
    { label: "example.com/node.clusternet.io/", isKept: true },
    { label: "node.clusternet.io/region", isKept: false },
    { label: "kubernetes-fleet.io/member-name", isKept: false },
    { label: "objectset.rio.cattle.io/hash", isKept: false },
  ])("keeps the label $label: $isKept", ({ label, isKept }) => {
    const live = { apiVersion: "v1", kind: "X", metadata: { name: "x", uid: "u", labels: { [label]: "1" } } };
    const annotations = { "rollcall.dev/adopt": "true" };
    const labels = isKept ? { labels: { [label]: "1" } } : {};
    expect(adoptedObject(live, {})).toEqual({
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "x", ...labels, annotations },
    });
  });

  it("keeps namespace and spec", () => {
    const live = { apiVersion: "v1", kind: "X", metadata: { name: "x", namespace: "a" } };
    expect(adoptedObject(live, { b: 1 })).toMatchObject({ metadata: { name: "x", namespace: "a" }, spec: { b: 1 } });
  });
});

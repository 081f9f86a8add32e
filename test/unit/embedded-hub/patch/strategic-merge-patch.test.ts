import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { applyStrategicMergePatch } from "../../../../src/embedded-hub/patch/strategic-merge-patch.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";

const pod: JsonObject = {
  metadata: { name: "p", finalizers: ["a/a", "b/b"], labels: { x: "1", y: "2" } },
  spec: {
    containers: [
      { name: "one", image: "i:1", ports: [{ containerPort: 80, protocol: "TCP" }], env: [{ name: "A", value: "1" }] },
      { name: "two", image: "i:2", args: ["p", "q"] },
    ],
    volumes: [{ name: "v", emptyDir: {} }],
    tolerations: [{ key: "k", operator: "Exists" }],
  },
};

function patched(patch: JsonObject): unknown {
  const result = applyStrategicMergePatch(pod, patch, schemaOf("", "v1", "Pod") ?? {});
  return result.kind === "patched" ? result.object : `${result.code} ${result.message}`;
}

describe("a strategic merge patch", () => {
  it("merges list items by their key", () => {
    const containers = [
      { name: "two", image: "i:3" },
      { name: "three", image: "new" },
    ];
    expect(patched({ spec: { containers } })).toMatchObject({
      spec: {
        containers: [
          { name: "one", image: "i:1" },
          { name: "two", image: "i:3", args: ["p", "q"] },
          { name: "three", image: "new" },
        ],
      },
    });
  });

  it("merges below items, too, and replaces lists without a key", () => {
    const containers = [
      { name: "one", env: [{ name: "B", value: "2" }] },
      { name: "two", args: ["r"] },
    ];
    expect(patched({ spec: { containers } })).toMatchObject({
      spec: {
        containers: [
          { name: "one", env: [{ name: "B" }, { name: "A" }] },
          { name: "two", args: ["r"] },
        ],
      },
    });
    expect(patched({ spec: { tolerations: [{ key: "z" }] } })).toMatchObject({ spec: { tolerations: [{ key: "z" }] } });
  });

  it("deletes and replaces by $patch", () => {
    expect(patched({ spec: { containers: [{ $patch: "delete", name: "one" }] } })).toMatchObject({
      spec: { containers: [{ name: "two" }] },
    });
    expect(patched({ metadata: { labels: { $patch: "replace", z: "3" } } })).toMatchObject({
      metadata: { labels: { z: "3" } },
    });
    expect(patched({ metadata: { labels: { $patch: "replace", z: "3" } } })).not.toHaveProperty("metadata.labels.x");
    expect(patched({ spec: { containers: [{ name: "n", image: "x" }, { $patch: "replace" }] } })).toMatchObject({
      spec: { containers: [{ name: "n", image: "x" }] },
    });
  });

  it("orders items and values as its directive states", () => {
    const order = [{ name: "two" }, { name: "one" }];
    const result = patched({
      spec: { "$setElementOrder/containers": order, containers: [{ name: "one", image: "n" }] },
    });
    expect(result).toMatchObject({ spec: { containers: [{ name: "two" }, { name: "one", image: "n" }] } });
    const removed = patched({
      metadata: { "$deleteFromPrimitiveList/finalizers": ["a/a"], "$setElementOrder/finalizers": ["b/b"] },
    });
    expect(removed).toMatchObject({ metadata: { finalizers: ["b/b"] } });
  });

  it("keeps only the keys that it is to retain", () => {
    expect(
      patched({ spec: { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] } }),
    ).toMatchObject({ spec: { volumes: [{ name: "v", configMap: { name: "c" } }] } });
    expect(
      patched({ spec: { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] } }),
    ).not.toHaveProperty("spec.volumes.0.emptyDir");
  });

  it("removes fields by null", () => {
    expect(patched({ spec: { volumes: null }, metadata: { labels: { x: null } } })).toEqual({
      ...pod,
      metadata: { ...(pod["metadata"] as JsonObject), labels: { y: "2" } },
      spec: Object.fromEntries(Object.entries(pod["spec"] as JsonObject).filter(([key]) => key !== "volumes")),
    });
  });

  it("names what it cannot do", () => {
    expect(patched({ spec: { containers: [{ image: "x" }] } })).toBe(
      "500 map: map[image:x] does not contain declared merge key: name",
    );
    expect(patched({ metadata: { labels: { $patch: "other" } } })).toMatch(/^500 /u);
  });

  const order = "$setElementOrder/containers";
  it.each<{ patch: JsonObject; expected: string }>([
    { patch: { spec: { $patch: 1 } }, expected: "500 unknown patch type: %!s(int64=1) in map: map[$patch:1]" },
    { patch: { spec: { [order]: ["one"] } }, expected: "500 value for key 0 is not a map" },
    { patch: { spec: { [order]: [{ name: "one" }, "two"] } }, expected: "500 value for key 1 is not a map" },
    {
      patch: { spec: { [order]: [{ other: "a" }] } },
      expected: "500 map: map[other:a] does not contain declared merge key: name",
    },
    {
      patch: { spec: { "$setElementOrder/none": [{ name: "a" }] } },
      expected: '500 unable to find api field in struct object for the json field "none"',
    },
    {
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": [1] } },
      expected: "500 list element types are not identical: [[a/a b/b] [1]]",
    },
    {
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": [[]] } },
      expected: "500 list element types are not identical: [[a/a b/b] [[]]]",
    },
  ])("refuses directives with values of other types: $expected", ({ patch, expected }) => {
    expect(patched(patch)).toBe(expected);
  });
});

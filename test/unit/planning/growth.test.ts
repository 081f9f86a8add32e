import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { diffOwnedFields, ownedContent } from "../../../src/planning/owned-fields.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { leastGrowth } from "../../support/least-growth.ts";

const manager = "git";
const size = 3_000;
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function live(content: JsonObject, fieldsV1: JsonObject): KubeObject {
  const metadata = {
    name: "edge",
    annotations: content["annotations"] as Record<string, string>,
    managedFields: [{ manager, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }],
  };
  return { apiVersion: "v1", kind: "Cluster", metadata, spec: content["spec"] } as unknown as KubeObject;
}

const taints = (count: number): JsonObject[] => times(count).map((index) => ({ key: `k-${index}`, value: "x" }));
const ownedItems = (keys: readonly string[]): JsonObject => Object.fromEntries(keys.map((key) => [key, {}]));

const works: readonly (readonly [string, (count: number) => () => unknown])[] = [
  [
    "a list by keys",
    (count) => {
      const list = taints(count);
      const owned = ownedItems(list.map(({ key }) => `k:${JSON.stringify({ key })}`));
      const desired = live({ spec: { taints: list } }, {});
      const found = live({ spec: { taints: [...list].reverse() } }, { "f:spec": { "f:taints": owned } });
      return () => diffOwnedFields(desired, found, { manager });
    },
  ],
  [
    "a set",
    (count) => {
      const list = times(count).map((index) => `v-${index}`);
      const owned = ownedItems(list.map((value) => `v:${JSON.stringify(value)}`));
      const desired = live({ spec: { names: list } }, {});
      const found = live({ spec: { names: [...list].reverse() } }, { "f:spec": { "f:names": owned } });
      return () => diffOwnedFields(desired, found, { manager });
    },
  ],
  [
    "annotations",
    (count) => {
      const annotations = Object.fromEntries(times(count).map((index) => [`a-${index}`, "x"]));
      const owned = ownedItems(Object.keys(annotations).map((key) => `f:${key}`));
      const object = live({ annotations, spec: {} }, { "f:metadata": { "f:annotations": owned } });
      return () => ownedContent(object, manager);
    },
  ],
];

describe("what others wrote on an object", () => {
  it.each(works)("A51 is compared in proportion to its length: %s", (_, make) => {
    const least = (count: number): number => leastCpuMs(make(count));
    least(size);
    const whole = least(4 * size);
    expect(whole).toBeLessThan(1_000);
    // A cheap one is not measured.
    if (whole <= 60) return;
    // Two doublings: in proportion it takes 4 times as long, a quadratic one 16 times.
    expect(leastGrowth({ large: () => least(4 * size), small: () => least(size) }, 8, whole)).toBeLessThan(8);
  });
});

import { describe, expect, it } from "vitest";
import { createFieldSharing } from "../../../src/hub/share-fields.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const withFields = (...sets: readonly (JsonObject | undefined)[]): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    managedFields: sets.map((fieldsV1, index) => ({ manager: `m${index}`, ...(fieldsV1 ? { fieldsV1 } : {}) })),
  },
});
const setsOf = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);

describe("createFieldSharing", () => {
  it("lets objects share equal sets of fields, and changes no content", () => {
    const share = createFieldSharing();
    const first = withFields({ "f:data": { "f:a": {} } }, { "f:data": {} });
    const second = withFields({ "f:data": {} }, { "f:data": { "f:a": {} } }, { "f:spec": {} });
    const before = structuredClone(second);
    share(first);
    share(second);
    expect(second).toEqual(before);
    const [a, b] = setsOf(first) ?? [];
    const [c, d] = setsOf(second) ?? [];
    expect([c === b, d === a]).toEqual([true, true]);
  });

  it("takes objects without managers, and managers without fields", () => {
    const share = createFieldSharing();
    const bare: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
    share(bare);
    share(withFields(undefined));
    expect(bare).toEqual({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } });
  });

  it("leaves an object that cannot be changed, and one that computes its fields, as they are", () => {
    const share = createFieldSharing();
    share(withFields({ "f:data": {} }));
    const fixed = withFields({ "f:data": {} });
    for (const entry of fixed.metadata.managedFields ?? []) Object.freeze(entry);
    const own = setsOf(fixed)?.[0];
    share(fixed);
    expect(setsOf(fixed)?.[0]).toBe(own);
    let computed = 0;
    const lazy = {
      manager: "m",
      get fieldsV1(): JsonObject {
        computed++;
        return { "f:data": {} };
      },
    };
    share({ apiVersion: "v1", kind: "Secret", metadata: { name: "a", managedFields: [lazy] } });
    expect(computed).toBe(0);
  });

  it("remembers a bounded number of sets, and those that are used", () => {
    const share = createFieldSharing();
    const common = { "f:data": {} };
    const first = withFields(common);
    share(first);
    for (let index = 0; index < 3000; index++) {
      share(withFields({ [`f:${index}`]: {} }));
      if (index % 500 === 0) share(withFields({ "f:data": {} }));
    }
    const later = withFields({ "f:data": {} }, { "f:0": {} });
    share(later);
    expect(setsOf(later)?.[0]).toBe(common);
    const again = withFields({ "f:0": {} });
    share(again);
    expect(setsOf(again)?.[0]).toBe(setsOf(later)?.[1]);
  });
});

import type { JsonObject } from "../../../../src/core/json.ts";
import { validateCrd } from "../../../../src/embedded-hub/resources/validate-crd.ts";

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const named = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));
export const text: JsonObject = { type: "string" };

/** What is wrong with a definition whose objects have this in `spec`. */
export function faultsOf(spec: JsonObject) {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return validateCrd(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.org" },
      spec: {
        group: "example.org",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
      status: { storedVersions: ["v1"] },
    },
    undefined,
  );
}

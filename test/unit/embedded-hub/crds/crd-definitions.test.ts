import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { definitionsOfCrd, isEstablished, isTerminating } from "../../../../src/embedded-hub/crds/crd-definitions.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const text = { type: "string" };
const schema = {
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { a: text } } } },
};

function crdOf(
  versions: readonly JsonObject[],
  more: { readonly scope?: string; readonly conditions?: Json } = {},
): KubeObject {
  const { scope = "Namespaced", conditions = [] } = more;
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "things.example.org", resourceVersion: "7" },
    spec: { group: "example.org", scope, names: { plural: "wanted" }, versions },
    status: { acceptedNames: { ...names, shortNames: ["t"], categories: ["all"] }, conditions },
  };
}

type Json = readonly JsonObject[];

const version = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: false,
  schema,
  ...more,
});

describe("definitionsOfCrd", () => {
  it("has one definition for each served version, by the names that were granted", () => {
    const subresources = {
      status: {},
      scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n", labelSelectorPath: ".status.s" },
    };
    const [v1, v2, ...more] = definitionsOfCrd(
      crdOf([version("v1", { subresources }), version("old", { served: false }), version("v2", { storage: true })]),
    );
    expect(v1).toMatchObject({
      ...{
        group: "example.org",
        version: "v1",
        kind: "Thing",
        listKind: "ThingList",
        plural: "things",
        singular: "thing",
      },
      ...{
        shortNames: ["t"],
        categories: ["all"],
        isNamespaced: true,
        isCustom: true,
        isTerminating: false,
        hooks: {},
      },
      storage: { prefix: "/example.org/things/", apiVersion: "example.org/v2", current: { sinceRevision: 7 } },
      structuralSchema: schema.openAPIV3Schema,
      schema: { properties: { spec: { properties: { a: text } } } },
    });
    expect(v1?.subresources.map(({ name, scale }) => [name, scale])).toEqual([
      ["status", undefined],
      ["scale", { specPath: ".spec.n", statusPath: ".status.n", selectorPath: ".status.s" }],
    ]);
    expect([...(v1?.storage.current?.schemas.keys() ?? [])]).toEqual([
      "example.org/v1",
      "example.org/old",
      "example.org/v2",
    ]);
    expect([v2?.version, v2?.subresources, v2?.schema === v2?.schema, more]).toEqual(["v2", [], true, []]);
    const [withoutSelector] = definitionsOfCrd(
      crdOf([version("v1", { subresources: { scale: { specReplicasPath: ".a", statusReplicasPath: ".b" } } })]),
    );
    expect(withoutSelector?.subresources[0]?.scale).toEqual({ specPath: ".a", statusPath: ".b" });
    const [cluster] = definitionsOfCrd(crdOf([version("v1")], { scope: "Cluster" }));
    expect(cluster?.isNamespaced).toBe(false);
  });

  it("reads the fields that selectors may name", () => {
    const selectableFields = [{ jsonPath: ".spec.a" }, { jsonPath: ".spec.n" }];
    const [definition] = definitionsOfCrd(crdOf([version("v1", { selectableFields })]));
    const { selectableFields: fields = {} } = definition?.hooks ?? {};
    const textOf = (spec: JsonObject) =>
      Object.entries(fields).map(([name, read]) => {
        return [name, read({ apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "t" }, spec })];
      });
    expect(textOf({ a: "x", n: 5 })).toEqual([
      ["spec.a", "x"],
      ["spec.n", "5"],
    ]);
    expect(textOf({ a: true, n: {} })).toEqual([
      ["spec.a", "true"],
      ["spec.n", ""],
    ]);
    expect(textOf({})).toEqual([
      ["spec.a", ""],
      ["spec.n", ""],
    ]);
  });

  it.each<readonly [string, readonly JsonObject[], string | undefined]>([
    ["none", [version("v1")], undefined],
    ["its own", [version("v1", { deprecated: true, deprecationWarning: "go away" })], "go away"],
    ["no other version", [version("v1", { deprecated: true })], "example.org/v1 Thing is deprecated"],
    [
      "the newest of others",
      [version("v1beta1", { deprecated: true }), version("v1"), version("v2"), version("v3", { served: false })],
      "example.org/v1beta1 Thing is deprecated; use example.org/v2 Thing",
    ],
    [
      "others that are deprecated, or older",
      [version("v2", { deprecated: true }), version("v1"), version("v3", { deprecated: true })],
      "example.org/v2 Thing is deprecated",
    ],
  ])("has a warning of a deprecated version: %s", (_what, versions, warning) => {
    expect(definitionsOfCrd(crdOf(versions))[0]?.deprecationWarning).toBe(warning);
  });

  it("serves what has the condition, and knows when it ends", () => {
    const crd = crdOf([version("v1")], {
      conditions: [
        { type: "NamesAccepted", status: "True" },
        { type: "Established", status: "False" },
        { type: "Terminating", status: "True" },
      ],
    });
    expect([isEstablished(crd), isTerminating(crd), definitionsOfCrd(crd)[0]?.isTerminating]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

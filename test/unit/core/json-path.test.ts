import { describe, expect, it } from "vitest";
import { compileJsonPath } from "../../../src/core/json-path.ts";

const object = {
  spec: {
    size: 3,
    none: undefined,
    "a.b": { "c/d": "deep" },
    "kube-system": "yes",
    sizes: [{ n: 1 }, { n: 2, on: true }, { n: 3n }, { n: "9" }],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Joined", status: "False" },
    ],
    properties: { "kubernetes-fleet.io/node-count": { value: "2" } },
  },
};

describe("compileJsonPath", () => {
  it.each([
    { path: ".spec.size", found: [3] },
    { path: "spec.size", found: [3] },
    { path: ".spec.kube-system", found: ["yes"] },
    { path: ".status.properties.kubernetes-fleet\\.io/node-count.value", found: ["2"] },
    { path: ".spec.a\\.b.c/d", found: ["deep"] },
    { path: ".spec['a.b']['c/d']", found: ["deep"] },
    { path: ".spec['a\\.b'].c/d", found: ["deep"] },
    { path: ".status.conditions[1].type", found: ["Joined"] },
    { path: ".status.conditions[*].type", found: ["Ready", "Joined"] },
    { path: ".status.properties.*.value", found: ["2"] },
    { path: '.status.conditions[?(@.type=="Joined")].status', found: ["False"] },
    { path: '.status.conditions[?(@.status!="True")].type', found: ["Joined"] },
    { path: ".status.conditions[?(@.type )].type", found: ["Ready", "Joined"] },
    { path: ".status.conditions[?(@.none)].type", found: [] },
    { path: ".status.conditions[-1].type", found: ["Joined"] },
    { path: ".status.conditions[-1:].type", found: ["Joined"] },
    { path: ".status.conditions[-2].type", found: ["Ready"] },
    { path: ".status.conditions[:1].type", found: ["Ready"] },
    { path: ".status.conditions[0:2].type", found: ["Ready", "Joined"] },
    { path: ".status.conditions[::2].type", found: ["Ready"] },
    { path: ".status.conditions[0:3].type", found: [] },
    { path: ".status.conditions[-3].type", found: [] },
    { path: ".status.conditions[1:1].type", found: [] },
    { path: ".status.conditions[1:0].type", found: [] },
    { path: ".status.conditions[::0].type", found: [] },
    { path: "..type", found: ["Ready", "Joined"] },
    { path: ".status..value", found: ["2"] },
    { path: ".spec.sizes[?(@.n>1)].n", found: [2, 3n] },
    { path: ".spec.sizes[?(@.n>=2)].n", found: [2, 3n] },
    { path: ".spec.sizes[?(@.n<2)].n", found: [1] },
    { path: ".spec.sizes[?(@.n<=1)].n", found: [1] },
    { path: ".spec.sizes[?(@.n==3)].n", found: [3n] },
    { path: ".spec.sizes[?(@.on==true)].n", found: [2] },
    { path: ".status.missing.value", found: [] },
    { path: "['spec'].size", found: [3] },
    { path: ".spec.toString", found: [] },
    { path: ".spec.none", found: [] },
    { path: ".spec.size.toString", found: [] },
    { path: ".status.conditions.length", found: [] },
    { path: ".status.conditions[2]", found: [] },
    { path: ".spec[0]", found: [] },
    { path: ".spec.size[0]", found: [] },
    { path: ".spec.kube-system[0]", found: [] },
    { path: '.status.conditions[?(@.toString=="x")]', found: [] },
    { path: '.status.conditions[?(@.type.length=="5")]', found: [] },
  ])("reads $path", ({ path, found }) => {
    expect(compileJsonPath(path)?.(object)).toEqual(found);
  });

  it.each([".spec.", ".spec[", ".a...b", "..a..b", "..", ".a[1:2:3:4]", ".a[?(@.b=c)]", "{.spec}", ".a b"])(
    "does not know %s",
    (path) => {
      expect(compileJsonPath(path)).toBeUndefined();
    },
  );

  it("reads all below a value that is as deep as it is long", () => {
    const depth = 100_000;
    let deep: object = { name: "end" };
    for (let level = 0; level < depth; level++) deep = { a: deep };
    expect(compileJsonPath("..name")?.(deep)).toEqual(["end"]);
  });
});

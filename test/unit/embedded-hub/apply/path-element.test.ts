import { describe, expect, it } from "vitest";
import type { PathElement } from "../../../../src/embedded-hub/apply/path-element.ts";
import {
  comparePathElements,
  describeElement,
  fieldElement,
  indexElement,
  keysElement,
  parsePathElement,
  valueElement,
} from "../../../../src/embedded-hub/apply/path-element.ts";

describe("parsePathElement", () => {
  it.each<{ key: string; element: PathElement | undefined | "malformed" }>([
    { key: "f:replicas", element: fieldElement("replicas") },
    { key: "f:a:b", element: fieldElement("a:b") },
    { key: "f:", element: fieldElement("") },
    { key: 'k:{"port":1,"name":"a"}', element: keysElement([{ name: "port", value: 1 }, { name: "name", value: "a" }]) }, // oxfmt-ignore
    { key: 'v:"x"', element: valueElement("x") },
    { key: "v:9007199254740993", element: valueElement(9_007_199_254_740_993n) },
    { key: "i:12", element: indexElement(12) },
    { key: "i:+3", element: indexElement(3) },
    { key: "i:-3", element: indexElement(-3) },
    { key: "x:later", element: undefined },
    { key: "", element: "malformed" },
    { key: "f", element: "malformed" },
    { key: "fa", element: "malformed" },
    { key: "k:[1]", element: "malformed" },
    { key: "k:{", element: "malformed" },
    { key: "v:", element: "malformed" },
    { key: "i:", element: "malformed" },
    { key: "i:1a", element: "malformed" },
    { key: "i:a1", element: "malformed" },
  ])("reads $key", ({ key, element }) => {
    expect(parsePathElement(key)).toEqual(element);
  });
});

describe("the key of an element", () => {
  it.each([
    { element: keysElement([{ name: "b", value: 1 }, { name: "a", value: "x" }]), key: 'k:{"a":"x","b":1}' }, // oxfmt-ignore
    { element: valueElement("<a> & b\u2028"), key: String.raw`v:"\u003ca\u003e \u0026 b\u2028"` },
    { element: indexElement(2), key: "i:2" },
  ])("is $key", ({ element, key }) => {
    expect(element.key).toBe(key);
  });
});

describe("describeElement", () => {
  it.each([
    { key: "f:spec", text: ".spec" },
    { key: 'k:{"port":80,"protocol":"TCP"}', text: '[port=80,protocol="TCP"]' },
    { key: 'k:{"on":true,"off":null}', text: "[off=null,on=true]" },
    { key: 'k:{"list":["a",1,null]}', text: '[list=["a",1,null]]' },
    { key: 'k:{"map":{"a":"x","b":{"c":2}}}', text: '[map=a="x"b=c=2]' },
    { key: 'v:"x"', text: '[="x"]' },
    { key: "v:5", text: "[=5]" },
    { key: "i:3", text: "[3]" },
  ])("of $key is $text", ({ key, text }) => {
    const element = parsePathElement(key);
    expect(typeof element === "object" && describeElement(element)).toBe(text);
  });
});

describe("comparePathElements", () => {
  const inOrder = [
    ...["f:a", "f:b"],
    ...['k:{"a":1}', 'k:{"a":1,"b":1}', 'k:{"a":2}', 'k:{"a":"x"}', 'k:{"b":0}'],
    ...[
      "v:-1",
      "v:2",
      "v:10",
      "v:9007199254740993",
      'v:"a"',
      'v:"a!"',
      'v:"b"',
      "v:false",
      "v:true",
      "v:[1]",
      "v:[2]",
      'v:{"a":1}',
    ],
    ...["v:null", "i:0", "i:2", "i:10"],
  ];
  const compare = (left: string, right: string): number => {
    const a = parsePathElement(left);
    const b = parsePathElement(right);
    return typeof a === "object" && typeof b === "object" ? Math.sign(comparePathElements(a, b)) : NaN;
  };

  it.each(inOrder.map((key, index) => ({ key, index })))("has the order of Kubernetes for $key", ({ key, index }) => {
    expect(inOrder.map((other) => compare(key, other))).toEqual(inOrder.map((_, other) => Math.sign(index - other)));
  });
});

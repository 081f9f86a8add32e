import { describe, expect, it } from "vitest";
import { collectionPath, objectPath, withQuery } from "../../../src/kube/resource-path.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const refused = expect.objectContaining({ code: "E_KUBE_INVALID" }) as Error;
const { node, secret } = resourceTypes;

describe("the path of an object", () => {
  it("has its group, namespace and subresource", () => {
    expect(objectPath({ type: node, name: "a" })).toBe("/api/v1/nodes/a");
    expect(objectPath({ type: node, name: "a" }, "status")).toBe("/api/v1/nodes/a/status");
    expect(objectPath({ type: secret, namespace: "fleet", name: "a b?c" })).toBe(
      "/api/v1/namespaces/fleet/secrets/a%20b%3Fc",
    );
    expect(collectionPath(resourceTypes.cluster)).toMatch(/^\/apis\/[a-z.]+\/v1[a-z0-9]*\/clusters$/u);
    expect(collectionPath(node, "fleet")).toBe("/api/v1/nodes");
  });

  it.each(["", ".", "..", "a/b", "../nodes/a"])("A12 leads to no other resource by the name %j", (name) => {
    expect(() => objectPath({ type: node, name })).toThrow(refused);
    expect(() => objectPath({ type: secret, namespace: name, name: "a" })).toThrow(refused);
    expect(() => collectionPath(secret, name)).toThrow(refused);
  });

  it("needs the namespace of a kind that has one", () => {
    expect(() => objectPath({ type: secret, name: "a" })).toThrow(refused);
  });
});

describe("withQuery", () => {
  it.each([
    { query: {}, expected: "/x" },
    { query: { a: undefined, b: false }, expected: "/x" },
    { query: { a: true, b: undefined, c: "d&e=f", g: 0 }, expected: "/x?a=true&c=d%26e%3Df&g=0" },
  ])("writes $query as $expected", ({ query, expected }) => {
    expect(withQuery("/x", query)).toBe(expected);
  });
});

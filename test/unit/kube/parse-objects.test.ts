import { describe, expect, it } from "vitest";
import { parseListPage, parseObject } from "../../../src/kube/parse-objects.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const operation = { verb: "list", object: "Node" };
const node = { metadata: { name: "a" } };
const list = { kind: "NodeList", metadata: { resourceVersion: "7" }, items: [node] };
const refused = expect.objectContaining({ code: "E_KUBE_SERVER" }) as Error;

function pageOf(value: unknown) {
  return parseListPage(JSON.stringify(value), resourceTypes.node, operation);
}

describe("parseListPage", () => {
  it("gives the items their kind, and the place of the next page", () => {
    const item = { apiVersion: "v1", kind: "Node", ...node };
    expect(pageOf(list)).toEqual({ items: [item], resourceVersion: "7", continueToken: undefined });
    expect(pageOf({ ...list, metadata: { resourceVersion: "7", continue: "" } }).continueToken).toBeUndefined();
    expect(pageOf({ ...list, metadata: { resourceVersion: "7", continue: "x" } }).continueToken).toBe("x");
  });

  it.each([
    { what: "no kind", value: { ...list, kind: undefined } },
    { what: "another kind", value: { ...list, kind: "Status" } },
    { what: "no version", value: { ...list, metadata: {} } },
    { what: "no items", value: { ...list, items: null } },
    { what: "an item without a name", value: { ...list, items: [{ metadata: {} }] } },
    { what: "an item that is none", value: { ...list, items: ["a"] } },
  ])("A103 never takes an answer with $what for a list", ({ value }) => {
    expect(() => pageOf(value)).toThrow(refused);
  });
});

describe("parseObject", () => {
  it("gives an object, with empty metadata where it has none", () => {
    const parse = (value: object) => parseObject(JSON.stringify(value), operation);
    expect(parse({ kind: "SubjectAccessReview", apiVersion: "v1" })).toEqual({
      ...{ kind: "SubjectAccessReview", apiVersion: "v1", metadata: {} },
    });
    expect(parse({ kind: "Node", apiVersion: "v1", metadata: { name: "a" } })).toMatchObject(node);
  });

  it.each(['{"kind":"Node"}', '{"apiVersion":"v1"}', "[]", "", '{"kind":"Node"'])("refuses %j", (text) => {
    expect(() => parseObject(text, operation)).toThrow(refused);
  });
});

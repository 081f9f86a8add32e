import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../src/manifests/cluster-facts.ts";
import {
  identityKeysOf,
  listAt,
  protocolOf,
  selectorOf,
  stringAt,
  textsAt,
} from "../../../src/manifests/cluster-facts.ts";
import type { FleetDocument } from "../../../src/manifests/fleet-document.ts";

function documentOf(kind: string, spec: unknown, isForeign = false): FleetDocument {
  const object = { apiVersion: "v", kind, metadata: { name: "a" }, spec };
  const position = { file: "a.yaml", line: 1, column: 1 };
  return {
    document: { position, index: 0, blobId: "b", object },
    object,
    role: "Cluster",
    isForeign,
    workspace: "fleet",
  };
}

describe("protocolOf", () => {
  it.each<{ kind: string; isForeign: boolean; spec: unknown; protocol: Protocol }>([
    { kind: "MemberCluster", isForeign: true, spec: {}, protocol: "kubefleet" },
    { kind: "Cluster", isForeign: true, spec: { protocol: "clusternet" }, protocol: "fleet" },
    { kind: "ManagedCluster", isForeign: true, spec: {}, protocol: "clusternet" },
    { kind: "ClusterRegistrationRequest", isForeign: true, spec: {}, protocol: "clusternet" },
    { kind: "Cluster", isForeign: false, spec: { protocol: "fleet" }, protocol: "fleet" },
    { kind: "Cluster", isForeign: false, spec: { protocol: "kubefleet" }, protocol: "kubefleet" },
    { kind: "Cluster", isForeign: false, spec: { protocol: "clusternet" }, protocol: "clusternet" },
    { kind: "Cluster", isForeign: false, spec: { protocol: "rollcall" }, protocol: "rollcall" },
    { kind: "Cluster", isForeign: false, spec: { protocol: "telnet" }, protocol: "rollcall" },
    { kind: "Cluster", isForeign: false, spec: undefined, protocol: "rollcall" },
  ])("of a $kind (foreign: $isForeign) with $spec is $protocol", ({ kind, isForeign, spec, protocol }) => {
    expect(protocolOf(documentOf(kind, spec, isForeign))).toBe(protocol);
  });
});

describe("identityKeysOf", () => {
  it.each([
    { spec: { identity: { keys: ["sha256:a", 1, "sha256:b", null] } }, keys: ["sha256:a", "sha256:b"] },
    { spec: { identity: { keys: "sha256:a" } }, keys: [] },
    { spec: { identity: null }, keys: [] },
    { spec: [], keys: [] },
  ])("of $spec are $keys", ({ spec, keys }) => {
    expect(identityKeysOf(documentOf("Cluster", spec))).toEqual(keys);
  });
});

describe("what is at a path of a document", () => {
  const object = { a: { text: "t", texts: { k: "v" }, mixed: { k: "v", n: 1 }, list: [1, "x"], none: null } };

  it("is a text, or undefined", () => {
    expect(stringAt(object, "a", "text")).toBe("t");
    expect(
      [
        ["a", "list"],
        ["a", "b"],
        ["a", "text", "length"],
        ["a", "none", "x"],
        ["toString", "name"],
      ].map((path) => stringAt(object, ...path)),
    ).toEqual(Array.from({ length: 5 }, () => undefined));
  });

  it("is a map of texts, or an empty one", () => {
    expect(textsAt(object, "a", "texts")).toEqual({ k: "v" });
    expect([["a", "mixed"], ["a", "list"], ["a", "text"], ["b"]].map((path) => textsAt(object, ...path))).toEqual([
      {},
      {},
      {},
      {},
    ]);
  });

  it("is a list, or an empty one", () => {
    expect(listAt(object, "a", "list")).toEqual([1, "x"]);
    expect([["a", "texts"], ["a", "text"], ["b"]].map((path) => listAt(object, ...path))).toEqual([[], [], []]);
  });
});

describe("selectorOf", () => {
  it.each([
    { spec: { selector: { names: ["a"] } }, selector: { names: ["a"] } },
    { spec: { selector: "a" }, selector: {} },
    { spec: {}, selector: {} },
  ])("of $spec is $selector", ({ spec, selector }) => {
    expect(selectorOf(documentOf("ClusterLabels", spec))).toEqual(selector);
  });
});

import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { SourceDocument } from "../../../src/model/source.ts";
import {
  findDeclaration,
  findDocument,
  indexDocuments,
  roleOfKind,
} from "../../../src/reconcile/declared-documents.ts";
import { parsedFile, snapshotOf } from "./hub-changes.ts";

const documentOf = (kind: string, name: string, namespace?: string): SourceDocument =>
  ({
    index: 0,
    object: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind,
      metadata: { name, ...(namespace ? { namespace } : {}) },
      spec: {},
    },
    position: { file: "f.yaml", line: 1, column: 1 },
  }) as unknown as SourceDocument;

describe("roleOfKind", () => {
  it.each([
    ["MemberCluster", "Cluster"],
    ["ManagedCluster", "Cluster"],
    ["Cluster", "Cluster"],
    ["ClusterGroup", "ClusterGroup"],
  ])("%s declares a %s", (kind, role) => {
    expect(roleOfKind(kind)).toBe(role);
  });
});

describe("indexDocuments", () => {
  const document = documentOf("Cluster", "eu-1");
  const broken = ["Cluster/fleet/broken", "MemberCluster//member"];
  const snapshot = snapshotOf(parsedFile("f.yaml", { documents: [document], brokenObjects: broken }));
  const index = indexDocuments(snapshot, "fleet");

  it.each([
    { kind: "Cluster", workspace: "fleet", name: "eu-1", found: document },
    { kind: "Cluster", workspace: "other", name: "eu-1", found: undefined },
    { kind: "ClusterGroup", workspace: "fleet", name: "eu-1", found: undefined },
  ])("finds $kind $workspace/$name: $found.object.kind", ({ kind, workspace, name, found }) => {
    expect(index.find(kind, workspace, name)).toBe(found);
  });

  it.each([
    { kind: "Cluster", workspace: "fleet", name: "broken", isBroken: true },
    { kind: "Cluster", workspace: "fleet", name: "member", isBroken: true },
    { kind: "ClusterGroup", workspace: "fleet", name: "broken", isBroken: false },
    { kind: "Cluster", workspace: "other", name: "broken", isBroken: false },
  ])("$kind $workspace/$name may be in a file with an error: $isBroken", ({ kind, workspace, name, isBroken }) => {
    expect(index.isBroken(kind, workspace, name)).toBe(isBroken);
  });

  it("knows nothing for sure beside a document that could not be identified", () => {
    const unknown = indexDocuments(snapshotOf(parsedFile("f.yaml", { isUnidentified: true })), "fleet");
    expect(unknown.isBroken("Cluster", "fleet", "any")).toBe(true);
  });
});

describe("findDocument", () => {
  const file = parsedFile("f.yaml", { documents: [documentOf("Cluster", "a", "fleet"), documentOf("Cluster", "a")] });

  it.each([
    { kind: "Cluster", metadata: { name: "a", namespace: "fleet" }, at: 0 },
    { kind: "Cluster", metadata: { name: "a" }, at: 1 },
    { kind: "Cluster", metadata: { name: "b" }, at: undefined },
    { kind: "ClusterGroup", metadata: { name: "a" }, at: undefined },
  ])("finds document $at for $kind $metadata", ({ kind, metadata, at }) => {
    const expected = at === undefined ? undefined : file.documents[at];
    expect(findDocument(file, { apiVersion: "rollcall.dev/v1alpha1", kind, metadata })).toBe(expected);
  });
});

describe("findDeclaration", () => {
  const member = "cluster.kubernetes-fleet.io/v1beta1";
  const ours = documentOf("Cluster", "ours", "fleet");
  const foreign = documentOf("MemberCluster", "foreign", "fleet");
  const newer = { ...foreign, object: { ...foreign.object, apiVersion: "cluster.kubernetes-fleet.io/v1" } };
  const index = indexDocuments(snapshotOf(parsedFile("f.yaml", { documents: [ours, newer] })), "fleet");

  it.each([
    { what: "a Cluster", apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", name: "ours", isItself: true, at: ours },
    { what: "a MemberCluster", apiVersion: member, kind: "MemberCluster", name: "foreign", isItself: false, at: newer },
    {
      what: "the MemberCluster of a Cluster",
      apiVersion: member,
      kind: "MemberCluster",
      name: "ours",
      isItself: false,
    },
    { what: "a kind of that name", apiVersion: "x.org/v1", kind: "MemberCluster", name: "foreign", isItself: false },
    { what: "what no file has", apiVersion: member, kind: "MemberCluster", name: "none", isItself: false },
  ])("finds $at.object.kind for $what", ({ apiVersion, kind, name, isItself, at }) => {
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name };
    const place = { workspace: "fleet", name, isItself, ref };
    expect(findDeclaration(index, { apiVersion, kind, metadata: { name } }, place)).toBe(at);
  });
});

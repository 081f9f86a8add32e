import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { maxFileBytes } from "../../../src/manifests/decode-text.ts";
import {
  declaredClusters,
  declaredTokens,
  documentsOf,
  objectsCalled,
  readDeclaredDocuments,
  refuseDeclaredToken,
} from "../../../src/work-tree/declared-documents.ts";
import { createRepository } from "../../support/git-repositories.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "rollcall-declared-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("a declared cluster", () => {
  it.each([
    {
      reason: "a Cluster of Fleet",
      head: "apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster",
      metadata: "{name: eu-1, namespace: fleet}",
      spec: "{}",
    },
    {
      reason: "a MemberCluster of KubeFleet",
      head: "apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster",
      metadata: "{name: eu-1}",
      spec: "{identity: {kind: User, name: a}}",
    },
    {
      reason: "a ManagedCluster of Clusternet",
      head: "apiVersion: clusters.clusternet.io/v1beta1\nkind: ManagedCluster",
      metadata: "{name: eu-1, namespace: clusternet-a}",
      spec: "{clusterId: 4bb4fb4c-9a3c-4a77-8b3c-3a4f3f3f3f3f, syncMode: Dual}",
    },
  ])("may be $reason", async ({ head, metadata, spec }) => {
    writeFileSync(join(dir, "a.yaml"), `${head}\nmetadata: ${metadata}\nspec: ${spec}\n`);
    const clusters = declaredClusters(await readDeclaredDocuments(dir));
    expect(objectsCalled(clusters, "eu-1", "fleet").map(({ file }) => file.path)).toEqual(["a.yaml"]);
    expect(objectsCalled(clusters, "eu-2", "fleet")).toEqual([]);
    await refuseDeclaredToken(dir, "eu-1", "fleet");
  });
});

describe("the documents of a work tree", () => {
  const group = (name: string, place: string) =>
    `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterGroup\nmetadata: {name: ${name}${place}}\nspec: {selector: {}}\n`;
  const token = "apiVersion: fleet.cattle.io/v1alpha1\nkind: ClusterRegistrationToken\n";
  beforeEach(() => {
    writeFileSync(join(dir, "a.yaml"), `${group("one", ", namespace: east")}---\n${group("two", ", namespace: east")}`);
    writeFileSync(join(dir, "b.yaml"), group("one", ", namespace: west"));
    writeFileSync(join(dir, "c.yaml"), group("one", ""));
    writeFileSync(join(dir, "large.yaml"), "#".repeat(maxFileBytes + 1));
    writeFileSync(join(dir, "token.yaml"), `${token}metadata: {name: one, namespace: east}\nspec: {ttl: 12h}\n`);
  });
  const filesOf = (found: readonly { readonly file: { readonly path: string } }[]) =>
    found.map(({ file }) => file.path);

  it("are found by kind and name, in a workspace or in any; one without a workspace may be in each", async () => {
    const declared = await readDeclaredDocuments(dir);
    expect(filesOf(declared)).toEqual(["a.yaml", "a.yaml", "b.yaml", "c.yaml", "token.yaml"]);
    expect(filesOf(documentsOf(declared, "ClusterGroup", "one"))).toEqual(["a.yaml", "b.yaml", "c.yaml"]);
    expect(filesOf(documentsOf(declared, "ClusterGroup", "one", "east"))).toEqual(["a.yaml", "c.yaml"]);
    expect(filesOf(documentsOf(declared, "ClusterGroup", "three"))).toEqual([]);
    expect(filesOf(declaredTokens(declared))).toEqual(["token.yaml"]);
    expect(filesOf(declaredClusters(declared))).toEqual([]);
  });

  it("are refused a second time in their workspace only", async () => {
    await expect(refuseDeclaredToken(dir, "one", "east")).rejects.toThrow(
      "ClusterRegistrationToken east/one is declared in token.yaml: edit that file",
    );
    await refuseDeclaredToken(dir, "one", "west");
  });

  it("are none of files that are ignored", async () => {
    writeFileSync(join(dir, ".rollcallignore"), "a.yaml\ntoken.yaml\n");
    expect(filesOf(await readDeclaredDocuments(dir))).toEqual(["b.yaml", "c.yaml"]);
  });

  it("are none of files that git ignores", async () => {
    const repository = await createRepository(dir, { isBare: false });
    await repository.git("add", "b.yaml");
    writeFileSync(join(dir, ".gitignore"), "a.yaml\ntoken.yaml\n");
    expect(filesOf(await readDeclaredDocuments(dir))).toEqual(["b.yaml", "c.yaml"]);
  });
});

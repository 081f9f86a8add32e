import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refuseDeclared } from "../../../src/work-tree/declared-documents.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "rollcall-declared-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("refuseDeclared", () => {
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
  ])("refuses a second file for $reason", ({ head, metadata, spec }) => {
    writeFileSync(join(dir, "a.yaml"), `${head}\nmetadata: ${metadata}\nspec: ${spec}\n`);
    expect(() => {
      refuseDeclared(dir, "Cluster", "eu-1", "fleet");
    }).toThrow("Cluster fleet/eu-1 is declared in a.yaml: edit that file");
    refuseDeclared(dir, "Cluster", "eu-2", "fleet");
    refuseDeclared(dir, "ClusterRegistrationToken", "eu-1", "fleet");
  });
});

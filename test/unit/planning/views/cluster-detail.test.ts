import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import { clusterDetail } from "../../../../src/planning/views/cluster-detail.ts";
import { clusterRow } from "../../../../src/planning/views/cluster-row.ts";
import { forgeLinks } from "../../../../src/planning/views/forge-links.ts";

const repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet" },
  spec: { url: "https://github.com/example/fleet.git" },
} as const;

function labelsOf(labels: Record<string, string>, status: Cluster["status"]) {
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "fleet", labels },
    ...(status ? { status } : {}),
  };
  const inputs = { cluster, row: clusterRow(cluster, []), state: undefined, beats: { seen: [] }, nowMs: 0 };
  return clusterDetail({ ...inputs, links: forgeLinks(repository), requests: [], history: [] }).labels;
}

describe("the labels of a cluster in detail", () => {
  it("have the owner that the status names, and where it declares them", () => {
    const labelOwners = { a: "file", b: "rule tiers", c: "token edge", d: "agent" };
    const source = { file: "clusters/eu-1.yaml", commit: "c".repeat(40), line: 3 };
    const link = `https://github.com/example/fleet/blob/${"c".repeat(40)}/clusters/eu-1.yaml#L3`;
    expect(labelsOf({ a: "1", b: "2", c: "3", d: "4", e: "5" }, { labelOwners, source })).toEqual([
      { key: "a", value: "1", owner: "File", from: "clusters/eu-1.yaml:3", link },
      { key: "b", value: "2", owner: "Rule", from: "tiers" },
      { key: "c", value: "3", owner: "Token", from: "edge" },
      { key: "d", value: "4", owner: "Agent" },
      { key: "e", value: "5", owner: "Other" },
    ]);
  });

  it.each(["constructor", "toString", "hasOwnProperty"])(
    "A281 are shown when one is called %s and nothing owns it",
    (key) => {
      const label = { key, value: "x", owner: "Other" };
      expect(labelsOf({ [key]: "x" }, undefined)).toEqual([label]);
      expect(labelsOf({ [key]: "x" }, { labelOwners: { a: "file" } })).toEqual([label]);
    },
  );
});

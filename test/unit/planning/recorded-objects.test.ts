import { describe, expect, it } from "vitest";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { Observed } from "../../../src/planning/observed.ts";
import { recordedObjects } from "../../../src/planning/recorded-objects.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const metadata = { name: "edge-1", namespace: "fleet" };
const join = { time: "2026-01-01T00:00:00Z" };
const time = join.time;

function notesOf(protocol: "rollcall" | "kubefleet", said: object): readonly string[] {
  const cluster: KubeObject = { apiVersion, kind: "Cluster", metadata, spec: { protocol } };
  const list = (type: unknown) => (type === resourceTypes.cluster ? [cluster] : []);
  const record = { apiVersion, kind: "ClusterRecord", metadata, protocol, ...said } as unknown as ClusterRecord;
  const observed = { list } as unknown as Observed;
  return recordedObjects(observed, { records: [record], knownSecrets: new Set() }).notesOf(new Set(["fleet/edge-1"]));
}

const joined = (status: string) => ({
  conditions: [{ type: "Joined", status, reason: "Joined", message: "", lastTransitionTime: time }],
});

describe("recordedObjects", () => {
  it.each<[string, "rollcall" | "kubefleet", object, number]>([
    ["a join on record", "kubefleet", { join }, 1],
    ["a join that only a condition shows", "kubefleet", joined("True"), 1],
    ["no join yet", "kubefleet", joined("False"), 0],
    ["no conditions yet", "kubefleet", {}, 0],
    ["an agent of Rollcall", "rollcall", { join, ...joined("True") }, 0],
  ])("reports what no record has of a cluster of another project: %s", (_what, protocol, said, count) => {
    expect(notesOf(protocol, said)).toEqual(
      Array.from(
        { length: count },
        () => "What the hub holds of Cluster fleet/edge-1, which joined by kubefleet, is not on record.",
      ),
    );
  });
});

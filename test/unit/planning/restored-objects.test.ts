import { describe, expect, it } from "vitest";
import { readMemberState } from "../../../src/model/member-state.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import { restoredCluster, restoredState } from "../../../src/planning/restored-objects.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const joined: ClusterRecord = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterRecord",
  metadata: { name: "eu-1", namespace: "fleet" },
  source: { file: "eu-1.yaml" },
  protocol: "rollcall",
  clientID: "uid",
  keys: [{ digest, signingKey: "S", sealingKey: "X" }],
  join: { mode: "AgentInitiated", token: "door", time: "2026-01-02T03:04:05Z" },
  credentialNumber: 7,
  labels: {
    env: { value: "prod", owner: "File" },
    rack: { value: "r1", owner: "Agent" },
    site: { value: "s1", owner: "Token" },
  },
};

describe("restoredMemory", () => {
  it("has who the member is, how it joined and which numbers were used, and holds no credential", () => {
    const object = restoredState(joined);
    expect(object?.metadata).toMatchObject({ name: "rollcall-cluster-eu-1", namespace: "fleet" });
    expect(readMemberState(object)).toEqual({
      clientID: "uid",
      keys: { signing: "S", sealing: "X" },
      join: {
        token: "door",
        time: "2026-01-02T03:04:05Z",
        registration: "door-abababababababab",
        initiated: "agent",
      },
      lastCredentialNumber: 7,
      labels: { token: { site: "s1" }, agent: { rack: "r1" } },
    });
  });

  it.each([
    { reason: "it never joined", change: { keys: undefined } },
    { reason: "it was leaving", change: { leave: { commit: "c" } } },
    { reason: "its protocol is foreign", change: { protocol: "fleet" as const } },
  ])("is nothing when $reason", ({ change }) => {
    const { keys: _keys, ...rest } = { ...joined, ...change };
    const record: ClusterRecord = change.keys === undefined && "keys" in change ? rest : { ...joined, ...rest };
    expect(restoredState(record)).toBeUndefined();
  });
});

describe("restoredCluster", () => {
  it("is git's where a file declared it, so that it leaves if the file is deleted, and has no more than who it is", () => {
    expect(restoredCluster(joined, "ns.fleet")).toEqual([
      {
        manager: "rollcall-git",
        object: {
          apiVersion: "rollcall.dev/v1alpha1",
          kind: "Cluster",
          metadata: {
            name: "eu-1",
            namespace: "fleet",
            labels: { "rollcall.dev/repository": "ns.fleet" },
            annotations: { "rollcall.dev/source-file": "eu-1.yaml" },
          },
          spec: { protocol: "rollcall", clientID: "uid" },
        },
      },
    ]);
  });

  it("has the agent that the hub installed removed although the kubeconfig is not on record", () => {
    const [{ object } = { object: undefined }] = restoredCluster(
      { ...joined, join: { mode: "HubInitiated" } },
      "ns.fleet",
    );
    expect(object).toMatchObject({ spec: { deletionPolicy: "Uninstall" } });
  });

  it("makes a cluster without a file, as its agent and token declared", () => {
    const { source: _source, ...record } = joined;
    const labels = { rack: "r1", site: "s1", "rollcall.dev/repository": "ns.fleet" };
    expect(restoredCluster(record, "ns.fleet")).toMatchObject([
      {
        manager: "rollcall-hub",
        object: { metadata: { name: "eu-1", labels }, spec: { protocol: "rollcall", clientID: "uid" } },
      },
    ]);
  });

  it("keeps a revoked cluster out until its file changes", () => {
    const revoked = { blob: "b", by: "alice", time: "2026-01-02T03:04:05Z" };
    const annotations = { "rollcall.dev/revoked": "b/alice/2026-01-02T03:04:05Z" };
    expect(restoredCluster({ ...joined, revoked }, "ns.fleet")).toMatchObject([
      { manager: "rollcall-git" },
      { manager: "rollcall-hub", object: { metadata: { annotations }, spec: {} } },
    ]);
  });
});

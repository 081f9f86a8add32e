import { describe, expect, it } from "vitest";
import { objectsAt, textAt, valueAt } from "../../../../../src/core/read-json.ts";
import { desiredMemberObjects, renderManagedCluster } from "../../../../../src/join/clusternet/hub/desired-objects.ts";
import { accountCredentials } from "../../../../../src/join/clusternet/hub/token-credentials.ts";
import { clusternetFirstAnswerLifeMs } from "../../../../../src/model/dialects/clusternet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { clusternetMemberOf, granted, home, id, managedOf, revoked, withKubeconfig } from "../clusternet-scene.ts";

const namespace: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: home } };
const state = granted();
const wanted = (parts: MemberParts = {}, laterMs = 0) =>
  desiredMemberObjects(
    accountCredentials,
    clusternetMemberOf({ children: [namespace], ...parts }),
    hubFacts({ nowMs: startMs + laterMs }),
  );
const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const role = `rollcall-clusternet.${workspace}.eu-1`;
const agent = `clusternet-agent.${id}`;

describe("desiredObjects: a Clusternet member", () => {
  it.each<[string, MemberParts, readonly string[]]>([
    ["has a namespace before anybody knows its agent", {}, [`Namespace ${home}`]],
    [
      "has a ManagedCluster once its agent is known",
      { spec: { clientID: id } },
      [`Namespace ${home}`, "ManagedCluster eu-1"],
    ],
    ["has none before its namespace is there", { spec: { clientID: id }, children: [] }, [`Namespace ${home}`]],
    [
      "has the account by which the hub installs its agent",
      { spec: withKubeconfig },
      [
        `Namespace ${home}`,
        "ServiceAccount clusternet.eu-1",
        "Secret clusternet.eu-1-token",
        `ClusterRoleBinding ${role}.import`,
      ],
    ],
    [
      "has the rights of an agent that was admitted",
      { state },
      [
        `Namespace ${home}`,
        "ManagedCluster eu-1",
        `ServiceAccount ${agent}`,
        `Secret ${agent}-token`,
        `ClusterRole ${role}`,
        `ClusterRoleBinding ${role}`,
        "RoleBinding rollcall-clusternet-agent",
      ],
    ],
    [
      "has no rights once it is revoked",
      { state, annotations: revoked, spec: withKubeconfig },
      [`Namespace ${home}`, "ManagedCluster eu-1"],
    ],
  ])("%s", (_what, parts, expected) => {
    expect(namesOf(wanted(parts))).toEqual(expected);
  });

  it("has no binding in a namespace that is not there", () => {
    expect(namesOf(wanted({ state, children: [] }))).not.toContain("RoleBinding rollcall-clusternet-agent");
  });

  const readersAt = (parts: MemberParts, laterMs = 0): string[] =>
    objectsAt(
      wanted(parts, laterMs).find(({ kind, metadata }) => kind === "ClusterRoleBinding" && metadata.name === role),
      "subjects",
    ).map((subject) => textAt(subject, "name") ?? "");

  it("lets its answer be read by the credential that it asked with, and by no other", () => {
    expect(readersAt({ state })).toEqual([agent, "clusternet.door.eu-1"]);
    expect(readersAt({ state }, clusternetFirstAnswerLifeMs)).toEqual([agent]);
    const byHub = granted({ protocolFacts: { ...state.protocolFacts, door: "" } });
    expect(readersAt({ state: byHub })).toEqual([agent]);
    expect(readersAt({ state: byHub, spec: withKubeconfig })).toEqual([agent, "clusternet.eu-1"]);
  });
});

describe("a ManagedCluster", () => {
  const rendered = (parts: MemberParts, labels: Record<string, string> = {}) => {
    const member = clusternetMemberOf(parts);
    const cluster = { ...member.cluster, metadata: { ...member.cluster.metadata, labels } };
    return renderManagedCluster({ ...member, cluster }, id);
  };

  it("has the labels of the file, without ours and without those that are the agent's", () => {
    const labels = { env: "prod", "rollcall.dev/x": "y", "node.clusternet.io/zone": "a" };
    expect(rendered({ spec: { clientID: id } }, labels).metadata.labels).toEqual({
      env: "prod",
      "clusternet.io/created-by": "clusternet-agent",
      "clusters.clusternet.io/cluster-id": id,
      "clusters.clusternet.io/cluster-name": "eu-1",
      "rollcall.dev/cluster": "eu-1",
      "rollcall.dev/owner-workspace": workspace,
    });
  });

  it("is what the file declares first, then what the agent reported", () => {
    expect(rendered({})["spec"]).toEqual({ clusterId: id, syncMode: "Pull" });
    expect(rendered({ state })["spec"]).toEqual({ clusterId: id, clusterType: "EdgeCluster", syncMode: "Dual" });
    const clusternet = { clusterType: "StandardCluster", syncMode: "Push", clusterInitBaseName: "b" } as const;
    expect(rendered({ state, spec: { clusternet, taints: [] } })["spec"]).toEqual({ clusterId: id, ...clusternet });
    const taints = [{ key: "k", effect: "NoSchedule" as const }];
    expect(rendered({ spec: { taints } })["spec"]).toMatchObject({ taints });
    const untyped = granted({ protocolFacts: { ...state.protocolFacts, clusterType: "" } });
    expect(rendered({ state: untyped })["spec"]).not.toHaveProperty("clusterType");
  });

  const taint = { key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule" };
  const taintsWith = (ready: object | undefined, declared: readonly object[] = []): unknown => {
    const live = managedOf({
      conditions:
        ready === undefined
          ? []
          : [
              { type: "Other", status: "False" },
              { type: "Ready", ...ready },
            ],
    });
    const spec = { clientID: id, taints: [...declared] as { key: string; effect: "NoSchedule" }[] };
    return valueAt(wanted({ spec, children: [namespace, live] })[1], "spec", "taints");
  };

  it.each<[object | undefined, unknown]>([
    [undefined, undefined],
    [{ status: "True", reason: "x" }, undefined],
    [{ status: "False", reason: "NotReady" }, [{ ...taint, value: "NotReady" }]],
    [{ status: "Unknown", reason: "Lost" }, [{ ...taint, value: "Lost" }]],
    [{ status: "False", reason: "has a blank" }, [{ ...taint, value: "" }]],
    [{ status: "False", reason: "x".repeat(64) }, [{ ...taint, value: "" }]],
    [{ status: "False" }, [{ ...taint, value: "" }]],
  ])("keeps workloads off while it is not ready: %j", (ready, expected) => {
    expect(taintsWith(ready)).toEqual(expected);
  });

  it("has that taint once, beside those of the file", () => {
    const own = { key: "edge", effect: "NoSchedule" };
    const strict = { ...taint, effect: "NoExecute" };
    const result = taintsWith({ status: "False", reason: "R" }, [own, { ...taint, value: "old" }, strict]);
    expect(result).toEqual([own, strict, { ...taint, value: "R" }]);
  });
});

import { describe, expect, it } from "vitest";
import { externalKubefleetProtocol as external } from "../../../src/join/kubefleet/hub/external-protocol.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { memberStateObject } from "../../../src/model/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { hubFacts, memberOf, workspace } from "./hub-scene.ts";

const outside = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": workspace };
const time = "2026-01-01T00:00:00Z";
const identity = { kind: "ServiceAccount", name: "eu-1-hub-cluster-access", namespace: "fleet-system" } as const;
const spec: Cluster["spec"] = { protocol: "kubefleet", kubefleet: { identity } };

/** As KubeFleet's hub agent keeps it. */
function memberCluster(metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const condition = (type: string, reason: string) => ({
    type,
    status: "True",
    reason,
    message: "",
    lastTransitionTime: time,
  });
  return {
    apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
    kind: "MemberCluster",
    metadata: { name: "eu-1", labels: outside, uid: "m", ...metadata },
    spec: { identity },
    status: {
      conditions: [condition("ReadyToJoin", "MemberClusterReadyToJoin")],
      agentStatus: [
        {
          type: "MemberAgent",
          conditions: [condition("Joined", "InternalMemberClusterJoined"), condition("Healthy", "Healthy")],
          lastReceivedHeartbeat: time,
        },
      ],
    },
  };
}

describe("a KubeFleet member that its own hub agent serves", () => {
  it("has the same MemberCluster, and nothing else of ours", () => {
    const member = memberOf("eu-1", { spec });
    const wanted = external.desiredObjects(member, hubFacts());
    const [ours] = kubefleetProtocol.desiredObjects(member);
    expect(wanted).toEqual([ours]);
  });

  it("keeps what the hub agent holds it by", () => {
    const children = [memberCluster({ finalizers: ["kubernetes-fleet.io/membercluster-finalizer"] })];
    expect(external.previousHubHolds(memberOf("eu-1", { spec, children }))).toEqual([]);
    expect(kubefleetProtocol.previousHubHolds(memberOf("eu-1", { spec, children }))).toHaveLength(1);
  });

  it("is known by what its MemberCluster shows, which the hub does not write", () => {
    const member = memberOf("eu-1", { spec, children: [memberCluster()] });
    expect(external.heartbeatIn(memberCluster())).toEqual({ workspace, cluster: "eu-1", marker: time });
    expect(external.factsOf(member, hubFacts())).toMatchObject({ hasJoined: true, health: { isHealthy: true } });
    expect(external.statusWrites(member, hubFacts(), {})).toEqual([]);
  });

  it("leaves by its MemberCluster, and is waited for before anything else is deleted", () => {
    const state = { leave: { commit: "c1", since: time } };
    const remembered = { ...memberStateObject(workspace, "eu-1", state) };
    const stepsWith = (...children: KubeObject[]): unknown[] =>
      external
        .offboardingSteps(memberOf("eu-1", { spec, state, children: [remembered, ...children] }), hubFacts())
        .map((step) => ("refs" in step ? step.refs.map(({ type }) => type.kind).join() : step));
    const wait = { kind: "wait", untilMs: Date.parse(time) + 15 * 60_000 };
    expect(stepsWith(memberCluster())).toEqual(["MemberCluster", wait, "ConfigMap"]);
    expect(stepsWith(memberCluster({ deletionTimestamp: time }))).toEqual([wait, "ConfigMap"]);
    expect(stepsWith()).toEqual(["ConfigMap"]);
  });
});

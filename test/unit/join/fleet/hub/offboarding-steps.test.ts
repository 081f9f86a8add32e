import { describe, expect, it } from "vitest";
import { memberOffboardingSteps } from "../../../../../src/join/fleet/hub/offboarding-steps.ts";
import { renderFleetCluster } from "../../../../../src/join/fleet/hub/fleet-cluster.ts";
import { clusterNamespaceName } from "../../../../../src/model/dialects/fleet.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { describeRef } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import { fleetMemberOf, grantedMemory, requestOf } from "../fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const since = new Date(startMs).toISOString();
const state: MemberState = grantedMemory({ leave: { commit: "c0ffee", since } });
const annotations = { "rollcall.dev/leave": "c0ffee" };
const leaving = (children: readonly KubeObject[], changes: Partial<MemberState> = {}): Member =>
  fleetMemberOf("eu-1", { state: { ...state, ...changes }, annotations, children });

/** Each step in words, with what it is about. */
const stepsOf = (member: Member): string[] =>
  memberOffboardingSteps(member, hubFacts()).map((step) => {
    if (step.kind === "wait") return `wait ${step.untilMs - startMs}`;
    if (step.kind === "notify-agent" || step.kind === "ask-agent") return step.kind;
    const refs = step.refs.map((ref) => describeRef(ref).replaceAll(home, "home")).join(", ");
    return `${step.kind === "delete" ? step.purpose : step.kind} ${refs}`;
  });

function secret(name: string, type: string, namespace = workspace): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type };
}

function deployment(namespace: string, finalizers: readonly string[] = []): KubeObject {
  return {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "BundleDeployment",
    metadata: { name: "app", namespace, finalizers: [...finalizers] },
  };
}

const registration = requestOf({ token: "edge" });
const { apiVersion, kind } = renderFleetCluster(fleetMemberOf("eu-1"));
const clusterOf = (finalizers: string[]): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "eu-1", namespace: workspace, finalizers },
});

describe("offboardingSteps: a cluster with Fleet's agent, with only some objects left", () => {
  it("revokes accounts' tokens and the answer, and keeps a person's own Secret", () => {
    const children = [
      secret("eu-1-kubeconfig", "Opaque"),
      secret("request-a-account-token", "kubernetes.io/service-account-token"),
      secret("c-answer", "fleet.cattle.io/agent-credential", "cattle-fleet-clusters-system"),
    ];
    const steps = stepsOf(leaving(children));
    expect(steps[0]).toBe(
      `revoke Secret/${workspace}/request-a-account-token, Secret/cattle-fleet-clusters-system/c-answer`,
    );
    expect(steps.slice(1)).toEqual(["forget Secret/cattle-fleet-clusters-system/c-answer"]);
    expect(steps.join()).not.toContain("kubeconfig");
  });

  it("has nothing to revoke where only a person's own Secret is left", () => {
    expect(stepsOf(leaving([secret("eu-1-kubeconfig", "Opaque")]))).toEqual([]);
  });

  it("forgets the registration by which the agent joined, and no other one", () => {
    const other = requestOf({ name: "request-b" });
    expect(stepsOf(leaving([registration, other]))).toEqual([
      `forget ClusterRegistration.fleet.cattle.io/${workspace}/request-a`,
    ]);
  });

  it("takes finalizers off Fleet's Cluster and what was to be deployed, where nothing else does", () => {
    const held = clusterOf(["fleet.cattle.io/cluster"]);
    const children = [held, deployment(home, ["fleet.cattle.io/bundle-deployment"]), deployment("other", ["x"])];
    expect(stepsOf(leaving(children))).toEqual([
      `wait ${11 * 60_000}`,
      `release Cluster.fleet.cattle.io/${workspace}/eu-1, BundleDeployment.fleet.cattle.io/home/app`,
      `forget Cluster.fleet.cattle.io/${workspace}/eu-1`,
    ]);
    expect(stepsOf(leaving([clusterOf([])]))).toEqual([`forget Cluster.fleet.cattle.io/${workspace}/eu-1`]);
  });

  it("does not wait for what is deployed in the namespace of another cluster", () => {
    expect(stepsOf(leaving([deployment("other")]))).toEqual([]);
  });

  it.each<[string, MemberState["leave"], readonly string[]]>([
    [
      "the rights were taken",
      { commit: "c", since, revokedAt: new Date(startMs + 60_000).toISOString() },
      ["wait 720000"],
    ],
    ["the leave began, without that", { commit: "c", since }, ["wait 660000"]],
    ["nothing, where neither is known", undefined, []],
  ])("waits for a watch that is open from when %s", (_when, leave, expected) => {
    expect(stepsOf(leaving([deployment(home)], { leave }))).toEqual(expected);
  });
});

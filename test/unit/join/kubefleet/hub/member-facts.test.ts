import { describe, expect, it } from "vitest";
import {
  agentConditionOf,
  agentStatusOf,
  hasHome,
  identityOf,
  isOwnAccount,
  isReadyToJoin,
  joinStateOf,
  worksOf,
} from "../../../../../src/join/kubefleet/hub/member-facts.ts";
import type { KubeFleetIdentity } from "../../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { workspace } from "../../hub-scene.ts";
import { home, internalOf, kubefleetMemberOf, objectsOf, time } from "../kubefleet-scene.ts";

const objects = objectsOf();

describe("isReadyToJoin: whether a KubeFleet agent would be admitted", () => {
  it("is so once the namespace, the rights and the InternalMemberCluster are there", () => {
    expect(isReadyToJoin(kubefleetMemberOf({ children: objects }))).toBe(true);
    for (const kind of ["Namespace", "Role", "RoleBinding", "InternalMemberCluster"])
      expect(isReadyToJoin(kubefleetMemberOf({ children: objects.filter((one) => one.kind !== kind) })), kind).toBe(
        false,
      );
  });

  it("is not so while the namespace is being deleted: nothing can be put into it", () => {
    const children = objects.map((child) =>
      child.kind === "Namespace" ? { ...child, metadata: { ...child.metadata, deletionTimestamp: time(0) } } : child,
    );
    const member = kubefleetMemberOf({ children });
    expect([hasHome(member), isReadyToJoin(member)]).toEqual([false, false]);
    expect(hasHome(kubefleetMemberOf({ children: objects }))).toBe(true);
  });
});

describe("joinStateOf: what a KubeFleet agent reports of joining", () => {
  it.each([
    ["True", "Joined"],
    ["False", "Left"],
    ["Unknown", "Unknown"],
    ["", "Unknown"],
  ])("%j: %s", (status, expected) => {
    expect(joinStateOf(internalOf({ Joined: { status } }))).toBe(expected);
  });

  it("is unknown where only another condition, another agent or no agent reports something", () => {
    const internal = internalOf({ Joined: { status: "True" } });
    const [agent] = (internal["status"] as { agentStatus: object[] }).agentStatus;
    const others: (KubeObject | undefined)[] = [
      internalOf({ Healthy: { status: "True" } }),
      { ...internal, status: { agentStatus: [{ ...agent, type: "ServiceExportImportAgent" }] } },
      { ...internal, status: {} },
      undefined,
    ];
    expect(others.map(joinStateOf)).toEqual(others.map(() => "Unknown"));
    expect(agentStatusOf(others[1])).toBeUndefined();
    expect(agentConditionOf(internal, "Joined")).toMatchObject({ type: "Joined" });
    expect(agentConditionOf(internal, "Healthy")).toBeUndefined();
  });
});

describe("what belongs to a KubeFleet member", () => {
  it("is the Works of its own namespace: an agent may label its Works as it likes", () => {
    const work = (namespace: string, kind = "Work"): KubeObject => ({
      apiVersion: "placement.kubernetes-fleet.io/v1",
      kind,
      metadata: { name: namespace, namespace, labels: { "rollcall.dev/cluster": "eu-1" } },
    });
    const [own, foreign, odd] = [work(home), work("fleet-member-eu-2"), work(home, "Other")];
    expect(worksOf(kubefleetMemberOf({ children: [foreign, odd, own] }))).toEqual([own]);
  });

  const own: KubeFleetIdentity = { kind: "ServiceAccount", name: "eu-1-hub-cluster-access", namespace: workspace };
  it.each<[string, KubeFleetIdentity | undefined, boolean]>([
    ["which the file leaves out", undefined, true],
    ["which the file writes out", own, true],
    ["of another name", { ...own, name: "eu-2-hub-cluster-access" }, false],
    ["in another namespace", { ...own, namespace: "fleet-system" }, false],
    ["of another kind", { ...own, kind: "User" }, false],
  ])("is an account %s: it is the hub's own: %j %s", (_which, identity, isOwn) => {
    const member = kubefleetMemberOf(identity === undefined ? {} : { spec: { kubefleet: { identity } } });
    expect(identityOf(member)).toEqual(identity ?? own);
    expect(isOwnAccount(member)).toBe(isOwn);
  });
});

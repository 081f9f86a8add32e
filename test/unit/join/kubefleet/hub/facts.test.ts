import { describe, expect, it } from "vitest";
import { heartbeatIn, heartbeatOfStatus, memberFacts } from "../../../../../src/join/kubefleet/hub/facts.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import { home, internalOf, issued, kubefleetMemberOf, time } from "../kubefleet-scene.ts";

const healthy = { Healthy: { status: "True" } };
const factsOf = (internal: KubeObject | undefined, more: readonly KubeObject[] = []) =>
  memberFacts(kubefleetMemberOf({ children: [...(internal ? [internal] : []), ...more] }), hubFacts());

function workOf(name: string, ...isTrue: string[]): KubeObject {
  return {
    apiVersion: "placement.kubernetes-fleet.io/v1",
    kind: "Work",
    metadata: { name, namespace: home },
    status: {
      conditions: ["Applied", "Available"].map((type) => ({ type, status: isTrue.includes(type) ? "True" : "False" })),
    },
  };
}

describe("heartbeatIn: what a KubeFleet agent reports", () => {
  const internal = internalOf(healthy);
  it("is of the cluster whose InternalMemberCluster it is", () => {
    expect(heartbeatIn(internal)).toEqual({ workspace, cluster: "eu-1", marker: time(0) });
  });

  it("is none of another kind, without a time, or of an object that is no member's", () => {
    expect(heartbeatIn({ ...internal, kind: "MemberCluster" })).toBeUndefined();
    expect(heartbeatIn({ ...internal, status: { agentStatus: [{ type: "MemberAgent" }] } })).toBeUndefined();
    expect(heartbeatIn({ ...internal, metadata: { ...internal.metadata, labels: {} } })).toBeUndefined();
    expect(heartbeatOfStatus({ ...internal, kind: "MemberCluster" })?.marker).toBe(time(0));
  });
});

describe("factsOf: the health of a KubeFleet member", () => {
  it.each<[string, Readonly<Record<string, object>>, unknown]>([
    ["it reports nothing of it", { Joined: { status: "True" } }, undefined],
    ["it does not know", { Healthy: { status: "Unknown" } }, undefined],
    ["it is well", healthy, { isHealthy: true, reason: "Healthy", message: "The cluster is well." }],
    [
      "it reports why",
      { Healthy: { status: "False", reason: "Slow", message: "no etcd" } },
      {
        isHealthy: false,
        reason: "Slow",
        message: "The agent reports that its cluster's API server is not ready: no etcd.",
      },
    ],
    [
      "it does not report why",
      { Healthy: { status: "False" } },
      {
        isHealthy: false,
        reason: "Unhealthy",
        message: "The agent reports that its cluster's API server is not ready.",
      },
    ],
  ])("when %s", (_when, conditions, expected) => {
    expect(factsOf(internalOf(conditions)).health).toEqual(expected);
  });

  it("is not followed by more than 300 characters of an agent's message", () => {
    const message = "x".repeat(400);
    const said = factsOf(internalOf({ Healthy: { status: "False", message } })).health?.message ?? "";
    expect(said.match(/x+/u)?.[0].length).toBe(300);
  });

  it.each<[readonly KubeObject[], string]>([
    [[workOf("a", "Applied", "Available")], "1 of 1 Works are applied, 1 available."],
    [
      [workOf("a", "Applied", "Available"), workOf("b", "Applied")],
      "2 of 2 Works are applied, 1 available; not available: b.",
    ],
    [[workOf("a", "Available"), workOf("b", "Applied")], "1 of 2 Works are applied, 0 available; not applied: a."],
  ])("counts Works", (works, expected) => {
    expect(factsOf(internalOf(healthy), works).health?.message).toBe(`The cluster is well. ${expected}`);
  });
});

describe("factsOf: what a KubeFleet agent reports of its cluster", () => {
  const propertyOf = (value: unknown) => ({ properties: { "k8s.io/k8s-version": { value } } });

  it("is whether it has joined", () => {
    expect(factsOf(internalOf({ Joined: { status: "True" } })).hasJoined).toBe(true);
    expect(factsOf(internalOf({ Joined: { status: "False" } })).hasJoined).toBe(false);
    expect(factsOf(undefined)).toMatchObject({ hasJoined: false, status: {} });
  });

  it.each([
    ["v1.34.4", true],
    ["1.34", true],
    ["v1.34.4-eks-1+x", true],
    ["v1", false],
    ["x1.34.4", false],
    ["v1.34 <b>", false],
    [`v1.34${"0".repeat(70)}`, false],
  ])("shows the version %s: %s", (version, isShown) => {
    const { status } = factsOf(internalOf(healthy, propertyOf(version)));
    expect(status.kubernetesVersion).toBe(isShown ? version : undefined);
  });

  it("keeps a value of 1024 characters and none that is longer or no text", () => {
    const kept = (value: unknown) => factsOf(internalOf(healthy, propertyOf(value))).status.properties !== undefined;
    expect([kept("x".repeat(1024)), kept("x".repeat(1025)), kept(7)]).toEqual([true, false, false]);
  });

  it("keeps a hundred properties", () => {
    const properties = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`p${index}`, { value: "1" }]));
    const { status } = factsOf(internalOf(healthy, { properties }));
    expect(Object.keys(status.properties ?? {})).toHaveLength(100);
  });

  it("keeps capacity, allocatable and available", () => {
    const amounts = { cpu: "8" };
    const resources = { capacity: amounts, allocatable: amounts, available: amounts };
    const { status } = factsOf(internalOf(healthy, { resourceUsage: { ...resources, other: amounts } }));
    expect(status.resources).toEqual(resources);
  });

  it("is beside the number and the end of the token that the hub brings", () => {
    expect(memberFacts(kubefleetMemberOf({ state: issued(2) }), hubFacts()).status.credential).toEqual({
      number: 2,
      expires: issued(2).credential?.expiresAt,
      rotates: true,
    });
    expect(factsOf(undefined).status).not.toHaveProperty("credential");
  });
});

import { describe, expect, it } from "vitest";
import { textAt } from "../../../../../src/core/read-json.ts";
import { fleetConditions } from "../../../../../src/join/fleet/hub/cluster-conditions.ts";
import type { ClusterStatus } from "../../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { fleetMemberOf } from "../fleet-scene.ts";

type Condition = NonNullable<ClusterStatus["conditions"]>[number];
const at = { lastTransitionTime: "2027-01-15T08:00:00Z" };
const joined: Condition = { type: "Joined", status: "True", reason: "Joined", message: "It has joined.", ...at };
const waiting: Condition = { ...joined, status: "False", reason: "NotJoined", message: "It has not joined." };
const missed: Condition = {
  ...at,
  type: "Healthy",
  status: "Unknown",
  reason: "HeartbeatMissed",
  message: "It is silent.",
};
const spec = { kubeConfigSecretRef: { name: "k" } };
const time = new Date(startMs).toISOString();
const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time };

function fleetCluster(conditions: readonly object[] = []): KubeObject {
  return {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1" },
    status: { conditions },
  };
}

function conditionsOf(conditions: Condition[], parts: MemberParts = {}, bundles = ""): unknown[] {
  const member = fleetMemberOf("eu-1", parts);
  return fleetConditions({ fleetCluster: fleetCluster(), member, bundles }, hubFacts(), { conditions }).map(
    (condition) => ["type", "status", "message"].flatMap((key) => textAt(condition, key) ?? []).join(" "),
  );
}

describe("fleetConditions: the conditions of Fleet's Cluster", () => {
  it.each<[string, Condition[], string, string]>([
    ["nothing is known", [], "", "Ready False The agent has not joined yet."],
    ["no agent has joined", [waiting, missed], "", "Ready False It has not joined."],
    ["the agent is silent", [joined, missed], "", "Ready False It is silent."],
    ["its health is unknown for another reason", [joined, { ...missed, reason: "Other" }], "", "Ready True"],
    ["a bundle fails, too", [joined, missed], "ErrApplied(1)", "Ready False It is silent.; ErrApplied(1)"],
    ["nothing is wrong", [joined], "", "Ready True"],
  ])("when %s", (_when, conditions, bundles, expected) => {
    expect(conditionsOf(conditions, {}, bundles)[0]).toBe(expected);
  });

  it.each<[string, MemberParts, string]>([
    ["the hub has not installed it yet", { spec }, "Imported False It has not joined."],
    ["the hub installed it", { spec, state: { install } }, "Imported True"],
    ["the hub does not install it", {}, "Imported True"],
  ])("has Imported where %s", (_where, parts, expected) => {
    expect(conditionsOf([waiting], parts)).toEqual([
      "Ready False It has not joined.",
      expected,
      "Reconciled True",
      "Processed True",
    ]);
  });

  it("moves a time only with what it is about", () => {
    const [before, now] = ["2027-01-01T00:00:00Z", new Date(startMs).toISOString().replace(".000", "")];
    const timesAfter = (previous: object): unknown => {
      const cluster = fleetCluster([
        { type: "Ready", lastUpdateTime: before, lastTransitionTime: before, ...previous },
      ]);
      const [ready] = fleetConditions(
        { fleetCluster: cluster, member: fleetMemberOf("eu-1"), bundles: "" },
        hubFacts(),
        {
          conditions: [waiting],
        },
      );
      return [ready?.["lastUpdateTime"], ready?.["lastTransitionTime"]];
    };
    expect(timesAfter({ status: "False", message: "It has not joined." })).toEqual([before, before]);
    expect(timesAfter({ status: "False", message: "Another." })).toEqual([now, before]);
    expect(timesAfter({ status: "True", message: "It has not joined." })).toEqual([now, now]);
  });
});

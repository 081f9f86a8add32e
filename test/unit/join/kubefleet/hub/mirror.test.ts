import { describe, expect, it } from "vitest";
import { memberEvents } from "../../../../../src/join/kubefleet/hub/member-events.ts";
import { isOnlyKubefleetHeartbeat, memberStatusWrites } from "../../../../../src/join/kubefleet/hub/mirror.ts";
import { objectsAt, valueAt } from "../../../../../src/core/read-json.ts";
import type { ClusterStatus } from "../../../../../src/model/generated/cluster.ts";
import type { Condition, KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts } from "../../hub-scene.ts";
import { internalOf, kubefleetMemberOf, objectsOf, time } from "../kubefleet-scene.ts";

const objects = objectsOf().filter(({ kind }) => kind !== "InternalMemberCluster");
const joined = { Joined: { status: "True", reason: "J", message: "", lastTransitionTime: time(0) } };
const beat = (laterMs: number, status: object = {}): KubeObject => {
  const internal = internalOf(joined, status);
  const [agent] = objectsAt(internal, "status", "agentStatus");
  return {
    ...internal,
    status: { ...(internal["status"] as object), agentStatus: [{ ...agent, lastReceivedHeartbeat: time(laterMs) }] },
  };
};
const healthy = (status: "True" | "False" | "Unknown", reason = "x"): ClusterStatus => ({
  conditions: [{ type: "Healthy", status, reason, message: "m", lastTransitionTime: time(0) }],
});
const written = (internal: KubeObject | undefined, status: ClusterStatus = {}, memberCluster: object = {}) => {
  const children = objects.map((child) => {
    if (child.kind !== "MemberCluster") return child;
    const { metadata = {}, ...rest } = memberCluster as { readonly metadata?: object };
    return { ...child, ...rest, metadata: { ...child.metadata, ...metadata } };
  });
  return memberStatusWrites(
    kubefleetMemberOf({ children: [...children, ...(internal ? [internal] : [])] }),
    hubFacts(),
    status,
  )[0];
};
const conditionOf = (type: string, ...input: Parameters<typeof written>) =>
  objectsAt(written(...input)?.status, "conditions").find((condition) => condition["type"] === type);

describe("statusWrites: a MemberCluster", () => {
  it("is left as it is while it is being deleted, or not there", () => {
    expect(written(beat(0), {}, { metadata: { deletionTimestamp: time(0) } })).toBeUndefined();
    expect(memberStatusWrites(kubefleetMemberOf(), hubFacts(), {})).toEqual([]);
  });

  it("is ready only with all its objects, and while its agent has not left", () => {
    expect(conditionOf("ReadyToJoin", beat(0))).toMatchObject({ status: "True" });
    expect(conditionOf("ReadyToJoin", undefined)).toMatchObject({ status: "False" });
    const left = internalOf({ Joined: { ...joined.Joined, status: "False" } });
    expect(conditionOf("ReadyToJoin", left)).toMatchObject({ status: "False" });
    expect(conditionOf("Joined", left)).toMatchObject({ status: "False", reason: "MemberClusterLeft" });
  });

  it.each<[string, KubeObject | undefined, ClusterStatus, object]>([
    ["well", beat(0), healthy("True"), { status: "True", reason: "MemberClusterAPIServerHealthy" }],
    ["unwell", beat(0), healthy("False"), { status: "False", reason: "MemberClusterAPIServerUnhealthy" }],
    [
      "silent",
      beat(0),
      healthy("Unknown", "HeartbeatMissed"),
      { status: "Unknown", reason: "MemberAgentHeartbeatLost" },
    ],
    [
      "of unknown health",
      beat(0),
      healthy("Unknown"),
      { status: "Unknown", reason: "MemberAgentReportedNoHealthInfo" },
    ],
    ["without a heartbeat", undefined, {}, { status: "Unknown", reason: "MemberAgentReportedNoStatus" }],
  ])("is %s in KubeFleet's words", (...[, internal, status, expected]) => {
    expect(conditionOf("Healthy", internal, status)).toMatchObject(expected);
  });

  it("has the conditions of a property provider, and no others of its agent", () => {
    const said = (type: string) => ({ type, status: "True", reason: "r", message: "", lastTransitionTime: time(0) });
    const conditions = ["ClusterPropertyProviderStarted", "Other", "ClusterPropertyCollectionSucceeded"].map(said);
    const types = objectsAt(written(beat(0, { conditions }))?.status, "conditions").map(({ type }) => type);
    expect(types).toEqual([
      "ReadyToJoin",
      "Joined",
      "Healthy",
      "ClusterPropertyProviderStarted",
      "ClusterPropertyCollectionSucceeded",
    ]);
  });

  it("has the blocks of its agent that are not empty, and no others", () => {
    const status =
      written(beat(0, { resourceUsage: { capacity: { cpu: "1" } }, properties: {}, other: { a: "b" } }))?.status ?? {};
    expect(Object.keys(status).sort()).toEqual(["agentStatus", "conditions", "resourceUsage"]);
    expect(Object.keys(written(undefined)?.status ?? {})).toEqual(["conditions"]);
  });

  it("shows a later heartbeat when it is a minute and a half later, or something turned", () => {
    const first = written(beat(0))?.status ?? {};
    const shown = (laterMs: number, status: ClusterStatus = {}): unknown =>
      valueAt(
        objectsAt(written(beat(laterMs), status, { status: first })?.status, "agentStatus")[0],
        "lastReceivedHeartbeat",
      );
    expect([shown(89_999), shown(90_000)]).toEqual([time(0), time(90_000)]);
    expect(shown(1000, healthy("False"))).toBe(time(1000));
  });

  it("A178 shows the heartbeats of an agent whose predecessor named one of a thousand years later", () => {
    const far = written(beat(1000 * 365 * 86_400_000))?.status ?? {};
    const [agent] = objectsAt(written(beat(0), {}, { status: far })?.status, "agentStatus");
    expect(valueAt(agent, "lastReceivedHeartbeat")).toBe(time(0));
  });
});

describe("isOnlyHeartbeat: an InternalMemberCluster", () => {
  const generation = (object: KubeObject, number: number): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, generation: number },
  });
  const labelled = (object: KubeObject, value: string): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, site: value } },
  });
  const properties = (observationTime: string, value = "3") => ({ properties: { nodes: { value, observationTime } } });

  it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ["with another time", beat(0), beat(1000), true],
    ["with another time of its properties, too", beat(0, properties("a")), beat(1000, properties("b")), true],
    ["with other properties", beat(0, properties("a")), beat(1000, properties("a", "4")), false],
    ["with the same time", beat(0), beat(0), false],
    ["A162 with other labels", beat(0), labelled(beat(1000), "x"), false],
    ["with another spec", generation(beat(0), 1), generation(beat(1000), 2), false],
    ["that is new", undefined, beat(0), false],
    ["that was deleted", beat(0), undefined, false],
    ["whose agent reports no time any more", beat(0), internalOf(joined, { agentStatus: [] }), false],
  ])("%s", (_what, before, after, expected) => {
    expect(isOnlyKubefleetHeartbeat(before, after)).toBe(expected);
  });
});

describe("memberEvents: what KubeFleet's users read of a MemberCluster", () => {
  const at = { reason: "r", message: "", lastTransitionTime: time(0) };
  const said = (ready: Condition["status"], join?: Condition["status"]): Condition[] => [
    { type: "ReadyToJoin", status: ready, ...at },
    ...(join === undefined ? [] : [{ type: "Joined", status: join, ...at }]),
  ];
  const created = ["NamespaceCreated", "RoleCreated", "RoleBindingCreated", "InternalMemberClusterCreated"];

  it.each<[string, Condition[], Condition[], readonly string[]]>([
    ["it is new and ready", [], said("True"), [...created, "MemberClusterReadyToJoin"]],
    ["it is new and not ready", [], said("False"), []],
    ["it is ready since", said("False"), said("True"), ["MemberClusterReadyToJoin"]],
    ["it was ready", said("True"), said("True"), []],
    ["its agent joined", said("True", "Unknown"), said("True", "True"), ["MemberClusterJoined"]],
    ["its agent left", said("True", "True"), said("True", "False"), ["MemberClusterLeft"]],
    [
      "its agent is not known any more",
      said("True", "True"),
      said("True", "Unknown"),
      ["MemberClusterJoinStateUnknown"],
    ],
    [
      "its agent that had left is not known any more",
      said("True", "False"),
      said("True", "Unknown"),
      ["MemberClusterJoinStateUnknown"],
    ],
    ["its agent was never known", said("True"), said("True", "Unknown"), []],
  ])("when %s", (_when, before, now, expected) => {
    expect(memberEvents(before, now).map(({ reason }) => reason)).toEqual(expected);
  });
});

import { describe, expect, it } from "vitest";
import { WorkspaceMembers } from "../../../src/hub/workspace-members.ts";
import type { ChildOwner } from "../../../src/hub/child-owners.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { clusterOf, coreObject } from "./objects.ts";

const workspace = "fleet";
const byClientID = ({ state }: Member): string | undefined => state?.clientID;
const owner = (name: string): ChildOwner => ({ label: labelKeys.cluster, workspace, name });
const inFleet = (type: ObjectRef["type"], name: string): ObjectRef => ({ type, namespace: workspace, name });
const unseen = { before: undefined, object: undefined };
const withSpec = (spec: object, status = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name: "a" },
  ...{ spec, status },
});

const stateOf = (name: string, label = name): KubeObject =>
  coreObject("ConfigMap", memberStateName(name), { labels: { [labelKeys.cluster]: label } });

/** Members with their clientIDs, and the names of those that were read, in order. */
function open(count: number, states: readonly KubeObject[] = []) {
  const clientIDs = new Map(Array.from({ length: count }, (_, index) => [`c-${index}`, `id-${index}`]));
  const reads: string[] = [];
  const configMaps = [...states];
  const members = new WorkspaceMembers(
    {
      list: (type) =>
        type === resourceTypes.cluster ? [...clientIDs.keys()].map((name) => clusterOf(name)) : configMaps,
      get: ({ name }) => configMaps.find(({ metadata }) => metadata.name === name),
      memberOf: (_, name) => {
        reads.push(name);
        const clientID = clientIDs.get(name);
        return clientID === undefined ? undefined : ({ workspace, name, state: { clientID } } as unknown as Member);
      },
    },
    [resourceTypes.managedCluster],
  );
  return {
    clientIDs,
    configMaps,
    members,
    find: (clientID: string) =>
      members
        .of(workspace)
        .find(byClientID, clientID)
        .map(({ name }) => name),
    readsSince: () => reads.splice(0),
  };
}

describe("WorkspaceMembers", () => {
  it("reads all members once, and after that what changed, in a fleet of any size", () => {
    const { clientIDs, members, find, readsSince } = open(1000);
    expect(find("id-7")).toEqual(["c-7"]);
    expect(readsSince()).toHaveLength(1001);
    expect(find("id-8")).toEqual(["c-8"]);
    expect(readsSince()).toEqual(["c-8"]);
    clientIDs.set("c-9", "new");
    members.record(inFleet(resourceTypes.configMap, memberStateName("c-9")), unseen, () => [owner("c-9")]);
    expect([find("new"), find("id-9")]).toEqual([["c-9"], []]);
    expect(readsSince()).toEqual(["c-9", "c-9"]);
  });

  it("follows Clusters that come and that are deleted", () => {
    const { clientIDs, members, find } = open(2);
    expect(find("id-1")).toEqual(["c-1"]);
    clientIDs.delete("c-1");
    clientIDs.set("c-2", "id-1");
    members.record(inFleet(resourceTypes.cluster, "c-1"), unseen, () => []);
    members.record(inFleet(resourceTypes.cluster, "c-2"), unseen, () => []);
    expect(find("id-1")).toEqual(["c-2"]);
    expect(members.of(workspace).named("c-1")).toBeUndefined();
  });

  it.each<readonly [string, ObjectRef, object, boolean]>([
    ["its state", inFleet(resourceTypes.configMap, memberStateName("c-0")), unseen, true],
    ["another ConfigMap", inFleet(resourceTypes.configMap, "any"), unseen, false],
    [
      "an identifying child that is new",
      inFleet(resourceTypes.managedCluster, "a"),
      { object: withSpec({ id: 1 }) },
      true,
    ],
    [
      "the spec of an identifying child",
      inFleet(resourceTypes.managedCluster, "a"),
      { before: withSpec({ id: 1 }), object: withSpec({ id: 2 }) },
      true,
    ],
    [
      "the status of an identifying child, which is a heartbeat",
      inFleet(resourceTypes.managedCluster, "a"),
      { before: withSpec({ id: 1 }), object: withSpec({ id: 1 }, { beat: 2 }) },
      false,
    ],
    ["another child", inFleet(resourceTypes.lease, "a"), { object: withSpec({ id: 1 }) }, false],
  ])("reads a member again after a change of %s, or not", (_, ref, versions, isRead) => {
    const { members, find, readsSince } = open(1);
    find("id-0");
    readsSince();
    members.record(ref, { ...unseen, ...versions }, () => [owner("c-0")]);
    expect(find("none")).toEqual([]);
    expect(readsSince()).toEqual(isRead ? ["c-0"] : []);
  });

  it("does not search for the owners of a heartbeat", () => {
    const { members } = open(1);
    const search = (): never => {
      throw new Error("owners were searched for");
    };
    members.record(inFleet(resourceTypes.lease, "a"), { before: withSpec({}), object: withSpec({ at: 1 }) }, search);
    const beat = { before: withSpec({ id: 1 }), object: withSpec({ id: 1 }, { beat: 2 }) };
    members.record(inFleet(resourceTypes.managedCluster, "a"), beat, search);
    expect(members.withoutCluster(workspace)).toEqual([]);
  });

  it("is not concerned by what belongs to a token, or to another workspace", () => {
    const { members, find, readsSince } = open(1);
    find("id-0");
    readsSince();
    const ref = inFleet(resourceTypes.configMap, memberStateName("c-0"));
    members.record(ref, unseen, () => [
      { label: labelKeys.token, workspace, name: "c-0" },
      { label: labelKeys.cluster, workspace: "other", name: "c-0" },
    ]);
    expect(find("none")).toEqual([]);
    expect(readsSince()).toEqual([]);
  });

  it("reads all members again where what belongs to whom may have changed", () => {
    const { clientIDs, members, find } = open(3);
    find("id-0");
    clientIDs.set("c-0", "other");
    members.forget();
    expect(find("other")).toEqual(["c-0"]);
  });

  it("names those whose state has the name of its label, and that have no Cluster", () => {
    const states = [
      stateOf("c-0"),
      stateOf("lost"),
      stateOf("other", "another"),
      coreObject("ConfigMap", memberStateName("unlabelled")),
      coreObject("ConfigMap", "any", { labels: { [labelKeys.cluster]: "any" } }),
    ];
    const { clientIDs, configMaps, members, readsSince } = open(1, states);
    expect(members.withoutCluster(workspace)).toEqual(["lost"]);
    clientIDs.delete("c-0");
    members.record(inFleet(resourceTypes.cluster, "c-0"), unseen, () => []);
    expect(members.withoutCluster(workspace)).toEqual(["lost", "c-0"]);
    configMaps.splice(1, 1);
    members.record(inFleet(resourceTypes.configMap, memberStateName("lost")), unseen, () => [owner("lost")]);
    clientIDs.set("c-0", "again");
    members.record(inFleet(resourceTypes.cluster, "c-0"), unseen, () => []);
    readsSince();
    expect(members.withoutCluster(workspace)).toEqual([]);
    expect(members.withoutCluster(workspace)).toEqual([]);
    expect(readsSince()).toEqual(["lost", "c-0"]);
  });
});

import { describe, expect, it } from "vitest";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { DeletionScene } from "../../../src/reconcile/hub-deletions.ts";
import { HubDeletions } from "../../../src/reconcile/hub-deletions.ts";

const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "rollcall-system" },
  spec: { url: "/srv/fleet.git", onHubObjects: [{ policy: "Ignore", deletions: "Commit" }] },
};
const ref = { type: resourceTypes.cluster, namespace: "prod", name: "eu-1" };

function declared(annotations: Record<string, string> = {}): KubeObject {
  const labels = { "rollcall.dev/repository": "rollcall-system.fleet" };
  const managedFields = [{ manager: "rollcall-git", operation: "Apply" as const, fieldsV1: {} }];
  const metadata = { name: "eu-1", namespace: "prod", labels, annotations, managedFields };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata };
}

const seen: ViewChange = { ref, object: undefined, before: declared(), isPlanned: false, isDeletionSeen: true };
const scene: DeletionScene = { repository, isDeclared: () => true, nowMs: 1000 };

/** Deletions of a hub that has the object again, in a namespace of this uid. */
function openDeletions(): { deletions: HubDeletions; namespace: { uid: string | undefined } } {
  const namespace: { uid: string | undefined } = { uid: "first" };
  const view = { get: () => declared(), workspaceUid: () => namespace.uid };
  return { deletions: new HubDeletions(view), namespace };
}

describe("HubDeletions", () => {
  it("gives a deletion that the watch reported, ten seconds after the last one", () => {
    const { deletions } = openDeletions();
    deletions.record(seen, scene);
    expect(deletions.due(10_999)).toEqual([]);
    deletions.record({ ...seen, ref: { ...ref, name: "eu-2" } }, { ...scene, nowMs: 9000 });
    expect(deletions.due(11_000)).toEqual([]);
    expect(deletions.dueInMs(11_000)).toBe(8000);
    expect(deletions.due(19_000)).toHaveLength(2);
    deletions.forget(19_000);
    expect(deletions.dueInMs(19_000)).toBeUndefined();
  });

  it.each<[string, Partial<ViewChange>, Partial<DeletionScene>]>([
    ["a change of an object", { object: declared() }, {}],
    ["an object that was never seen", { before: undefined }, {}],
    ["an object whose kind no file declares", { ref: { ...ref, type: resourceTypes.lease } }, {}],
    ["what is not known to be a deletion", { isDeletionSeen: undefined }, {}],
    ["an object that a list lacks: an older copy of the hub", { isDeletionSeen: false }, {}],
    ["an object that the head does not declare", {}, { isDeclared: () => false }],
    [
      "an object that git never applied",
      { before: { ...declared(), metadata: { name: "eu-1", namespace: "prod" } } },
      {},
    ],
    ["a cluster that leaves", { before: declared({ "rollcall.dev/leave": "abc" }) }, {}],
    ["another Repository's object", {}, { repository: { ...repository, metadata: { name: "other", namespace: "x" } } }],
    ["an object under Ignore", {}, { repository: { ...repository, spec: { url: "/srv/fleet.git" } } }],
  ])("does not count %s", (_what, change, changedScene) => {
    const { deletions } = openDeletions();
    deletions.record({ ...seen, ...change }, { ...scene, ...changedScene });
    expect(deletions.dueInMs(1000)).toBeUndefined();
  });

  describe("of an object of another project's kind", () => {
    const memberRef = { type: resourceTypes.memberCluster, name: "eu-1" };
    const labels = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": "prod" };
    const member: KubeObject = {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "eu-1", labels },
    };
    const onHubObjects = [
      { kinds: ["MemberCluster" as const], policy: "Ignore" as const, deletions: "Commit" as const },
    ];
    const memberScene = { ...scene, repository: { ...repository, spec: { url: "/srv/fleet.git", onHubObjects } } };
    const memberSeen = { ...seen, ref: memberRef, before: member };
    const deletionsBeside = (owner: KubeObject | undefined): HubDeletions =>
      new HubDeletions({ get: ({ type }) => (type === memberRef.type ? member : owner), workspaceUid: () => "first" });

    it("counts, when its Cluster is there: kubectl delete membercluster", () => {
      const deletions = deletionsBeside(declared());
      deletions.record(memberSeen, memberScene);
      expect(deletions.due(11_000)).toEqual([member]);
    });

    it.each([
      ["whose Cluster leaves: the hub deletes it", declared({ "rollcall.dev/leave": "abc" })],
      ["whose Cluster is deleted", undefined],
    ])("does not count one %s", (_what, owner) => {
      const deletions = deletionsBeside(owner);
      deletions.record(memberSeen, memberScene);
      expect(deletions.dueInMs(1000)).toBeUndefined();
    });

    it("does not count one in a namespace of its own: the namespace may be what was deleted", () => {
      const deletions = deletionsBeside(declared());
      const managed = { type: resourceTypes.managedCluster, namespace: "clusternet-eu-1", name: "eu-1" };
      const before = { ...member, metadata: { ...member.metadata, namespace: "clusternet-eu-1" } };
      deletions.record({ ...memberSeen, ref: managed, before }, memberScene);
      expect(deletions.dueInMs(1000)).toBeUndefined();
    });
  });

  it("does not count an object of a namespace that was deleted, or deleted and created again", () => {
    const { deletions, namespace } = openDeletions();
    deletions.record(seen, scene);
    namespace.uid = "second";
    expect(deletions.due(20_000)).toEqual([]);
    deletions.forget(20_000);
    namespace.uid = undefined;
    deletions.record(seen, scene);
    expect(deletions.dueInMs(20_000)).toBeUndefined();
  });

  it("does not count an object that could not be created again: its namespace or its kind ends", () => {
    const { deletions } = openDeletions();
    deletions.record(seen, scene);
    const change = { kind: "create" as const, ref, reason: "" };
    deletions.confirm([{ change, error: new Error("terminating") }] as never);
    expect(deletions.dueInMs(20_000)).toBeUndefined();
  });

  it("does not count what the plan deleted: a watch may report it before the API server answers", () => {
    const { deletions } = openDeletions();
    deletions.record(seen, scene);
    deletions.confirm([{ change: { kind: "delete" as const, ref, reason: "its file is deleted" } }] as never);
    expect(deletions.dueInMs(20_000)).toBeUndefined();
  });

  it("counts a deletion whose object could be created again", () => {
    const { deletions } = openDeletions();
    deletions.record(seen, scene);
    deletions.confirm([{ change: { kind: "create" as const, ref, reason: "" } }] as never);
    expect(deletions.due(11_000)).toHaveLength(1);
  });

  it("keeps a deletion that came while an earlier one was decided", () => {
    const { deletions } = openDeletions();
    deletions.record(seen, scene);
    deletions.record({ ...seen, ref: { ...ref, name: "eu-2" } }, { ...scene, nowMs: 11_000 });
    deletions.forget(11_000);
    expect(deletions.dueInMs(11_000)).toBe(10_000);
    deletions.forget(21_000);
    expect(deletions.dueInMs(21_000)).toBeUndefined();
  });

  it("counts a thousand deletions at most", () => {
    const { deletions } = openDeletions();
    for (let index = 0; index <= 1000; index += 1)
      deletions.record({ ...seen, ref: { ...ref, name: `eu-${index}` } }, scene);
    expect(deletions.due(11_000)).toHaveLength(1000);
  });
});

import { describe, expect, it } from "vitest";
import type { HubEvent } from "../../../src/hub/events.ts";
import type { HubView, ViewChange } from "../../../src/hub/hub-view.ts";
import { reportHubObjects, writableTypes } from "../../../src/hub/report-hub-objects.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { openMemberWorld } from "./members/member-world.ts";

function own(kind: string, name: string, changes: object = {}): KubeObject {
  return { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace: "fleet", name, ...changes } };
}

async function open(objects: readonly KubeObject[] = []) {
  const world = await openMemberWorld();
  for (const object of objects) await world.put(object, "kubectl");
  const stop = reportHubObjects(world.ports);
  const told = () => world.events.map(({ reason, regarding }) => `${reason} ${regarding.metadata.name}`);
  return { ...world, stop, told };
}

describe("reportHubObjects", () => {
  it("reports what is there, what is created, and nothing after its end", async () => {
    const { put, stop, told } = await open([own("ClusterGroup", "a")]);
    await put(own("ClusterGroup", "b"), "kubectl");
    stop();
    await put(own("ClusterGroup", "c"), "kubectl");
    expect(told()).toEqual(["NotInGit a", "NotInGit b"]);
  });

  it("reports the same of an object once", async () => {
    const { put, told } = await open([own("ClusterGroup", "a")]);
    await put(own("ClusterGroup", "a", { annotations: { x: "y" } }), "kubectl");
    expect(told()).toEqual(["NotInGit a"]);
  });

  it.each([
    { reason: "declared by a file", kind: "ClusterGroup", manager: "rollcall-git" },
    { reason: "a Cluster, which has a condition", kind: "Cluster", manager: "kubectl" },
  ])("does not report an object that is $reason", async ({ kind, manager }) => {
    const { put, told } = await open();
    await put(own(kind, "a", { labels: { "rollcall.dev/repository": "r" } }), manager);
    expect(told()).toEqual([]);
  });
});

describe("reportHubObjects of deletions", () => {
  const labels = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": "fleet" };
  const member: KubeObject = {
    apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
    kind: "MemberCluster",
    metadata: { name: "eu-1", labels },
  };
  const owner = (annotations: Record<string, string>): KubeObject => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name: "eu-1",
      namespace: "fleet",
      labels: { "rollcall.dev/repository": "r" },
      annotations,
      managedFields: [{ manager: "rollcall-git", operation: "Apply", fieldsV1: {} }],
    },
  });

  /** What is reported when a watch reports these two, one after the other. */
  async function tell(cluster: KubeObject, deletion: Partial<ViewChange>): Promise<readonly string[]> {
    const { ports } = await openMemberWorld();
    const told: HubEvent[] = [];
    let listener: ((change: ViewChange) => void) | undefined;
    const view = {
      list: () => [],
      get: () => cluster,
      subscribe: (each: (change: ViewChange) => void) => {
        listener = each;
        return () => undefined;
      },
    } as unknown as HubView;
    const events = { record: (event: HubEvent) => void told.push(event), stop: () => Promise.resolve() };
    reportHubObjects({ ...ports, view, events });
    const ref = { type: resourceTypes.memberCluster, name: "eu-1" };
    const change = { ref, object: undefined, before: member, isPlanned: false, isDeletionSeen: true };
    listener?.({ ...change, ...deletion });
    listener?.({ ref, object: member, before: undefined, isPlanned: false });
    return told.map(({ reason, message }) => `${reason}: ${message}`);
  }

  it("notifies the user of a declared object that exists again, with the file and what removes it", async () => {
    expect(await tell(owner({ "rollcall.dev/source-file": "eu.yaml" }), {})).toEqual([
      "CreatedAgain: It was deleted on the hub and is created again, because eu.yaml declares it. To remove it, delete it " +
        "from that file and push.",
    ]);
  });

  it.each<[string, Record<string, string>, Partial<ViewChange>]>([
    ["that a list lacks", {}, { isDeletionSeen: false }],
    ["whose Cluster leaves", { "rollcall.dev/leave": "abc" }, {}],
  ])("reports nothing about one %s", async (_what, annotations, deletion) => {
    expect(await tell(owner(annotations), deletion)).toEqual([]);
  });
});

describe("writableTypes", () => {
  it("are our own kinds and those that the served protocols declare", async () => {
    const { ports } = await open();
    const kinds = ["Cluster", "ClusterRegistrationToken", "ClusterGroup", "MemberCluster"];
    expect(writableTypes(ports.protocols).map(({ kind }) => kind)).toEqual(kinds);
  });
});

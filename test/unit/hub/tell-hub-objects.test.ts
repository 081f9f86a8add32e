import { describe, expect, it } from "vitest";
import { tellHubObjects, writableTypes } from "../../../src/hub/tell-hub-objects.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { openMemberWorld } from "./members/member-world.ts";

function own(kind: string, name: string, changes: object = {}): KubeObject {
  return { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace: "fleet", name, ...changes } };
}

async function open(objects: readonly KubeObject[] = []) {
  const world = await openMemberWorld();
  for (const object of objects) await world.put(object, "kubectl");
  const stop = tellHubObjects(world.ports);
  const told = () => world.events.map(({ reason, regarding }) => `${reason} ${regarding.metadata.name}`);
  return { ...world, stop, told };
}

describe("tellHubObjects", () => {
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

describe("writableTypes", () => {
  it("are our own kinds and those that the served protocols declare", async () => {
    const { ports } = await open();
    const kinds = ["Cluster", "ClusterRegistrationToken", "ClusterGroup", "MemberCluster"];
    expect(writableTypes(ports.protocols).map(({ kind }) => kind)).toEqual(kinds);
  });
});

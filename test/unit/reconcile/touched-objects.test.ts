import { describe, expect, it } from "vitest";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { TouchedObjects } from "../../../src/reconcile/touched-objects.ts";

function open() {
  const listeners = new Set<(change: ViewChange) => void>();
  const view = {
    workspaces: ["fleet"],
    isComplete: true,
    subscribe: (listener: (change: ViewChange) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const touched = new TouchedObjects(view);
  const change = (type: ResourceType, name: string, labels: Record<string, string> = {}): void => {
    const object: KubeObject = { apiVersion: "v1", kind: type.kind, metadata: { name, namespace: "fleet", labels } };
    const ref = { type, namespace: "fleet", name };
    for (const listener of listeners) listener({ ref, object, before: undefined, isPlanned: true });
  };
  const names = (): string[] | undefined => touched.take()?.map(({ type, name }) => `${type.kind} ${name}`);
  // The first time there is nothing that it could be compared with.
  expect(names()).toBeUndefined();
  return { view, touched, change, names, listeners };
}

describe("TouchedObjects", () => {
  it("names each object that changed since it was asked, once, own writes too", () => {
    const { change, names } = open();
    for (const name of ["a", "b", "a"]) change(resourceTypes.cluster, name);
    expect(names()).toEqual(["Cluster a", "Cluster b"]);
    expect(names()).toEqual([]);
  });

  it("names what plans read of the hub, and nothing else", () => {
    const { change, names } = open();
    change(resourceTypes.clusterRegistrationToken, "t");
    change(resourceTypes.clusterGroup, "g");
    change(resourceTypes.configMap, "rollcall-cluster-a");
    change(resourceTypes.configMap, "other");
    change(resourceTypes.secret, "of-a-member", { [labelKeys.cluster]: "a" });
    change(resourceTypes.secret, "of-a-file", { [labelKeys.repository]: "system.fleet" });
    change(resourceTypes.lease, "heartbeat");
    expect(names()).toEqual([
      ...["ClusterRegistrationToken t", "ClusterGroup g"],
      ...["ConfigMap rollcall-cluster-a", "Secret of-a-file"],
    ]);
  });

  it("cannot name them when they are too many, and can again afterwards", () => {
    const { change, names } = open();
    for (let index = 0; index < 1001; index++) change(resourceTypes.cluster, `c${index}`);
    expect(names()).toBeUndefined();
    change(resourceTypes.cluster, "a");
    expect(names()).toEqual(["Cluster a"]);
  });

  it("cannot name them when other namespaces are workspaces, or while not everything is listed", () => {
    const { view, names } = open();
    view.workspaces = ["fleet", "second"];
    expect(names()).toBeUndefined();
    expect(names()).toEqual([]);
    view.isComplete = false;
    expect(names()).toBeUndefined();
    view.isComplete = true;
    expect(names()).toBeUndefined();
    expect(names()).toEqual([]);
  });

  it("ends with its run", () => {
    const { touched, listeners } = open();
    touched.stop();
    expect(listeners.size).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { countObjects } from "../../../src/hub/fleet-counts.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fieldManagers, labelKeys } from "../../../src/model/well-known.ts";

const label = "rollcall.fleet";

function cluster(name: string, { ready = "False", repository = label, manager = "" } = {}): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: "fleet",
      labels: { [labelKeys.repository]: repository },
      managedFields: [{ manager, operation: "Apply" }],
    },
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}

function openView(count: number) {
  const listeners: ((change: ViewChange) => void)[] = [];
  let visits = 0;
  const objects = Array.from({ length: count }, (_, index) => cluster(`c${index}`, { manager: fieldManagers.git }));
  return {
    view: {
      list: ({ kind }: ResourceType) => {
        const found = objects.filter((object) => object.kind === kind);
        visits += found.length;
        return found;
      },
      subscribe: (listener: (change: ViewChange) => void) => {
        listeners.push(listener);
        return () => undefined;
      },
    },
    change: (before: KubeObject | undefined, object: KubeObject | undefined) => {
      const seen = object ?? before;
      if (seen === undefined) return;
      const ref = refOf(resourceTypes.cluster, seen);
      for (const listener of listeners) listener({ ref, object, before, isPlanned: false });
    },
    visits: () => visits,
  };
}

describe("countObjects", () => {
  it("follows what is added, changed and deleted, and visits nothing else for it", () => {
    const { view, change, visits } = openView(300);
    expect(countObjects(view, label)).toEqual({
      ...{ clusters: 300, readyClusters: 0, ownedClusters: 300 },
      ...{ tokens: 0, groups: 0 },
    });
    expect(visits()).toBe(300);
    const made = cluster("made");
    const ready = cluster("made", { ready: "True", manager: fieldManagers.git });
    change(undefined, made);
    expect(countObjects(view, label)).toMatchObject({ clusters: 301, readyClusters: 0, ownedClusters: 300 });
    change(made, ready);
    expect(countObjects(view, label)).toMatchObject({ clusters: 301, readyClusters: 1, ownedClusters: 301 });
    change(ready, undefined);
    expect(countObjects(view, label)).toMatchObject({ clusters: 300, readyClusters: 0, ownedClusters: 300 });
    expect(visits()).toBe(300);
  });

  it("counts the objects of one Repository alone", () => {
    const { view, change } = openView(2);
    expect(countObjects(view, "rollcall.another")).toMatchObject({ clusters: 0 });
    change(undefined, cluster("other", { repository: "rollcall.another", ready: "True" }));
    expect(countObjects(view, label)).toMatchObject({ clusters: 2, readyClusters: 0 });
    expect(countObjects(view, "rollcall.another")).toMatchObject({ clusters: 1, readyClusters: 1, ownedClusters: 0 });
  });
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { startPublisher } from "../../../src/daemon/wire-publish.ts";
import type { HubView, ViewChange } from "../../../src/hub/hub-view.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { until } from "../../support/until.ts";

const cluster = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { namespace: "fleet", name: "eu-1", uid: "u1" },
  spec: { protocol: "rollcall" },
} as Cluster;

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** A publisher of ClusterProfiles of one Cluster. The lists of the hub, and of the view, wait at a gate each. */
function openPublisher({ isWorkspace = true, isBeingListed = false } = {}) {
  const applied: string[] = [];
  const lists = gate();
  const view = gate();
  let tell: (change: ViewChange) => void = () => undefined;
  const hubApi = {
    list: async () => {
      await lists.opened;
      return { items: [], resourceVersion: "1" };
    },
    watch: async function* (_: unknown, { signal }: { readonly signal: AbortSignal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    apply: async (object: KubeObject) => {
      applied.push(`${object.kind} ${object.metadata.name}`);
      return object;
    },
  } as unknown as KubeApi;
  const hubView = {
    whenSynced: () => view.opened,
    isWorkspace: () => isWorkspace,
    isBeingListed: () => isBeingListed,
    list: () => [cluster],
    get: () => cluster,
    subscribe: (listener: (change: ViewChange) => void) => {
      tell = listener;
      return () => undefined;
    },
  } as unknown as HubView;
  const publisher = startPublisher({
    hubApi,
    view: hubView,
    targets: { clusterProfiles: true },
    removal: { timeoutMs: 60_000, unselects: false },
    onReleased: () => undefined,
    log: silentLog,
  });
  onTestFinished(() => {
    for (const { open } of [lists, view]) open();
    return publisher.stop();
  });
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
  const changeCluster = async (): Promise<void> => {
    tell({ ref, object: cluster, before: undefined, isPlanned: false });
    // Enough for all that a publisher does without waiting for another program.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  return { applied, lists, view, changeCluster };
}

describe("startPublisher", () => {
  it.each([
    ["published objects", "lists", "view"],
    ["Clusters", "view", "lists"],
  ] as const)("writes nothing before the %s are listed, whatever changes", async (_, late, early) => {
    const { applied, changeCluster, ...gates } = openPublisher();
    gates[early].open();
    await changeCluster();
    expect(applied).toEqual([]);
    gates[late].open();
    await until(
      () => Promise.resolve(applied.length),
      (count) => count > 0,
    );
    expect(new Set(applied)).toEqual(new Set(["ClusterProfile eu-1"]));
  });

  it.each([
    ["is being listed anew", { isBeingListed: true }],
    ["is none any more", { isWorkspace: false }],
  ])("leaves as it is what it published for a workspace that %s", async (_, state) => {
    const { applied, lists, view, changeCluster } = openPublisher(state);
    lists.open();
    view.open();
    await changeCluster();
    await changeCluster();
    expect(applied).toEqual([]);
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { startHubControllers } from "../../../../src/hub/controllers/controllers.ts";
import { HubView } from "../../../../src/hub/hub-view.ts";
import { createValueSharing } from "../../../../src/hub/share-values.ts";
import { outsideTypesOf } from "../../../../src/hub/outside-types.ts";
import { reconcileToken } from "../../../../src/hub/tokens.ts";
import { watchedTypes } from "../../../../src/hub/watched-types.ts";
import type { KubeCache, KubeCacheOptions } from "../../../../src/kube/kube.ts";
import type { ResourceType } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { openMemberWorld, workspace } from "../members/member-world.ts";

const { cluster, clusterRegistrationToken, configMap, serviceAccount } = resourceTypes;

const kindOfGroup = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterGroup" };

/** A world with a member that leaves and a token, each with what the hub made for it. */
async function openWorld() {
  const world = await openMemberWorld();
  const metadata = { namespace: workspace, name: "edge", labels: { "rollcall.dev/repository": "rollcall.fleet" } };
  await world.put({ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec: {} });
  await reconcileToken(world.ports, { workspace, name: "edge" }, world.signal);
  await world.addCluster("eu-1", {
    annotations: { "rollcall.dev/leave": "c0ffee" },
    state: {
      origin: { isDeclared: true },
      join: { time: "2026-01-01T00:00:00Z", registration: "r", initiated: "hub" },
    },
  });
  world.requests.length = 0;
  return world;
}

/** The hub's controllers on a view to which the lists of some kinds of the workspace come later than the others. */
async function startOnLateLists(world: Awaited<ReturnType<typeof openWorld>>, late: readonly ResourceType[]) {
  const { ports, hub } = world;
  const waiting: (() => void)[] = [];
  const startCache = (type: ResourceType, options: KubeCacheOptions): KubeCache => {
    if (options.namespace === undefined || !late.includes(type)) return hub.startCache(type, options);
    let listed: KubeCache | undefined;
    const synced = new Promise<void>((resolve) => {
      waiting.push(() => {
        listed = hub.startCache(type, options);
        void listed.whenSynced().then(resolve);
      });
    });
    return {
      type,
      whenSynced: () => synced,
      get isSynced() {
        return listed !== undefined;
      },
      list: (namespace) => listed?.list(namespace) ?? [],
      get: (namespace, name) => listed?.get(namespace, name),
      failingSinceMs: undefined,
      isAway: false,
      isStale: false,
      stop: async () => listed?.stop(),
    };
  };
  const protocols = [...ports.protocols.values()];
  const view = new HubView({
    types: watchedTypes(protocols),
    outsideTypes: outsideTypesOf(ports.protocols),
    startCache,
    isAllowedWorkspace: () => true,
    shareValues: createValueSharing(),
    log: silentLog,
  });
  const clock = createManualClock();
  const controllers = startHubControllers(
    { ...ports, view, clock },
    { random: { next: () => 0.5 } as never, onProposal: () => undefined },
  );
  onTestFinished(async () => {
    await controllers.stop();
    await view.stop();
  });
  const settle = async (): Promise<void> => {
    await clock.advance(1000);
    await controllers.whenIdle();
  };
  await settle();
  return {
    stop: () => controllers.stop(),
    finishLists: async (): Promise<void> => {
      for (const list of waiting) list();
      await view.whenSynced();
      await settle();
    },
  };
}

describe("startHubControllers, while a namespace that became a workspace is being listed", () => {
  it.each([
    { reason: "a token whose accounts are listed before it", late: [clusterRegistrationToken] },
    { reason: "a token whose accounts are listed after it", late: [serviceAccount] },
    { reason: "a leaving member whose state is listed after it", late: [configMap] },
    { reason: "a member whose state is listed before it", late: [cluster] },
  ])("writes nothing for $reason", async ({ late }) => {
    const world = await openWorld();
    const { finishLists } = await startOnLateLists(world, late);
    expect(world.asked()).toEqual([]);
    await finishLists();
    const asked = world.asked();
    expect(asked.filter((request) => request.startsWith("delete"))).toEqual([
      "delete ConfigMap/rollcall-cluster-eu-1",
      "delete Cluster/eu-1",
    ]);
  });
});

it("records nothing of the hub once the controllers have stopped: another process may lead it then", async () => {
  const world = await openWorld();
  const { stop } = await startOnLateLists(world, []);
  const group = (name: string) => ({ ...kindOfGroup, metadata: { namespace: workspace, name } });
  await world.put(group("before"), "kubectl");
  await stop();
  await world.put(group("after"), "kubectl");
  const groups = world.events.filter(({ regarding }) => regarding.kind === "ClusterGroup");
  expect(groups.map(({ regarding }) => regarding.metadata.name)).toEqual(["before"]);
});

import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import type { KubeCacheOptions } from "../../../src/kube/kube.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { memberStateObject } from "../../../src/model/member-state.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { clusterOf, coreObject } from "./objects.ts";

const { cluster, configMap, secret, clusterRegistrationToken } = resourceTypes;
const types = [cluster, configMap, secret, clusterRegistrationToken];

interface FedCache {
  readonly type: ResourceType;
  readonly options: KubeCacheOptions;
  isSynced: boolean;
  isStale: boolean;
  failingSinceMs: number | undefined;
  isStopped: boolean;
}

/** A view whose watches are fed by hand. */
function open({ isAllowed = (_name: string): boolean => true, isSynced = true } = {}) {
  const caches: FedCache[] = [];
  const namespaces = new Map<string, KubeObject>();
  const view = new HubView({
    types,
    startCache: (type, options) => {
      const cache: FedCache = { type, options, isSynced, isStale: false, failingSinceMs: undefined, isStopped: false };
      caches.push(cache);
      return Object.assign(cache, {
        isAway: false,
        whenSynced: () => Promise.resolve(),
        list: () => [...namespaces.values()],
        get: (_namespace: string | undefined, name: string) => namespaces.get(name),
        stop: async () => {
          cache.isStopped = true;
        },
      });
    },
    isAllowedWorkspace: (name) => isAllowed(name),
    log: silentLog,
  });
  const changes: ViewChange[] = [];
  const unsubscribe = view.subscribe((change) => void changes.push(change));
  const cacheOf = (type: ResourceType, namespace?: string): FedCache => {
    const found = caches.find(
      (cache) => cache.type === type && cache.options.namespace === namespace && !cache.isStopped,
    );
    if (found === undefined) throw new Error(`no watch of ${type.kind} in ${namespace ?? "all namespaces"}`);
    return found;
  };
  const feed = (object: KubeObject, isDeletionSeen?: boolean): void => {
    const type = resourceTypeOf(object);
    if (type === undefined) throw new Error(object.kind);
    const ref = refOf(type, object);
    const news =
      isDeletionSeen === undefined ? { ref, object } : { ref, object: undefined, removed: object, isDeletionSeen };
    cacheOf(type, object.metadata.namespace).options.onChange?.(news);
  };
  const follow = (name: string, metadata: object = {}): void => {
    const object = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, uid: `uid-${name}`, resourceVersion: "1", ...metadata },
    };
    namespaces.set(name, object);
    feed(object);
  };
  follow("fleet");
  return { view, caches, cacheOf, feed, follow, changes, unsubscribe, namespaces };
}

const stateOf = (name: string, state: object): KubeObject => {
  const object = memberStateObject("fleet", name, state);
  return { ...object, metadata: { ...object.metadata, uid: `state-${name}`, resourceVersion: "1" } };
};

describe("HubView", () => {
  it("is complete, and lets a workspace be worked on, only when each of its kinds is listed", () => {
    const { view, cacheOf } = open();
    expect([view.isComplete, view.isBeingListed("fleet"), view.isBeingListed("labs")]).toEqual([true, false, false]);
    cacheOf(secret, "fleet").isSynced = false;
    expect([view.isComplete, view.isBeingListed("fleet")]).toEqual([false, true]);
    cacheOf(secret, "fleet").isSynced = true;
    cacheOf(resourceTypes.namespace).isSynced = false;
    expect([view.isComplete, view.isBeingListed("fleet")]).toEqual([false, false]);
  });

  it("F4 lets no workspace be worked on while one of its kinds is listed again and another is of before the hub was away", () => {
    const { view, caches, cacheOf } = open();
    expect(view.isBeingListed("fleet")).toBe(false);
    const inside = caches.filter(({ options }) => options.namespace === "fleet");
    for (const cache of inside) cache.isStale = true;
    // The hub is away: each write fails, and waits for longer each time.
    expect(view.isBeingListed("fleet")).toBe(false);
    cacheOf(cluster, "fleet").isStale = false;
    expect(view.isBeingListed("fleet")).toBe(true);
    for (const cache of inside) cache.isStale = false;
    expect(view.isBeingListed("fleet")).toBe(false);
  });

  it("reports since when the watches of a kind fail, by the first of them", () => {
    const { view, cacheOf, follow } = open();
    follow("labs");
    expect(view.failingSinceMs(secret)).toBeUndefined();
    cacheOf(secret, "fleet").failingSinceMs = 20;
    cacheOf(secret, "labs").failingSinceMs = 10;
    cacheOf(configMap, "labs").failingSinceMs = 5;
    expect([view.failingSinceMs(secret), view.failingSinceMs(cluster)]).toEqual([10, undefined]);
  });

  it("follows the namespaces that are allowed and not being deleted, and notifies its subscribers when that changes", () => {
    let allowed = ["fleet", "labs"];
    const { view, follow, caches } = open({ isAllowed: (name) => allowed.includes(name) });
    let told = 0;
    const unsubscribe = view.subscribeToWorkspaces(() => void (told += 1));
    follow("labs");
    follow("forbidden");
    expect([view.workspaces, told]).toEqual([["fleet", "labs"], 1]);
    follow("labs", { deletionTimestamp: "2027-01-15T08:00:00Z" });
    expect([view.workspaces, told, view.isWorkspace("labs"), view.workspaceUid("labs")]).toEqual([
      ["fleet"],
      2,
      false,
      undefined,
    ]);
    expect(caches.filter(({ options }) => options.namespace === "labs").every(({ isStopped }) => isStopped)).toBe(true);
    allowed = ["forbidden"];
    view.chooseWorkspaces();
    expect([view.workspaces, told, view.workspaceUid("forbidden")]).toEqual([["forbidden"], 4, "uid-forbidden"]);
    unsubscribe();
    allowed = [];
    view.chooseWorkspaces();
    expect([view.workspaces, told]).toEqual([[], 4]);
  });

  it("reports a change once, with what was held before: the echo of an own write is none", () => {
    const { view, feed, changes, unsubscribe } = open();
    const [first, second] = [coreObject("Secret", "s"), coreObject("Secret", "s", { resourceVersion: "2" })];
    feed(first);
    view.recordWritten(secret, second, { isPlanned: true });
    feed(second);
    const ref = refOf(secret, first);
    expect(changes).toEqual([
      { ref, object: first, before: undefined, isPlanned: false },
      { ref, object: second, before: first, isPlanned: true },
    ]);
    changes.length = 0;
    view.recordDeleted(ref, { isPlanned: true });
    view.recordDeleted(ref);
    feed(second, true);
    expect(changes).toEqual([{ ref, object: undefined, before: second, isPlanned: true }]);
    unsubscribe();
    feed(coreObject("Secret", "t"));
    expect(changes).toHaveLength(1);
  });

  it.each([true, false])("reports whether a watch saw a deletion: %s", (isDeletionSeen) => {
    const { feed, changes } = open();
    feed(coreObject("Secret", "s"));
    feed(coreObject("Secret", "s"), isDeletionSeen);
    expect(changes.at(-1)?.isDeletionSeen ?? false).toBe(isDeletionSeen);
  });

  it("takes nothing in of a namespace that it does not watch", () => {
    const { view } = open();
    view.recordWritten(secret, coreObject("Secret", "s", { namespace: "elsewhere" }));
    expect(view.list(secret)).toEqual([]);
  });

  it("takes in nothing more when it was stopped", async () => {
    const { view, feed, changes, caches } = open();
    await view.stop();
    expect(caches.every(({ isStopped }) => isStopped)).toBe(true);
    expect(() => feed(coreObject("Secret", "s"))).toThrow("no watch");
    caches[0]?.options.onChange?.({
      ref: { type: resourceTypes.namespace, name: "labs" },
      object: coreObject("Namespace", "labs"),
    });
    expect([view.isWorkspace("labs"), changes]).toEqual([false, []]);
  });
});

describe("HubView.memberOf", () => {
  it.each<{ reason: string; annotations: Record<string, string>; isFormer: boolean }>([
    { reason: "is on its way here", annotations: { [annotationKeys.movedTo]: "fleet/eu-1" }, isFormer: true },
    { reason: "is on its way to a third", annotations: { [annotationKeys.movedTo]: "fleet/x" }, isFormer: false },
    { reason: "stays", annotations: {}, isFormer: false },
  ])("has the predecessor ($isFormer) that $reason", ({ annotations, isFormer }) => {
    const { view, feed } = open();
    feed(clusterOf("old", { metadata: { annotations } }));
    feed(clusterOf("eu-1"));
    feed(stateOf("eu-1", { movedFrom: { workspace: "fleet", name: "old" } }));
    expect(view.memberOf("fleet", "eu-1")?.former?.name).toBe(isFormer ? "old" : undefined);
  });

  it("is undefined without a Cluster, and all members of a workspace are those with one", () => {
    const { view, feed } = open();
    feed(stateOf("lost", {}));
    feed(clusterOf("eu-1"));
    expect(view.memberOf("fleet", "lost")).toBeUndefined();
    expect(["eu-1", "eu-2"].flatMap((name) => view.membersOf("fleet").named(name)?.name ?? [])).toEqual(["eu-1"]);
    expect(view.memberStateOf("fleet", "lost")).toEqual({});
    expect(view.memberStateOf("fleet", "eu-1")).toBeUndefined();
  });

  it("reads the state of a member once for each of its versions", () => {
    const { view, feed } = open();
    feed(stateOf("eu-1", { clientID: "a" }));
    const first = view.memberStateOf("fleet", "eu-1");
    expect(view.memberStateOf("fleet", "eu-1")).toBe(first);
    const next = stateOf("eu-1", { clientID: "b" });
    feed({ ...next, metadata: { ...next.metadata, resourceVersion: "2" } });
    expect(view.memberStateOf("fleet", "eu-1")).toEqual({ clientID: "b" });
  });

  it("has the objects of a token with it", () => {
    const { view, feed } = open();
    expect(view.tokenOf("fleet", "edge")).toBeUndefined();
    feed({ ...coreObject("ClusterRegistrationToken", "edge"), apiVersion: "rollcall.dev/v1alpha1" });
    feed(coreObject("Secret", "s", { labels: { [labelKeys.token]: "edge" } }));
    expect(view.tokensOf("fleet")).toMatchObject([{ name: "edge", children: [{ metadata: { name: "s" } }] }]);
    expect(view.unownedOf(secret, "fleet")).toEqual([]);
  });
});

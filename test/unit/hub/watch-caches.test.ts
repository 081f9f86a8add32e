import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import type { OutsideType } from "../../../src/join/join.ts";
import type { KubeCacheOptions } from "../../../src/kube/kube.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { coreObject } from "./objects.ts";

const { clusterRole, configMap, namespace: namespaceType, secret } = resourceTypes;

/** A view of workspace "fleet" whose watches are fed by hand, and list nothing. */
function open(outsideTypes: readonly OutsideType[], { isSynced = true } = {}) {
  const caches: { readonly type: ResourceType; readonly options: KubeCacheOptions }[] = [];
  const fleet: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet", uid: "n" } };
  let isAllowed = true;
  const view = new HubView({
    types: [secret, configMap],
    outsideTypes,
    startCache: (type, options) => {
      caches.push({ type, options });
      return {
        type,
        whenSynced: () => Promise.resolve(),
        isSynced,
        list: () => (type === namespaceType ? [fleet] : []),
        get: () => (type === namespaceType ? fleet : undefined),
        failingSinceMs: undefined,
        isAway: false,
        isStale: false,
        stop: () => Promise.resolve(),
      };
    },
    isAllowedWorkspace: () => isAllowed,
    log: silentLog,
  });
  caches[0]?.options.onChange?.({ ref: { type: namespaceType, name: "fleet" }, object: fleet });
  const changes: ViewChange[] = [];
  view.subscribe((change) => void changes.push(change));
  const place = (object: KubeObject) => refOf(resourceTypeOf(object) ?? secret, object);
  const cacheOf = (type: ResourceType, options: Partial<KubeCacheOptions>) =>
    caches.find(
      (cache) =>
        cache.type === type &&
        cache.options.namespace === options.namespace &&
        cache.options.labelSelector === options.labelSelector,
    )?.options;
  return {
    view,
    caches,
    changes,
    cacheOf,
    write: (object: KubeObject) => view.recordWritten(place(object).type, object),
    has: (object: KubeObject) => view.get(place(object)) !== undefined,
    feed: (cache: KubeCacheOptions | undefined, object: KubeObject) =>
      cache?.onChange?.({ ref: place(object), object }),
    remove: (cache: KubeCacheOptions | undefined, removed: KubeObject, isDeletionSeen: boolean) =>
      cache?.onChange?.({ ref: place(removed), object: undefined, removed, isDeletionSeen }),
    endWorkspace: () => {
      isAllowed = false;
      view.chooseWorkspaces();
    },
  };
}

const inPlace = (name: string, namespace: string, labels: Record<string, string> = {}) =>
  coreObject("Secret", name, { namespace, labels });
const role = (labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "role", uid: "r", resourceVersion: "1", labels },
});

describe("WatchCaches of a HubView, outside of the workspaces", () => {
  it("watches a kind by the label of owners, by the selector of a protocol, or whole, and in one namespace or all", () => {
    const { caches } = open([
      { type: secret, namespace: "home" },
      { type: clusterRole, labelSelector: "" },
      { type: configMap, labelSelector: "a=1" },
    ]);
    const asked = caches.map(({ type, options: { namespace, labelSelector } }) => [
      type.kind,
      namespace,
      labelSelector,
    ]);
    expect(asked.filter(([kind, namespace]) => kind !== "Namespace" && namespace !== "fleet")).toEqual([
      ["Secret", "home", labelKeys.ownerWorkspace],
      ["ClusterRole", undefined, undefined],
      ["ConfigMap", undefined, "a=1"],
    ]);
  });

  it.each([
    { labelSelector: "", isDeletionSeen: true, expected: true },
    { labelSelector: "", isDeletionSeen: false, expected: false },
    { labelSelector: "a=1", isDeletionSeen: true, expected: false },
    { labelSelector: undefined, isDeletionSeen: true, expected: false },
  ])(
    "takes no removed label for a deletion: selector $labelSelector, deletion $isDeletionSeen",
    ({ labelSelector, isDeletionSeen, expected }) => {
      const outside = { type: clusterRole, ...(labelSelector === undefined ? {} : { labelSelector }) };
      const { caches, feed, remove, changes } = open([outside]);
      const cache = caches.find(({ type }) => type === clusterRole)?.options;
      feed(cache, role());
      remove(cache, role(), isDeletionSeen);
      expect(changes.map(({ object }) => object === undefined)).toEqual([false, true]);
      expect(changes.at(-1)?.isDeletionSeen ?? false).toBe(expected);
    },
  );

  it("takes what is in a workspace from the watch of the workspace alone", () => {
    const { cacheOf, feed, has } = open([{ type: secret, labelSelector: "" }]);
    const [everywhere, ofWorkspace] = [cacheOf(secret, {}), cacheOf(secret, { namespace: "fleet" })];
    const [inside, outside] = [inPlace("a", "fleet"), inPlace("a", "home")];
    feed(everywhere, inside);
    feed(everywhere, outside);
    expect([has(inside), has(outside)]).toEqual([false, true]);
    feed(ofWorkspace, inside);
    expect(has(inside)).toBe(true);
  });

  it.each([
    { type: secret, namespace: "fleet", expected: true },
    { type: clusterRole, namespace: "fleet", expected: false },
    { type: secret, namespace: "home", expected: false },
    { type: configMap, namespace: "home", expected: true },
    { type: configMap, namespace: "labs", expected: false },
    { type: clusterRole, namespace: undefined, expected: true },
    { type: namespaceType, namespace: undefined, expected: false },
  ])("lists all $type.plural of $namespace: $expected", ({ type, namespace, expected }) => {
    const { view } = open([
      { type: secret },
      { type: configMap, namespace: "home", labelSelector: "" },
      { type: clusterRole, labelSelector: "" },
      { type: namespaceType, labelSelector: "a=1" },
    ]);
    expect(view.listsAll({ type, name: "a", ...(namespace === undefined ? {} : { namespace }) })).toBe(expected);
  });

  it("lists all of a kind only once its list is there", () => {
    const { view } = open([{ type: clusterRole, labelSelector: "" }], { isSynced: false });
    expect(view.listsAll({ type: clusterRole, name: "a" })).toBe(false);
    expect(view.listsAll({ type: secret, namespace: "fleet", name: "a" })).toBe(false);
  });

  it("takes in nothing from the watch of a namespace that is no workspace any more", () => {
    const { cacheOf, feed, has, endWorkspace } = open([]);
    const cache = cacheOf(secret, { namespace: "fleet" });
    endWorkspace();
    feed(cache, inPlace("a", "fleet"));
    expect(has(inPlace("a", "fleet"))).toBe(false);
  });

  it("takes in an own write where a watch will show it, and no other", () => {
    const { write, has } = open([{ type: secret, namespace: "home" }, { type: clusterRole }]);
    const objects = [
      inPlace("a", "home"),
      inPlace("a", "labs"),
      inPlace("a", "fleet"),
      coreObject("ConfigMap", "a", { namespace: "home" }),
      role(),
    ];
    for (const object of objects) write(object);
    expect(objects.map(has)).toEqual([true, false, true, false, true]);
  });

  it("forgets an own write that the list of its own watch does not have, and no write of another watch", () => {
    const places = [
      { object: inPlace("a", "home"), type: secret, options: { namespace: "home", labelSelector: "a=1" } },
      { object: inPlace("a", "labs"), type: secret, options: { namespace: "labs" } },
      { object: inPlace("a", "fleet"), type: secret, options: { namespace: "fleet" } },
      { object: coreObject("ConfigMap", "a"), type: configMap, options: { namespace: "fleet" } },
      { object: role(), type: clusterRole, options: { labelSelector: "b=1" } },
    ];
    for (const [listed, { type, options }] of places.entries()) {
      const { cacheOf, write, has } = open([
        { type: secret, namespace: "home", labelSelector: "a=1" },
        { type: secret, namespace: "labs", labelSelector: "" },
        { type: clusterRole, labelSelector: "b=1" },
      ]);
      for (const { object } of places)
        write(object.metadata.namespace === "home" ? inPlace("a", "home", { a: "1" }) : object);
      cacheOf(type, options)?.onListing?.()?.();
      expect(places.map(({ object }) => has(object))).toEqual(places.map((_, index) => index !== listed));
    }
  });

  it("keeps an own write that the list of another selector of its kind cannot have", () => {
    const { cacheOf, write, has } = open([
      { type: secret, labelSelector: "a=1" },
      { type: secret, labelSelector: "b=1" },
    ]);
    const [ofA, ofB] = [inPlace("a", "home", { a: "1" }), inPlace("b", "home", { b: "1" })];
    for (const object of [ofA, ofB]) write(object);
    cacheOf(secret, { labelSelector: "a=1" })?.onListing?.()?.();
    expect([has(ofA), has(ofB)]).toEqual([false, true]);
  });
});

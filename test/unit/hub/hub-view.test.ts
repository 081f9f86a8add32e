import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { unlessAborted } from "../../../src/core/unless-aborted.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import { createValueSharing } from "../../../src/hub/share-values.ts";
import type { OutsideType } from "../../../src/join/join.ts";
import type { KubeCache, KubeCacheOptions } from "../../../src/kube/kube.ts";
import { createKubeStore } from "../../../src/kube/kube-store.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { heldBytes } from "../../support/held-bytes.ts";

const { serviceAccount } = resourceTypes;
const managed = "fleet.cattle.io/managed=true";

/** A cache that is fed by hand: which of two watches brings an object first is what matters here. */
interface FedCache {
  readonly feed: (object: KubeObject) => void;
  readonly remove: (object: KubeObject) => void;
  readonly held: () => readonly KubeObject[];
  /** A list with these objects is asked for; the returned function answers it. */
  readonly list: (...objects: KubeObject[]) => () => void;
}

/** The workspaces are listed at once, and other kinds when `synced` is settled. */
function openView(synced: Promise<void> = Promise.resolve(), further: readonly OutsideType[] = []) {
  const caches = new Map<string, FedCache>();
  let isAllowed = true;
  const startCache = (type: ResourceType, options: KubeCacheOptions): KubeCache => {
    const store = createKubeStore(type);
    // A cache asks for its first list while it is made.
    options.onListing?.();
    caches.set(`${type.kind} ${options.namespace ?? "everywhere"}`, {
      feed: (brought) => {
        const object = options.hold?.(brought) ?? brought;
        if (store.put(object)) options.onChange?.({ ref: refOf(type, object), object });
      },
      held: () => store.list(),
      remove: (removed) => {
        if (store.remove(removed)) options.onChange?.({ ref: refOf(type, removed), object: undefined, removed });
      },
      list: (...objects) => {
        const onListed = options.onListing?.();
        return () => {
          const { put, removed } = store.replace(objects.map((object) => options.hold?.(object) ?? object));
          onListed?.();
          for (const one of removed) options.onChange?.({ ref: refOf(type, one), object: undefined, removed: one });
          for (const object of put) options.onChange?.({ ref: refOf(type, object), object });
        };
      },
    });
    return {
      type,
      whenSynced: (signal) => unlessAborted(type === resourceTypes.namespace ? Promise.resolve() : synced, signal),
      isSynced: true,
      list: (within) => store.list(within),
      get: (within, name) => store.get(within, name),
      failingSinceMs: undefined,
      isAway: false,
      isStale: false,
      stop: () => Promise.resolve(),
    };
  };
  const view = new HubView({
    types: [serviceAccount],
    outsideTypes: [{ type: serviceAccount, labelSelector: managed }, ...further],
    startCache,
    isAllowedWorkspace: () => isAllowed,
    shareValues: createValueSharing(),
    log: silentLog,
  });
  return {
    view,
    feed: (cache: string, object: KubeObject) => caches.get(cache)?.feed(object),
    remove: (cache: string, object: KubeObject) => caches.get(cache)?.remove(object),
    held: (cache: string) => caches.get(cache)?.held() ?? [],
    list: (cache: string, ...objects: KubeObject[]) => caches.get(cache)?.list(...objects) ?? (() => undefined),
    allow: (allowed: boolean) => {
      isAllowed = allowed;
      view.chooseWorkspaces();
    },
  };
}

const account: KubeObject = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: {
    name: "request-1",
    namespace: "fleet",
    uid: "1",
    resourceVersion: "7",
    labels: { "fleet.cattle.io/managed": "true", [labelKeys.cluster]: "eu-1" },
  },
};
const workspace: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "fleet", uid: "2", resourceVersion: "5", labels: { [labelKeys.workspace]: "true" } },
};

describe("HubView, where a watch of everywhere and one of a workspace see the same object", () => {
  it("knows it as its cluster's also when the watch of everywhere was first", () => {
    const { view, feed } = openView();
    feed("ServiceAccount everywhere", account);
    expect(view.childrenOf(labelKeys.cluster, "fleet", "eu-1")).toEqual([]);
    feed("Namespace everywhere", workspace);
    expect(view.childrenOf(labelKeys.cluster, "fleet", "eu-1")).toEqual([account]);
    feed("ServiceAccount fleet", account);
    expect(view.childrenOf(labelKeys.cluster, "fleet", "eu-1")).toEqual([account]);
  });

  it("keeps what the watch of everywhere holds when the namespace is no workspace any more", () => {
    const { view, feed, allow } = openView();
    feed("Namespace everywhere", workspace);
    feed("ServiceAccount everywhere", account);
    feed("ServiceAccount fleet", account);
    allow(false);
    expect(view.childrenOf(labelKeys.cluster, "fleet", "eu-1")).toEqual([]);
    expect(view.get(refOf(serviceAccount, account))).toBe(account);
    allow(true);
    expect(view.childrenOf(labelKeys.cluster, "fleet", "eu-1")).toEqual([account]);
  });
});

describe("HubView, of requests that the holder of a token makes", () => {
  const { clusterRegistration } = resourceTypes;
  const request = (number: number): KubeObject => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: {
      name: `door-${number}`,
      namespace: "fleet",
      resourceVersion: String(number),
      managedFields: [
        {
          manager: "x",
          fieldsV1: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f:${number}.${at}`, {}])),
        },
      ],
    },
  });

  it("A165 holds the managers of the fields and no large set of fields, however many there are", () => {
    const { view, feed } = openView(Promise.resolve(), [{ type: clusterRegistration, labelSelector: "" }]);
    feed("ClusterRegistration everywhere", request(0));
    const beforeBytes = heldBytes();
    for (let number = 1; number <= 60; number++) feed("ClusterRegistration everywhere", request(number));
    view.recordWritten(clusterRegistration, request(61));
    expect(heldBytes() - beforeBytes).toBeLessThan(8 * 1024 ** 2);
    const requests = view.list(clusterRegistration);
    expect(requests).toHaveLength(62);
    expect(requests.flatMap(({ metadata }) => metadata.managedFields ?? [])).toContainEqual({
      manager: "x",
      fieldsV1: {},
    });
  });
});

describe("HubView, of requests with labels of a megabyte", () => {
  it("A174 holds few of them, however many requests there are", () => {
    const { fleetRegistration } = resourceTypes;
    const { view, feed } = openView(Promise.resolve(), [{ type: fleetRegistration, labelSelector: "" }]);
    const request = (number: number): KubeObject => ({
      apiVersion: "fleet.cattle.io/v1alpha1",
      kind: "ClusterRegistration",
      metadata: {
        name: `request-${number}`,
        namespace: "fleet",
        resourceVersion: String(number),
        labels: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`n${number}.${at}`, ""])),
      },
    });
    feed("ClusterRegistration everywhere", request(0));
    const beforeBytes = heldBytes();
    for (let number = 1; number <= 60; number++) feed("ClusterRegistration everywhere", request(number));
    expect(heldBytes() - beforeBytes).toBeLessThan(8 * 1024 ** 2);
    expect(view.list(fleetRegistration)).toHaveLength(61);
  });
});

describe("HubView, of what is placed for a cluster", () => {
  it("A166 holds the conditions of a Work, and not what its agent reports of each manifest", () => {
    const { work } = resourceTypes;
    const { view, feed } = openView(Promise.resolve(), [{ type: work, labelSelector: "" }]);
    const conditions = [{ type: "Applied", status: "True" }];
    const place = { name: "app", namespace: "fleet-member-eu-1" };
    const reported = (): KubeObject => ({
      ...{
        apiVersion: "placement.kubernetes-fleet.io/v1beta1",
        kind: "Work",
        metadata: { ...place, resourceVersion: "1" },
      },
      status: { conditions, manifestConditions: [{ backReportedStatus: { observedStatus: { any: "thing" } } }] },
    });
    feed("Work everywhere", reported());
    expect(view.get({ type: work, ...place })?.["status"]).toEqual({ conditions });
    view.recordWritten(work, { ...reported(), metadata: { ...place, resourceVersion: "2" } });
    expect(view.get({ type: work, ...place })).toMatchObject({
      metadata: { resourceVersion: "2" },
      status: { conditions },
    });
    expect(view.get({ type: work, ...place })?.["status"]).not.toHaveProperty("manifestConditions");
  });
});

describe("HubView, when a watch brings what this process wrote", () => {
  it("leaves the watch's cache the copy that it holds, and takes every other version", () => {
    const { view, feed, list, held } = openView();
    feed("Namespace everywhere", workspace);
    const written = structuredClone(account);
    view.recordWritten(serviceAccount, written);
    feed("ServiceAccount fleet", structuredClone(account));
    expect(held("ServiceAccount fleet")[0]).toBe(written);
    list("ServiceAccount fleet", structuredClone(account))();
    expect(held("ServiceAccount fleet")[0]).toBe(written);
    const later = { ...account, metadata: { ...account.metadata, resourceVersion: "8" } };
    feed("ServiceAccount fleet", later);
    expect([held("ServiceAccount fleet")[0], view.get(refOf(serviceAccount, account))]).toEqual([later, later]);
    const anew = { ...account, metadata: { ...account.metadata, uid: "9" } };
    feed("ServiceAccount fleet", anew);
    expect(held("ServiceAccount fleet")[0]).toBe(anew);
  });

  it("holds one copy of what many objects have, such as the fields that a manager owns", () => {
    const { view, feed, list } = openView();
    const owned = (name: string): KubeObject => ({
      ...account,
      metadata: {
        ...account.metadata,
        name,
        uid: name,
        managedFields: [{ manager: "hub", operation: "Apply", fieldsV1: { "f:metadata": {} } }],
      },
    });
    feed("Namespace everywhere", workspace);
    view.recordWritten(serviceAccount, owned("a"));
    feed("ServiceAccount fleet", owned("b"));
    list("ServiceAccount everywhere", { ...owned("c"), metadata: { ...owned("c").metadata, namespace: "else" } })();
    const fields = view.list(serviceAccount).map(({ metadata }) => metadata.managedFields?.[0]?.fieldsV1);
    expect(fields).toHaveLength(3);
    expect(new Set(fields).size).toBe(1);
  });
});

describe("HubView, when the hub is restored from an older copy", () => {
  const places = [
    { place: "in a workspace", cache: "ServiceAccount fleet", written: account },
    {
      place: "outside the workspaces",
      cache: "ServiceAccount everywhere",
      written: { ...account, metadata: { ...account.metadata, namespace: "elsewhere" } },
    },
  ];
  it.each(places)("forgets what it wrote $place before it saw it in a watch", ({ cache, written }) => {
    const { view, feed, list } = openView();
    feed("Namespace everywhere", workspace);
    view.recordWritten(serviceAccount, written);
    const ref = refOf(serviceAccount, written);
    const answer = list(cache);
    expect(view.get(ref)).toBe(written);
    answer();
    expect(view.get(ref)).toBeUndefined();
  });

  it("forgets what it wrote outside the workspaces also where two watches follow the kind, by the list of its own", () => {
    const { view, list } = openView(undefined, [{ type: serviceAccount, namespace: "registration" }]);
    const inNamespace = (namespace: string, labels: Record<string, string>): KubeObject => ({
      ...account,
      metadata: { ...account.metadata, namespace, uid: namespace, labels },
    });
    const ofFirst = inNamespace("elsewhere", { "fleet.cattle.io/managed": "true" });
    const ofSecond = inNamespace("registration", { [labelKeys.ownerWorkspace]: "fleet" });
    for (const written of [ofFirst, ofSecond]) view.recordWritten(serviceAccount, written);
    const isKnown = () => [ofFirst, ofSecond].map((written) => view.get(refOf(serviceAccount, written)) !== undefined);
    list("ServiceAccount everywhere")();
    expect(isKnown()).toEqual([false, true]);
    list("ServiceAccount registration")();
    expect(isKnown()).toEqual([false, false]);
  });

  it("keeps what it wrote where another watch of the kind has it", () => {
    const { view, feed, list } = openView(undefined, [
      { type: serviceAccount, namespace: "registration", labelSelector: "" },
    ]);
    const written = { ...account, metadata: { ...account.metadata, namespace: "registration", resourceVersion: "9" } };
    view.recordWritten(serviceAccount, written);
    feed("ServiceAccount registration", { ...written, metadata: { ...written.metadata, resourceVersion: "8" } });
    list("ServiceAccount everywhere")();
    expect(view.get(refOf(serviceAccount, written))).toBeDefined();
  });

  it("takes the older content of an object that it wrote, and keeps what it writes while a list is read", () => {
    const { view, feed, list } = openView();
    feed("Namespace everywhere", workspace);
    feed("ServiceAccount fleet", account);
    const ofVersion = (resourceVersion: string, name = account.metadata.name): KubeObject => ({
      ...account,
      metadata: { ...account.metadata, name, uid: name, resourceVersion },
    });
    view.recordWritten(serviceAccount, { ...account, metadata: { ...account.metadata, resourceVersion: "30" } });
    const answer = list("ServiceAccount fleet", account);
    view.recordWritten(serviceAccount, ofVersion("31", "late"));
    answer();
    expect(view.get(refOf(serviceAccount, account))).toBe(account);
    expect(view.get(refOf(serviceAccount, ofVersion("31", "late")))).toEqual(ofVersion("31", "late"));
  });
});

describe("HubView, when a namespace is no workspace any more", () => {
  it("reports its objects when nothing of it is known any more", () => {
    const { view, feed, allow } = openView();
    feed("Namespace everywhere", workspace);
    const others = ["request-2", "request-3"].map((name) => ({ ...account, metadata: { ...account.metadata, name } }));
    for (const object of [account, ...others]) feed("ServiceAccount fleet", object);
    const seen: unknown[] = [];
    view.subscribe(({ object, before }) => {
      seen.push([object, before?.metadata.name, view.isWorkspace("fleet"), view.list(serviceAccount).length]);
    });
    allow(false);
    expect(seen).toEqual(["request-1", "request-2", "request-3"].map((name) => [undefined, name, false, 0]));
  });

  it("forgets what this process wrote there and no watch has shown", () => {
    const { view, feed, allow } = openView();
    feed("Namespace everywhere", workspace);
    view.recordWritten(serviceAccount, account);
    allow(false);
    expect(view.get(refOf(serviceAccount, account))).toBeUndefined();
    allow(true);
    expect(view.childrenOf(labelKeys.cluster, "fleet", "eu-1")).toEqual([]);
  });
});

describe("HubView, when this process deletes an object and makes it again", () => {
  it("has the new one, and each later write of it, while the watch still reports the former one", () => {
    const { view, feed, remove } = openView();
    feed("Namespace everywhere", workspace);
    feed("ServiceAccount fleet", account);
    const ref = refOf(serviceAccount, account);
    view.recordDeleted(ref);
    const version = (resourceVersion: string): KubeObject => ({
      ...account,
      metadata: { ...account.metadata, uid: "again", resourceVersion },
    });
    view.recordWritten(serviceAccount, version("10"));
    remove("ServiceAccount fleet", account);
    expect(view.get(ref)).toEqual(version("10"));
    view.recordWritten(serviceAccount, version("11"));
    expect(view.get(ref)).toEqual(version("11"));
  });
});

describe("HubView, while its kinds are listed", () => {
  it("has one listener on the signal of each wait, so that Node.js warns of no leak", async () => {
    let finish = (): void => undefined;
    const { view, feed } = openView(new Promise((resolve) => (finish = resolve)));
    for (const name of ["fleet", "more"]) {
      feed("Namespace everywhere", { ...workspace, metadata: { ...workspace.metadata, name, uid: name } });
    }
    const { signal } = new AbortController();
    const listeners = (): number => getEventListeners(signal, "abort").length;
    const waiting = view.whenSynced(signal);
    await setImmediate();
    expect(listeners()).toBe(1);
    finish();
    await waiting;
    expect(listeners()).toBe(0);
  });
});

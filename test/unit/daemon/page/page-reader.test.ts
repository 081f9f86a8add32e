import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { protocolsWith } from "../../../../src/daemon/foreign-protocols.ts";
import { createPageReader } from "../../../../src/daemon/page/page-reader.ts";
import type { PageReaderOptions } from "../../../../src/daemon/page/page-reader.ts";
import type { ViewChange } from "../../../../src/hub/hub-view.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import { workingName } from "../../../../src/model/dialects/rollcall.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../../src/model/kubernetes.ts";
import { apiVersionOf, refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { FleetFeed } from "../../../../src/web/dashboard/fleet-feed.ts";

type Kind = "cluster" | "clusterGroup" | "clusterRegistrationToken" | "clusterRegistration" | "lease" | "secret";

function objectOf(kind: Kind, name: string, more: object = {}, namespace = "fleet"): KubeObject {
  const type = resourceTypes[kind];
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name, namespace }, ...more };
}

/** A hub view of these objects, and a page that reads it. */
function openReader(
  objects: readonly KubeObject[],
  { live, more = {}, memberState }: { live?: Repository | undefined; more?: object; memberState?: object } = {},
) {
  const held = new Map(
    objects.map((object) => [keyOf(typeOf(object), object.metadata.namespace, object.metadata.name), object]),
  );
  let tell: (change: ViewChange) => void = () => undefined;
  let tellNews: () => void = () => undefined;
  const state = { live, reads: 0 };
  const prefetched: unknown[] = [];
  const view = {
    get: ({ type, namespace, name }: ObjectRef) => {
      state.reads += 1;
      return held.get(keyOf(type, namespace, name));
    },
    list: (type: ResourceType) =>
      [...held].filter(([key]) => key.startsWith(`${type.kind}.${type.group} `)).map(([, one]) => one),
    subscribe: (listener: (change: ViewChange) => void) => {
      tell = listener;
      return () => undefined;
    },
    memberStateOf: () => memberState,
    failingSinceMs: (type: ResourceType) => (type === resourceTypes.cluster ? 5 : undefined),
  };
  const feed = new FleetFeed("feed");
  const reader = createPageReader({
    daemon: { view, protocols: protocolsWith([]) },
    repository: { read: () => state.live, onNews: (listener: () => void) => void (tellNews = listener) },
    feed,
    commits: {
      prefetch: async (repository: unknown) => void prefetched.push(repository),
      peek: () => undefined,
      touching: async (file: string) => [{ id: `commit of ${file}` }],
      detail: async () => ({ commits: [] }),
    },
    planBranch: async (branch: string) => ({ branch }),
    listBranches: async () => ["b"],
    recorder: { read: (rows: readonly unknown[]) => ({ rows: rows.length }) },
    records: {},
    ...more,
  } as unknown as PageReaderOptions);
  return {
    reader,
    prefetched,
    state,
    news: async () => {
      tellNews();
      await nextTurn();
    },
    /** What followers of the feed read again after a change. */
    change: async (object: KubeObject | undefined, before?: KubeObject) => {
      await nextTurn();
      const ref = refOf(typeOf(object ?? before), object ?? before ?? objects[0] ?? raise());
      const key = keyOf(ref.type, ref.namespace, ref.name);
      if (object) held.set(key, object);
      else held.delete(key);
      const cursor = feed.cursor();
      tell({ ref, object, before, isPlanned: false });
      const { clusters, parts } = feed.since(cursor) ?? raise();
      return [...clusters, ...parts];
    },
    since: (cursor: string) => [...(feed.since(cursor)?.parts ?? [])],
  };
}

function typeOf(object: KubeObject | undefined): ResourceType {
  const group = object?.apiVersion.includes("/") === true ? object.apiVersion.split("/")[0] : "";
  return Object.values(resourceTypes).find((type) => type.kind === object?.kind && type.group === group) ?? raise();
}
const keyOf = (type: ResourceType, namespace: string | undefined, name: string): string =>
  `${type.kind}.${type.group} ${namespace}/${name}`;
function raise(): never {
  throw new Error("no such thing");
}

const lease = (name: string, renewTime: string) => objectOf("lease", workingName(name), { spec: { renewTime } });
const time = (seconds: number): string => `2026-11-27T10:00:0${seconds}Z`;

describe("the reader of the page", () => {
  it("has a row for each cluster, from the start", () => {
    const { reader } = openReader([objectOf("cluster", "b"), objectOf("cluster", "a")]);
    expect(reader.clusters().map(({ name }) => name)).toEqual(["a", "b"]);
    expect(reader.cluster("fleet", "a")).toMatchObject({ workspace: "fleet", name: "a" });
    expect(reader.cluster("other", "a")).toBeUndefined();
    expect(reader.history()).toEqual({ rows: 2 });
    expect(reader.hubAwaySinceMs()).toBe(5);
  });

  it("sends followers to a cluster whose row changed, and to no other one", async () => {
    const before = objectOf("cluster", "a");
    const { reader, change } = openReader([before]);
    expect(await change(before, before)).toEqual([]);
    expect(await change(objectOf("cluster", "a", { spec: { displayName: "Alpha" } }), before)).toContain("fleet/a");
    expect(await change(objectOf("cluster", "c"))).toContain("fleet/c");
    expect(await change(undefined, before)).toContain("fleet/a");
    expect(reader.clusters().map(({ name }) => name)).toEqual(["c"]);
  });

  it("shows an object that no file declares, and sends followers to the fleet", async () => {
    const { reader, change } = openReader([]);
    const token = objectOf("clusterRegistrationToken", "t");
    expect(await change(token)).toEqual(["fleet", "tokens"]);
    expect(reader.hubObjects()).toMatchObject([
      { workspace: "fleet", row: { object: "ClusterRegistrationToken/fleet/t" } },
    ]);
  });

  it("sends followers to the clusters of a group's workspace, whose rows name it", async () => {
    const clusters = ["a", "b"].map((name) =>
      objectOf("cluster", name, { metadata: { name, namespace: "fleet", labels: { env: name } } }),
    );
    const { reader, change } = openReader([
      ...clusters,
      objectOf("cluster", "a", { metadata: { name: "a", namespace: "other", labels: { env: "a" } } }),
    ]);
    const group = objectOf("clusterGroup", "g", { spec: { selector: { matchLabels: { env: "a" } } } });
    expect((await change(group)).filter((entry) => entry.includes("/"))).toEqual(["fleet/a"]);
    expect(reader.cluster("fleet", "a")?.groups).toEqual(["g"]);
  });

  it("reads no cluster again after the status of a group, which changes with each cluster that it counts", async () => {
    const { state, change } = openReader([objectOf("cluster", "a"), objectOf("cluster", "b")]);
    const [group, wider] = [{ env: "a" }, {}].map((matchLabels) =>
      objectOf("clusterGroup", "g", { spec: { selector: { matchLabels } } }),
    );
    const counted = { ...group, status: { clusters: 2 } } as KubeObject;
    await change(group);
    state.reads = 0;
    expect([await change(counted, group), state.reads]).toEqual([[], 0]);
    expect((await change(wider, counted)).filter((entry) => entry.includes("/"))).toEqual(["fleet/a", "fleet/b"]);
  });

  it("sends followers to the tokens after a registration, and nowhere after what the page does not show", async () => {
    const { change } = openReader([]);
    expect(await change(objectOf("clusterRegistration", "r"))).toEqual(["tokens"]);
    expect(await change(objectOf("secret", "s"))).toEqual([]);
  });

  it("counts a heartbeat whose marker changed, and forgets those of a deleted cluster", async () => {
    const cluster = objectOf("cluster", "a");
    const { reader, change } = openReader([cluster]);
    const seen = async () => (await reader.clusterDetail("fleet", "a"))?.beats.seen.length;
    await change(lease("a", time(1)));
    await change(lease("a", time(2)), lease("a", time(1)));
    await change(lease("a", time(2)), lease("a", time(2)));
    await change(undefined, lease("a", time(2)));
    expect(await seen()).toBe(1);
    await change(undefined, cluster);
    await change(lease("a", time(3)), lease("a", time(2)));
    await change(cluster);
    expect(await seen()).toBe(0);
  });

  it("has the last heartbeat of a cluster that is there", () => {
    const unserved = objectOf("cluster", "b", { spec: { protocol: "fleet" } });
    const { reader } = openReader([objectOf("cluster", "a"), unserved, lease("a", time(1)), lease("b", time(2))]);
    expect(reader.lastHeartbeat("fleet", "a")).toBe(time(1));
    expect(reader.lastHeartbeat("fleet", "b")).toBeUndefined();
    expect(reader.lastHeartbeat("fleet", "c")).toBeUndefined();
  });

  it("has details of a cluster with the commits of its file, and none of one that is not there", async () => {
    const declared = objectOf("cluster", "a", { status: { source: { file: "clusters/a.yaml" } } });
    const { reader } = openReader([declared, objectOf("cluster", "b"), lease("a", time(1))]);
    expect(await reader.clusterDetail("fleet", "a")).toMatchObject({
      cluster: { name: "a" },
      history: [{ id: "commit of clusters/a.yaml" }],
      beats: { last: time(1) },
    });
    expect((await reader.clusterDetail("fleet", "b"))?.history).toEqual([]);
    expect(await reader.clusterDetail("fleet", "c")).toBeUndefined();
  });

  it("shows when a credential was issued, which is in the hub's state and in no status", async () => {
    const memberState = { credential: { number: 3, issuedAt: time(1), expiresAt: time(9) } };
    const { reader } = openReader([objectOf("cluster", "a")], { memberState });
    expect((await reader.clusterDetail("fleet", "a"))?.credential).toMatchObject({ number: 3, issued: time(1) });
  });

  it("has the tokens with what registered by them", () => {
    const { reader } = openReader([
      objectOf("clusterRegistrationToken", "t"),
      objectOf("clusterRegistration", "r", { spec: { tokenName: "t" } }),
    ]);
    expect(reader.tokens()).toMatchObject({
      tokens: [{ name: "t", workspace: "fleet" }],
      registrations: [{ token: "t" }],
    });
  });

  it("has the repository once it is known, and reads its commits ahead with each news of it", async () => {
    const { reader, state, prefetched, news } = openReader([]);
    await nextTurn();
    expect([reader.repository(), await reader.repositoryDetail()]).toEqual([undefined, undefined]);
    state.live = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "r" },
      spec: { url: "u" },
    };
    await news();
    expect(prefetched).toEqual([undefined, state.live]);
    expect(reader.repository()).toMatchObject({ url: "u" });
    expect(await reader.repositoryDetail()).toMatchObject({ summary: { url: "u" }, commits: [], branches: ["b"] });
    expect(await reader.plan("b")).toEqual({ branch: "b" });
  });

  it("sends followers to the repository after each news of it", async () => {
    const feed = new FleetFeed("feed");
    const { news } = openReader([], { more: { feed } });
    await nextTurn();
    const cursor = feed.cursor();
    expect([...(feed.since("feed.0")?.parts ?? [])]).toEqual(["repository"]);
    await news();
    expect([...(feed.since(cursor)?.parts ?? [])]).toEqual(["repository"]);
  });
});

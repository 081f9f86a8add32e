import { describe, expect, it } from "vitest";
import { GroupMembers } from "../../../src/hub/group-members.ts";
import type { HubView, ViewChange } from "../../../src/hub/hub-view.ts";
import type { ClusterGroup } from "../../../src/model/generated/cluster-group.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const namespace = "prod";
const { signal } = new AbortController();

function clusterOf(name: string, { env = "a", repository = "fleet.main", ready = "True" } = {}): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace, labels: { env, [labelKeys.repository]: repository } },
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}

function groupOf(name: string, env: string, generation = 1): ClusterGroup {
  const metadata = { name, namespace, uid: name, generation, labels: { [labelKeys.repository]: "fleet.main" } };
  return { metadata, spec: { selector: { matchLabels: { env } } } } as unknown as ClusterGroup;
}

/** A view of clusters; it counts those that are read. */
function openView() {
  const clusters = new Map<string, KubeObject>();
  let visits = 0;
  let listener: ((change: ViewChange) => void) | undefined;
  const view = {
    list: () => [...clusters.values()],
    get: ({ name }: ObjectRef) => {
      visits += 1;
      return clusters.get(name);
    },
    subscribe: (next: (change: ViewChange) => void) => {
      listener = next;
      return () => void (listener = undefined);
    },
  };
  const report = (ref: ObjectRef, object: KubeObject | undefined, before?: KubeObject): void =>
    listener?.({ ref, object, before, isPlanned: false });
  const put = (name: string, object: KubeObject | undefined): void => {
    const before = clusters.get(name);
    if (object === undefined) clusters.delete(name);
    else clusters.set(name, object);
    report({ type: resourceTypes.cluster, namespace, name }, object, before);
  };
  return {
    view: view as unknown as HubView,
    put,
    report,
    visits: () => visits,
    isSubscribed: () => listener !== undefined,
  };
}

async function shownBy(members: GroupMembers, groups: readonly ClusterGroup[]): Promise<unknown> {
  const found = await members.find(namespace, groups, signal);
  return [...found].map(([name, { clusters, readyClusters, notReady }]) => [
    name,
    clusters,
    readyClusters,
    notReady.bytes().toString(),
  ]);
}

describe("GroupMembers", () => {
  it("visits what changed, in a fleet of 300 and in one of 3000", async () => {
    for (const size of [300, 3000]) {
      const { view, put, visits } = openView();
      for (let at = 0; at < size; at += 1) put(`c${at}`, clusterOf(`c${at}`));
      const members = new GroupMembers(view, createManualClock());
      const groups = [groupOf("a", "a"), groupOf("b", "b")];
      expect(await shownBy(members, groups)).toEqual([
        ["a", size, size, ""],
        ["b", 0, 0, ""],
      ]);
      expect(visits()).toBe(size);
      put("c7", clusterOf("c7", { env: "b", ready: "False" }));
      expect(await shownBy(members, groups)).toEqual([
        ["a", size - 1, size - 1, ""],
        ["b", 1, 0, "c7\n"],
      ]);
      expect(visits()).toBe(size + 1);
    }
  });

  it("finds what a first pass finds, after any changes of clusters and groups", async () => {
    const random = seededRandom(22);
    const pick = <T>(...all: readonly [T, ...T[]]): T => all[Math.floor(random() * all.length)] ?? all[0];
    const { view, put } = openView();
    const clock = createManualClock();
    const members = new GroupMembers(view, clock);
    let groups = [groupOf("one", "a"), groupOf("two", "b")];
    for (let round = 0; round < 300; round += 1) {
      for (let edits = 0; edits < 4; edits += 1) {
        const name = `c${Math.floor(random() * 40)}`;
        const [env, repository] = [pick("a", "b", "c"), pick("fleet.main", "fleet.main", "other.main")];
        put(name, random() < 0.2 ? undefined : clusterOf(name, { env, repository, ready: pick("True", "False") }));
      }
      if (round % 50 === 49) groups = [groupOf("one", pick("a", "b", "c"), round), groupOf(`g${round}`, "b")];
      expect(await shownBy(members, groups)).toEqual(await shownBy(new GroupMembers(silent(view), clock), groups));
    }
  });

  it.each([
    { passedMs: 0, expected: 1 },
    { passedMs: 3_600_000, expected: 1 },
    { passedMs: 3_600_001, expected: 2 },
  ])("visits all clusters again after an hour: $expected times within $passedMs ms", async ({ passedMs, expected }) => {
    const { view, put, visits } = openView();
    put("c1", clusterOf("c1"));
    const clock = createManualClock();
    await clock.advance(7_200_000);
    const members = new GroupMembers(view, clock);
    await members.find(namespace, [groupOf("a", "a")], signal);
    await clock.advance(passedMs);
    await members.find(namespace, [groupOf("a", "a")], signal);
    expect(visits()).toBe(expected);
  });

  it("visits no cluster because of a change of another kind, or in another workspace", async () => {
    const { view, put, report, visits } = openView();
    const members = new GroupMembers(view, createManualClock());
    put("c1", clusterOf("c1"));
    await members.find(namespace, [groupOf("a", "a")], signal);
    report({ type: resourceTypes.secret, namespace, name: "c1" }, clusterOf("c1"));
    report({ type: resourceTypes.cluster, namespace: "labs", name: "c1" }, clusterOf("c1"));
    await members.find(namespace, [groupOf("a", "a")], signal);
    expect(visits()).toBe(1);
  });

  it("shows a group that no Repository has the clusters that none has, also those without labels", async () => {
    const { view, put } = openView();
    const members = new GroupMembers(view, createManualClock());
    const { apiVersion, kind } = clusterOf("c1");
    put("c1", clusterOf("c1"));
    put("c2", { apiVersion, kind, metadata: { name: "c2", namespace } });
    const metadata = { name: "all", namespace, uid: "all", generation: 1 };
    const all = { metadata, spec: { selector: {} } } as unknown as ClusterGroup;
    expect(await shownBy(members, [groupOf("a", "a"), all])).toEqual([
      ["a", 1, 1, ""],
      ["all", 1, 0, "c2\n"],
    ]);
  });

  it("keeps nothing after it has stopped, and reads no further change", async () => {
    const { view, put, visits, isSubscribed } = openView();
    const members = new GroupMembers(view, createManualClock());
    put("c1", clusterOf("c1"));
    await members.find(namespace, [groupOf("a", "a")], signal);
    members.stop();
    expect(isSubscribed()).toBe(false);
    await members.find(namespace, [groupOf("a", "a")], signal);
    expect(visits()).toBe(2);
  });

  it("keeps nothing of a workspace that it forgets, whatever changes there", async () => {
    const { view, put, visits } = openView();
    const members = new GroupMembers(view, createManualClock());
    put("c1", clusterOf("c1"));
    await members.find(namespace, [groupOf("a", "a")], signal);
    members.forget(namespace);
    for (let at = 0; at < 100; at += 1) {
      put(`short-lived-${at}`, clusterOf(`short-lived-${at}`));
      put(`short-lived-${at}`, undefined);
    }
    const before = visits();
    expect(await shownBy(members, [groupOf("a", "a")])).toEqual([["a", 1, 1, ""]]);
    expect(visits() - before).toBe(1);
  });

  it("continues where a pass was stopped", async () => {
    const { view, put } = openView();
    for (let at = 0; at < 300; at += 1) put(`c${at}`, clusterOf(`c${at}`));
    const members = new GroupMembers(view, createManualClock());
    const groups = Array.from({ length: 500 }, (_, at) => groupOf(`g${at}`, "a"));
    const stopping = new AbortController();
    const stopped = members.find(namespace, groups, stopping.signal);
    stopping.abort();
    await expect(stopped).rejects.toThrow();
    expect((await members.find(namespace, groups, signal)).get("g0")?.clusters).toBe(300);
  });
});

/** The same view for another reader: the first one keeps its subscription. */
function silent(view: HubView): HubView {
  return { ...view, subscribe: () => () => undefined } as unknown as HubView;
}

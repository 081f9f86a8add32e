import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { GroupMembers } from "../../../src/hub/group-members.ts";
import { reconcileGroups } from "../../../src/hub/groups.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusterSelector } from "../../../src/model/selector.ts";
import { matchesSelector } from "../../../src/model/selector.ts";
import { fieldManagers, labelKeys } from "../../../src/model/well-known.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const apiVersion = "rollcall.dev/v1alpha1";

function clusterOf(at: number, onRead: () => void = () => undefined): KubeObject {
  const conditions = [{ type: "Ready", status: at % 4 === 0 ? "True" : "False" }];
  const metadata = {
    name: `c-${at}`,
    namespace: "prod",
    get labels() {
      onRead();
      return { [labelKeys.repository]: "fleet.main", env: `e${at % 10}` };
    },
  };
  return { apiVersion, kind: "Cluster", metadata, status: { conditions } };
}

function groupOf(name: string, selector: ClusterSelector): KubeObject {
  const metadata = { name, namespace: "prod", uid: name, labels: { [labelKeys.repository]: "fleet.main" } };
  return { apiVersion, kind: "ClusterGroup", metadata, spec: { selector } };
}

type GroupPorts = Parameters<typeof reconcileGroups>[0];

/** The object on the hub after a write of its status. */
function asApplied({ metadata: { name }, status }: KubeObject, objects: ReadonlyMap<string, KubeObject>): KubeObject {
  const live = objects.get(name) ?? groupOf(name, {});
  const owned = Object.fromEntries(Object.keys(status ?? {}).map((key) => [`f:${key}`, {}]));
  const entry = {
    manager: fieldManagers.hub,
    operation: "Apply" as const,
    subresource: "status",
    fieldsV1: { "f:status": owned },
  };
  return { ...live, metadata: { ...live.metadata, managedFields: [entry] }, status };
}

/** The statuses that a pass writes, by the names of the groups. */
async function statusesOf(
  groups: readonly KubeObject[],
  clusters: readonly KubeObject[],
): Promise<Map<string, unknown>> {
  const statuses = new Map<string, unknown>();
  const list = (type: ResourceType) => (type === resourceTypes.clusterGroup ? groups : clusters);
  const byName = new Map([...groups, ...clusters].map((object) => [object.metadata.name, object]));
  const view = {
    list,
    get: ({ name }: { readonly name: string }) => byName.get(name),
    recordWritten: () => undefined,
    subscribe: () => () => undefined,
  };
  const clock = createManualClock();
  const ports = {
    view,
    groupMembers: new GroupMembers(view, clock),
    hubApi: {
      apply: (object: KubeObject) => {
        statuses.set(object.metadata.name, object["status"]);
        return Promise.resolve(object);
      },
    },
    clock,
    log: silentLog,
  } as unknown as Parameters<typeof reconcileGroups>[0];
  await reconcileGroups(ports, "prod", new AbortController().signal);
  return statuses;
}

describe("groups of a workspace", () => {
  it("have counts, and the first twenty names of what is not ready", async () => {
    const clusters = times(200).map((at) => clusterOf(199 - at));
    const statuses = await statusesOf(
      [groupOf("some", { matchLabels: { env: "e1" } }), groupOf("none", { names: ["x"] }), groupOf("all", {})],
      clusters,
    );
    const some = times(20).map((at) => `c-${at * 10 + 1}`);
    expect(statuses.get("some")).toMatchObject({ clusters: 20, readyClusters: 0, notReady: some });
    const first = times(30)
      .filter((at) => at % 4 !== 0)
      .map((at) => `c-${at}`);
    expect(statuses.get("all")).toMatchObject({ clusters: 200, readyClusters: 50, notReady: first.slice(0, 20) });
    expect(statuses.get("none")).toMatchObject({ clusters: 0, readyClusters: 0 });
  });

  it("are compared again only when one of their members, or they themselves, changed", async () => {
    const objects = new Map<string, KubeObject>();
    const compared: string[] = [];
    let onChange: (change: ViewChange) => void = () => undefined;
    const put = (type: ResourceType, object: KubeObject): void => {
      const { name, namespace } = object.metadata;
      const before = objects.get(name);
      objects.set(name, object);
      onChange({ ref: { type, namespace, name }, object, before, isPlanned: false });
    };
    const view = {
      list: ({ kind }: ResourceType) => [...objects.values()].filter((object) => object.kind === kind),
      get: ({ type, name }: ObjectRef) => {
        if (type === resourceTypes.clusterGroup) compared.push(name);
        return objects.get(name);
      },
      recordWritten: put,
      subscribe: (listener: typeof onChange) => {
        onChange = listener;
        return () => undefined;
      },
    };
    const hubApi = { apply: (object: KubeObject) => Promise.resolve(asApplied(object, objects)) };
    const clock = createManualClock();
    const groupMembers = new GroupMembers(view, clock);
    const ports = { view, groupMembers, hubApi, clock, log: silentLog } as unknown as GroupPorts;
    const comparedIn = async (): Promise<string[]> => {
      compared.length = 0;
      await reconcileGroups(ports, "prod", new AbortController().signal);
      return [...compared];
    };
    for (const at of times(50)) put(resourceTypes.clusterGroup, groupOf(`g-${at}`, { matchLabels: { env: `e${at}` } }));
    for (const at of times(100)) put(resourceTypes.cluster, clusterOf(at));
    // The first pass writes all, the second sees that nothing is left to write.
    expect([(await comparedIn()).length, (await comparedIn()).length, (await comparedIn()).length]).toEqual([
      50, 50, 0,
    ]);
    put(resourceTypes.cluster, clusterOf(7));
    expect(await comparedIn()).toEqual(["g-7"]);
    const group = objects.get("g-3");
    if (group) put(resourceTypes.clusterGroup, { ...group, status: { clusters: 0 } });
    expect(await comparedIn()).toEqual(["g-3"]);
    expect(objects.get("g-3")?.["status"]).toMatchObject({ clusters: 10 });
  });

  it("are forgotten with the last one", async () => {
    const forgotten: string[] = [];
    const groupMembers = { forget: (workspace: string) => void forgotten.push(workspace) };
    const ports = { view: { list: () => [] }, groupMembers } as unknown as Parameters<typeof reconcileGroups>[0];
    await reconcileGroups(ports, "prod", new AbortController().signal);
    expect(forgotten).toEqual(["prod"]);
  });

  it("A61 give others their turn while very many selectors are compared with very many clusters", async () => {
    const groups = times(500).map((at) =>
      groupOf(`g-${at}`, {
        matchExpressions: [
          { key: "env", operator: "Exists" },
          { key: `k${at}`, operator: "DoesNotExist" },
        ],
      }),
    );
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; turns += 1) await setImmediate();
    })();
    await statusesOf(
      groups,
      times(1000).map((at) => clusterOf(at)),
    );
    isDone = true;
    await others;
    // 1,500,000 parts, of which 100,000 have one turn.
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  it("A61 cost in proportion to what they select, not to all clusters for each group", async () => {
    const readsOf = async (count: number): Promise<number> => {
      let reads = 0;
      const clusters = times(count).map((at) => clusterOf(at, () => (reads += 1)));
      const groups = times(count / 10).map((at) => groupOf(`g-${at}`, { matchLabels: { env: `e${at}` } }));
      await statusesOf(groups, clusters);
      return reads;
    };
    const [few, many] = [await readsOf(500), await readsOf(2000)];
    // Two doublings.
    expect(many).toBeLessThan(2.3 * 2.3 * few);
  });

  it.each(["In", "NotIn"] as const)(
    "A61 a list of thousands of values is read once, not once for each cluster: %s",
    (operator) => {
      let reads = 0;
      const values = new Proxy(
        times(5000).map((at) => `v${at}`),
        {
          get: (target, key, receiver): unknown => {
            reads += 1;
            return Reflect.get(target, key, receiver);
          },
        },
      );
      const selector: ClusterSelector = { matchExpressions: [{ key: "env", operator, values }] };
      for (const at of times(1000)) {
        const isAmong = at % 2 === 0;
        const subject = { name: "c", labels: { env: isAmong ? `v${at}` : "other" } };
        expect(matchesSelector(selector, subject)).toBe(isAmong === (operator === "In"));
      }
      expect(reads).toBeLessThan(20_000);
    },
  );
});

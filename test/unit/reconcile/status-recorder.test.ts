import { describe, expect, it } from "vitest";
import { compareText } from "../../../src/core/compare-text.ts";
import type { HubView } from "../../../src/hub/hub-view.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import { memberStateObject } from "../../../src/model/member-state.ts";
import type { HubFacts } from "../../../src/model/member.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { belongsTo } from "../../../src/model/repository-label.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../src/model/well-known.ts";
import { hubObjects } from "../../../src/planning/hub-objects.ts";
import { checksumLine } from "../../../src/planning/status-signature.ts";
import { StatusRecorder } from "../../../src/reconcile/status-recorder.ts";
import { countCalls, moreCalls, withoutOptimizer } from "../../support/count-calls.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";
import { computeStatusRecords, renderStatusFiles } from "../../support/whole-status.ts";

withoutOptimizer();

const label = "system.fleet";
const repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { namespace: "system", name: "fleet" },
  spec: { url: "memory", workspaces: ["fleet"] },
  status: { leftBehind: [{ cluster: "fleet/c1" }, { cluster: "fleet/c2" }] },
} as unknown as Repository;
const hub = {
  hubId: "hub",
  version: "0",
  endpoint: { url: "memory" },
  trust: { publicKey: "", epoch: 1 },
} as unknown as HubFacts;

const types = [resourceTypes.cluster, resourceTypes.clusterGroup];

async function openWorld() {
  const view = createMemoryHub().openView();
  await view.whenSynced();
  let version = 1;
  const put = (object: KubeObject): void => {
    version += 1;
    const { metadata } = object;
    const saved = { ...object, metadata: { ...metadata, namespace: "fleet", resourceVersion: `${version}` } };
    view.recordWritten(typeOf(object), saved);
  };
  const remove = (type: typeof resourceTypes.cluster, name: string): void =>
    view.recordDeleted({ type, namespace: "fleet", name });
  return { view, put, remove, recorder: new StatusRecorder(view, types) };
}

function typeOf({ kind }: KubeObject) {
  const known = [resourceTypes.cluster, resourceTypes.clusterRegistrationToken, resourceTypes.configMap];
  return known.find((type) => type.kind === kind) ?? resourceTypes.clusterGroup;
}

function cluster(name: string, more: { labels?: object; annotations?: object; spec?: object; status?: object } = {}) {
  const { labels, annotations, spec = {}, status = {} } = more;
  const metadata = { name, namespace: "fleet", labels: { [labelKeys.repository]: label, ...labels }, annotations };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec, status } as unknown as KubeObject;
}

function statusOf(ready: string, reason: string): object {
  return { conditions: [{ type: "Ready", status: ready, reason, message: "" }], agent: { version: reason } };
}

/** Everything computed from the view alone. */
function wholeFiles(view: HubView, plan: Plan | undefined): Map<string, string> {
  const ours = (type: typeof resourceTypes.cluster) => view.list(type).filter((object) => belongsTo(object, label));
  const records = computeStatusRecords({
    ...{ repository, hub, plan, problems: [], workspaces: ["fleet"] },
    members: ours(resourceTypes.cluster).map((object) => {
      const { name } = object.metadata;
      const state = view.memberStateOf("fleet", name);
      return { workspace: "fleet", name, cluster: object as unknown as Cluster, state };
    }),
    tokens: ours(resourceTypes.clusterRegistrationToken).flatMap(
      ({ metadata }) => view.tokenOf("fleet", metadata.name) ?? [],
    ),
    groupCount: ours(resourceTypes.clusterGroup).length,
    hubObjects: hubObjects(types.flatMap((type) => view.list(type))),
  });
  return new Map([...renderStatusFiles(records)].map(([path, { content }]) => [path, content.toString()]));
}

describe("StatusRecorder", () => {
  it("has the same files as records of the whole fleet, after any changes", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed);
      const pick = <T>(...values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
      const { view, put, remove, recorder } = await openWorld();
      let plan: Plan | undefined;
      const putCluster = (name: string): void => {
        const annotations = {
          ...(random() < 0.1 ? { [annotationKeys.leave]: "commit" } : {}),
          ...(random() < 0.1 ? { [annotationKeys.revoked]: "blob/alice/2030" } : {}),
          ...(random() < 0.1 ? { [annotationKeys.reconcile]: "disabled" } : {}),
        };
        const labels = random() < 0.1 ? { [labelKeys.repository]: pick("system.other", undefined) } : {};
        const status = random() < 0.2 ? {} : statusOf(pick("True", "False", "Unknown") ?? "", pick("a", "b") ?? "");
        put(cluster(name, { labels, annotations, spec: { protocol: pick("rollcall", "fleet") }, status }));
      };
      const steps = [
        putCluster,
        putCluster,
        (name: string) => remove(resourceTypes.cluster, name),
        (name: string) => {
          put(memberStateObject("fleet", name, { clientID: `${random()}` }));
        },
        (name: string) => put({ ...cluster(name), kind: "ClusterRegistrationToken" }),
        (name: string) => remove(resourceTypes.clusterRegistrationToken, name),
        (name: string) => put({ ...cluster(name), kind: "ClusterGroup" }),
        (name: string) => {
          plan = random() < 0.3 ? undefined : ({ withheld: [{ cluster: `fleet/${name}` }] } as unknown as Plan);
        },
      ];
      for (let round = 0; round < 400; round++) {
        pick(...steps)?.(`c${Math.floor(random() * 30)}`);
        if (round % 7 !== 0) continue;
        const { files } = recorder.record({ repository, hub, plan, nowMs: 0 });
        const expected = wholeFiles(view, plan);
        const seen = new Map([...files.paths()].map((path) => [path, files.get(path)?.content.toString()]));
        expect(seen.size).toBe(expected.size);
        for (const [path, content] of expected) expect(seen.get(path)).toBe(content);
        const lines = [...seen.keys()].sort(compareText);
        expect(files.checksums().toString()).toBe(
          lines.map((path) => checksumLine(path, files.get(path)?.digest ?? "")).join(""),
        );
      }
      recorder.stop();
    }
  });

  it("makes all files anew after an hour, and for another Repository", async () => {
    const { put, recorder } = await openWorld();
    put(cluster("a"));
    const first = recorder.record({ repository, hub, plan: undefined, nowMs: 0 }).files;
    expect(recorder.record({ repository, hub, plan: undefined, nowMs: 3_600_000 }).files).toBe(first);
    const second = recorder.record({ repository, hub, plan: undefined, nowMs: 3_600_001 }).files;
    expect(second).not.toBe(first);
    expect(recorder.record({ repository, hub, plan: undefined, nowMs: 7_200_001 }).files).toBe(second);
    const other = { ...repository, metadata: { namespace: "system", name: "other" } };
    const { files, summary } = recorder.record({ repository: other, hub, plan: undefined, nowMs: 3_600_001 });
    expect([summary.counts.clusters, files.get("clusters/fleet/a.yaml")]).toEqual([0, undefined]);
  });

  it("has the tokens of its own Repository, and what it finds in the workspaces of that alone", async () => {
    const group = (name: string, namespace?: string): KubeObject => ({
      ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterGroup" },
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    });
    const token = (name: string, of: string): KubeObject => ({
      ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken" },
      metadata: { name, namespace: "fleet", labels: { [labelKeys.repository]: of } },
    });
    const objects = [group("b", "west"), group("a", "prod"), group("c", "other"), group("whole")];
    const tokens = [token("ours", label), token("theirs", "system.other")];
    const view = {
      get: ({ name }: ObjectRef) => objects.find(({ metadata }) => metadata.name === name),
      list: (type: ResourceType) =>
        type === resourceTypes.clusterGroup ? objects : type === resourceTypes.cluster ? [] : tokens,
      memberStateOf: () => undefined,
      tokenOf: (_namespace: string, name: string) => ({ workspace: "fleet", token: token(name, label), name }) as never,
      workspaces: ["fleet", "other", "prod", "west"],
      subscribe: () => () => undefined,
    };
    const recorder = new StatusRecorder(view, types);
    const found = (workspaces: string[] | undefined) => {
      const { workspaces: _workspaces, ...spec } = repository.spec;
      const read = { ...repository, spec: { ...spec, ...(workspaces === undefined ? {} : { workspaces }) } };
      const { summary } = recorder.record({ repository: read, hub, plan: undefined, nowMs: 0 });
      return [summary.counts.tokens, summary.hubObjects?.first.map(({ object }) => object), JSON.stringify(summary)];
    };
    const names = (...places: readonly string[]) => places.map((place) => `ClusterGroup/${place}`);
    expect(found(["prod", "we*"])).toEqual([
      ...[1, names("prod/a", "west/b", "whole")],
      expect.stringContaining('"knownWorkspaces":["prod","west"]'),
    ]);
    expect(found(undefined)).toEqual([
      ...[1, names("other/c", "prod/a", "west/b", "whole")],
      expect.stringContaining('"knownWorkspaces":["fleet","other","prod","west"]'),
    ]);
  });

  it("costs the same for one label in a fleet ten times as large", async () => {
    const [small, large] = [await changeOne(300), await changeOne(3000)];
    expect([small.changed, large.changed]).toEqual([
      ["README.md", "clusters/fleet/c1.yaml", "summary.yaml"],
      ["README.md", "clusters/fleet/c1.yaml", "summary.yaml"],
    ]);
    // A place among lines is found by halves.
    expect(moreCalls(small.counts, large.counts, 16)).toEqual([]);
  });
});

/** The paths that one changed cluster changes, and what ran for it. */
async function changeOne(size: number) {
  const { put, recorder } = await openWorld();
  for (let index = 0; index < size; index++) put(cluster(`c${index}`));
  recorder.record({ repository, hub, plan: undefined, nowMs: 0 }).files.settle();
  const change = async (reason: string): Promise<string[]> => {
    put(cluster("c1", { status: statusOf("False", reason) }));
    const { files } = recorder.record({ repository, hub, plan: undefined, nowMs: 0 });
    files.checksums();
    const paths = [...files.changed()].sort(compareText);
    files.settle();
    return paths;
  };
  await change("Before");
  let changed: string[] = [];
  const counts = await countCalls(async () => {
    changed = await change("Now");
  });
  return { changed, counts };
}

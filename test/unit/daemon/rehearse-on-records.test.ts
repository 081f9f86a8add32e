import { describe, expect, it } from "vitest";
import { factsForPlans } from "../../../src/daemon/facts-for-plans.ts";
import { protocolsWith } from "../../../src/daemon/foreign-protocols.ts";
import { rehearseOnRecords } from "../../../src/daemon/rehearse-on-records.ts";
import { workspaceNamespace } from "../../../src/daemon/rehearse-on-view.ts";
import { rehearseChanges } from "../../../src/hub/rehearsal/rehearse-changes.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import type { HubWorkPlan, PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../../../src/model/well-known.ts";
import type { RecordedWorld } from "../../../src/review/plan-against-records.ts";
import type { Observed } from "../../../src/planning/observed.ts";
import type { RecordedObjects } from "../../../src/planning/recorded-objects.ts";
import { recordedObjects } from "../../../src/planning/recorded-objects.ts";

const apiVersion = "rollcall.dev/v1alpha1";
const type = resourceTypes.cluster;
const { signal } = new AbortController();
const serves = [{ name: "kubefleet" as const, controllers: "Rollcall" as const }];

const byGit = {
  labels: { [labelKeys.repository]: "rollcall-system.fleet" },
  annotations: { [annotationKeys.sourceFile]: "c.yaml" },
};

function clusterOf(number: number): KubeObject {
  const protocol = number % 5 === 4 ? { protocol: "kubefleet" } : {};
  const secret = number % 3 === 1 ? { kubeConfigSecretRef: { name: `kubeconfig-${number % 2}` } } : {};
  const previous = number % 7 === 6 ? { previousName: `c-${number - 6}` } : {};
  const managedFields = [{ manager: fieldManagers.git, operation: "Apply" as const, fieldsV1: { "f:spec": {} } }];
  const metadata = {
    name: `c-${number}`,
    namespace: `team-${number % 2}`,
    uid: `uid-${number}`,
    ...byGit,
    managedFields,
  };
  return { apiVersion, kind: "Cluster", metadata, spec: { ...protocol, ...secret, ...previous } };
}

function recordOf(number: number): ClusterRecord {
  const metadata = { name: `c-${number}`, namespace: `team-${number % 2}` };
  const keys = [{ signingKey: "a", sealingKey: "b", digest: `sha256:${number}` }];
  const join = { time: "2026-01-01T00:00:00Z" };
  const joined = number % 2 === 0 ? { keys, join, credentialNumber: 1 } : {};
  const record = { apiVersion, kind: "ClusterRecord", metadata, protocol: "rollcall", ...joined };
  return record as unknown as ClusterRecord;
}

function recordsOf(count: number): RecordedObjects {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const clusters = numbers.map(clusterOf);
  const list = (kind: unknown): KubeObject[] => (kind === type ? clusters : []);
  const observed = { list } as unknown as Observed;
  return recordedObjects(observed, { records: numbers.map(recordOf), knownSecrets: new Set() });
}

const changesOf: Readonly<Record<string, readonly PlannedChange[]>> = {
  "an update": [updateOf(clusterOf(0), { displayName: "other" })],
  "a kubeconfig of another name": [updateOf(clusterOf(2), { kubeConfigSecretRef: { name: "kubeconfig-1" } })],
  "another protocol": [
    updateOf(clusterOf(4), { protocol: "rollcall" }),
    updateOf(clusterOf(8), { protocol: "kubefleet" }),
  ],
  "a new cluster": [{ ...updateOf(clusterOf(1001), {}), kind: "create" }],
  "clusters that leave": [offboardingOf(clusterOf(0)), offboardingOf(clusterOf(4)), offboardingOf(clusterOf(7))],
  "a new one in the place of one of another workspace": [
    {
      ...updateOf(clusterOf(1001), { previousName: "team-0/c-2" }),
      kind: "create",
      former: {
        ref: refOf(type, clusterOf(2)),
        uid: "uid-2",
        resourceVersion: "3",
        patchAnnotations: movedTo("c-1001"),
      },
    },
  ],
  "a new one in the place of another": [
    {
      ...updateOf(clusterOf(1001), { previousName: "c-3" }),
      kind: "create",
      former: { ref: refOf(type, clusterOf(3)), uid: "uid-3", resourceVersion: "4", patchAnnotations: {} },
    },
  ],
};

function updateOf(live: KubeObject, spec: object): PlannedChange & { readonly kind: "update" } {
  const { managedFields: _fields, uid: _uid, ...metadata } = live.metadata;
  const object = { ...live, metadata, spec: { ...(live["spec"] as object), ...spec } } as KubeObject;
  const source = { file: "c.yaml", line: 1, column: 1 };
  return { kind: "update", ref: refOf(type, live), object, manager: fieldManagers.git, fields: [], source };
}

function offboardingOf(live: KubeObject): PlannedChange {
  return {
    kind: "leave",
    ref: refOf(type, live),
    commit: "a".repeat(40),
    uid: "recorded",
    resourceVersion: "1",
    reason: "its file",
  };
}

function movedTo(name: string): Readonly<Record<string, string>> {
  return { [annotationKeys.movedTo]: `team-1/${name}` };
}

function worldOf(objects: RecordedObjects): RecordedWorld {
  return { objects, isWorkspace: () => true, serves, namespace: "rollcall-system", nowMs: 0 };
}

/** The same on everything that is on record. */
function rehearseOnAll(recorded: RecordedObjects, changes: readonly PlannedChange[]): Promise<HubWorkPlan> {
  const objects = recorded.list(type).flatMap(({ metadata: { namespace = "", name } }) => {
    const { cluster, children = [], kubeconfigSecret } = recorded.memberOf(namespace, name) ?? {};
    return [...(cluster ? [cluster] : []), ...children, ...(kubeconfigSecret ? [kubeconfigSecret] : [])];
  });
  return rehearseChanges({
    objects: [...["team-0", "team-1"].map(workspaceNamespace), ...objects],
    changes,
    protocols: protocolsWith(serves),
    isServingKnown: true,
    areSecretsKnown: false,
    hubFacts: factsForPlans("rollcall-system", 0),
    isAllowedWorkspace: () => true,
    signal,
  });
}

describe("rehearseOnRecords", () => {
  it.each(Object.entries(changesOf))(
    "plans for %s what the controllers do on the whole of the records",
    async (_what, changes) => {
      const around = await rehearseOnRecords(signal)(worldOf(recordsOf(40)), changes);
      const all = await rehearseOnAll(recordsOf(40), changes);
      expect({ work: [...around.work], notes: around.notes }).toEqual({ work: [...all.work], notes: all.notes });
      // An update of a settled member gives its controllers nothing to do.
      expect(around.work.size > 0).toBe(changes.some(({ kind }) => kind !== "update"));
    },
  );

  it.each([
    ["nothing", { protocol: "kubefleet" }, serves, []],
    ["nothing where no foreign protocol is served", {}, [], []],
    [
      "that a protocol is not served",
      { protocol: "kubefleet" },
      [],
      ["The daemon serves no agents of protocol kubefleet"],
    ],
    ["what is not on record: which are", { protocol: "kubefleet" }, undefined, ["Whether the daemon serves agents of"]],
    [
      ...["what is not on record: a Secret", { kubeConfigSecretRef: { name: "new" } }, serves],
      ["Whether Secret team-1/new with the kubeconfig of team-1/c-1001 is on the hub is not known here."],
    ],
  ] as const)("notes %s", async (_what, spec, served, wanted) => {
    const changes = [{ ...updateOf(clusterOf(1001), spec), kind: "create" as const }];
    const { notes } = await rehearseOnRecords(signal)({ ...worldOf(recordsOf(1)), serves: served }, changes);
    expect(notes).toEqual(wanted.map((start) => expect.stringContaining(start) as unknown));
  });

  it("plans nothing in a namespace that is no workspace", async () => {
    const world = { ...worldOf(recordsOf(10)), isWorkspace: (name: string) => name === "team-0" };
    const { work } = await rehearseOnRecords(signal)(world, [offboardingOf(clusterOf(0)), offboardingOf(clusterOf(7))]);
    expect([...work.keys()]).toEqual(["Cluster/team-0/c-0"]);
  });

  it("reads as many members among 300 clusters as among 30", async () => {
    const membersLookedAt = async (count: number): Promise<number> => {
      const recorded = recordsOf(count);
      let members = 0;
      const memberOf: RecordedObjects["memberOf"] = (workspace, name) => {
        members += 1;
        return recorded.memberOf(workspace, name);
      };
      await rehearseOnRecords(signal)(worldOf({ ...recorded, memberOf }), changesOf["an update"] ?? []);
      return members;
    };
    expect(await membersLookedAt(300)).toBe(await membersLookedAt(30));
  });
});

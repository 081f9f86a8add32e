import { it } from "vitest";
import { protocolsWith } from "../../src/daemon/foreign-protocols.ts";
import { factsForPlans } from "../../src/daemon/facts-for-plans.ts";
import { rehearseOnView } from "../../src/daemon/rehearse-on-view.ts";
import { silentLog } from "../../src/core/log.ts";
import { HubView } from "../../src/hub/hub-view.ts";
import { watchedTypes } from "../../src/hub/watched-types.ts";
import { outsideTypesOf } from "../../src/hub/outside-types.ts";
import { createSimulatedHub } from "../../src/hub/rehearsal/simulated-hub.ts";
import { memberStateObject } from "../../src/model/member-state.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../src/model/plan.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";

const sizes = (process.env.ROLLCALL_BENCH_CLUSTERS ?? "1000,2000,10000").split(",").map(Number);
const workspace = "fleet";
const nowMs = Date.parse("2027-01-01T00:00:00Z");
const protocols = protocolsWith([]);

// What a plan costs that rehearses what the hub's controllers do after one change, in fleets of several sizes.
it.each(sizes)("rehearses one change of %i clusters", { timeout: 600_000 }, async (count) => {
  const fleet = createSimulatedHub(fleetOf(count), () => nowMs);
  const view = new HubView({
    types: watchedTypes([...protocols.values()]),
    outsideTypes: outsideTypesOf(protocols),
    startCache: fleet.startCache,
    isAllowedWorkspace: () => true,
    log: silentLog,
  });
  await view.whenSynced();
  const { signal } = new AbortController();
  const rehearse = rehearseOnView(view, { protocols, hubFacts: () => factsForPlans("rollcall", nowMs), signal });
  for (const [what, change] of Object.entries(changesOf(view))) {
    const figures = [];
    for (let round = 0; round < 5; round++) {
      const heapBefore = process.memoryUsage().heapUsed;
      const cpuBefore = process.cpuUsage();
      const { work } = await rehearse([change]);
      const { user, system } = process.cpuUsage(cpuBefore);
      const heap = process.memoryUsage().heapUsed - heapBefore;
      figures.push({ cpuMs: (user + system) / 1000, kB: heap / 1024, written: [...work.values()].length });
    }
    const least = figures.reduce((best, next) => (next.cpuMs < best.cpuMs ? next : best));
    const parts = { clusters: count, cpuMs: Math.round(least.cpuMs * 10) / 10, allocatedKB: Math.round(least.kB) };
    process.stdout.write(`${what.padEnd(8)} ${JSON.stringify(parts)}\n`);
  }
  await view.stop();
});

/** One change of each kind, to the middle of the fleet. */
function changesOf(view: HubView): Record<string, PlannedChange> {
  const ref = { type: resourceTypes.cluster, namespace: workspace, name: "c500" };
  const live = view.get(ref);
  if (live === undefined) throw new Error("the fleet has no cluster c500");
  const object = { ...live, metadata: { ...live.metadata, labels: { team: "other" } } };
  const added = { ...ref, name: "added" };
  const made = { ...live, metadata: { name: "added", namespace: workspace } };
  return {
    update: { kind: "update", ref, object, manager: "rollcall-git", fields: [{ path: "metadata.labels" }] },
    create: { kind: "create", ref: added, object: made, manager: "rollcall-git", fields: [] },
    leave: {
      kind: "leave",
      ref,
      commit: "0".repeat(40),
      uid: live.metadata.uid ?? "",
      resourceVersion: live.metadata.resourceVersion ?? "",
      reason: "its file is deleted",
    },
  };
}

/** Members that joined, with what the hub keeps of each. */
function* fleetOf(count: number): Iterable<KubeObject> {
  const labels = { [labelKeys.workspace]: "true" };
  yield { apiVersion: "v1", kind: "Namespace", metadata: { name: workspace, labels } };
  for (let index = 0; index < count; index++) {
    const name = `c${index}`;
    const child = (apiVersion: string, kind: string, suffix: string): KubeObject => ({
      apiVersion,
      kind,
      metadata: { ...identity(`${name}${suffix}`), labels: { [labelKeys.cluster]: name } },
    });
    yield { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: identity(name), spec: {} };
    const memory = memberStateObject(workspace, name, { origin: { isDeclared: true } });
    yield { ...memory, metadata: { ...memory.metadata, ...identity(memory.metadata.name) } };
    yield child("v1", "ServiceAccount", ".bootstrap");
    yield child("v1", "Secret", ".bootstrap.1");
    yield child("v1", "Secret", ".member.1");
    yield child("v1", "ServiceAccount", ".member");
    yield child("rbac.authorization.k8s.io/v1", "Role", ".member");
    yield child("rbac.authorization.k8s.io/v1", "RoleBinding", ".member");
    yield child("coordination.k8s.io/v1", "Lease", "");
    yield child("rollcall.dev/v1alpha1", "ClusterReport", "");
  }
}

function identity(name: string): KubeObject["metadata"] {
  return { name, namespace: workspace, uid: `uid-${name}`, resourceVersion: "1", generation: 1 };
}

import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { reconcileMember } from "../../../../src/hub/controllers/reconcile-member.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../src/model/well-known.ts";
import { findCondition, readConditions } from "../../../../src/planning/conditions.ts";
import { startMs } from "../../join/hub-scene.ts";
import type { ClusterParts } from "../members/member-world.ts";
import { openMemberWorld, workspace } from "../members/member-world.ts";
import { coreObject } from "../objects.ts";

/** A member of which the hub refuses to take one kind of object. */
async function open(refusal: Error, parts: ClusterParts = {}, refused = "Namespace") {
  const world = await openMemberWorld();
  await world.addCluster("eu-1", { ...parts, spec: { protocol: "kubefleet", ...parts.spec } });
  world.requests.length = 0;
  const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
  const warned: unknown[] = [];
  let isRefusing = true;
  Object.assign(world.ports.hubApi, {
    apply: (...[object, options]: Parameters<typeof apply>) => {
      const isRefused = isRefusing && (object.kind === refused || (refused === "all" && object.kind !== "ConfigMap"));
      return isRefused ? Promise.reject(refusal) : apply(object, options);
    },
  });
  const log = { ...world.ports.log, warn: (_text: string, fields: unknown) => void warned.push(fields) };
  const reconcile = (signal = world.signal) =>
    reconcileMember({ ...world.ports, log }, { workspace, name: "eu-1" }, signal);
  const stalled = () => {
    const cluster = world.clusterOf("eu-1");
    return cluster && findCondition(readConditions(cluster), "Stalled");
  };
  return { ...world, reconcile, stalled, warned, relent: () => void (isRefusing = false) };
}

const join = { registration: "r", time: "2027-01-15T08:00:00Z", initiated: "agent" as const };

describe("reconcileMember, when the hub refuses a write", () => {
  it.each([
    { code: "E_KUBE_FORBIDDEN", data: {}, isShown: true },
    { code: "E_KUBE_INVALID", data: {}, isShown: true },
    { code: "E_KUBE_EXISTS", data: { taken: "Namespace/n" }, isShown: true },
    { code: "E_KUBE_EXISTS", data: {}, isShown: false },
    { code: "E_KUBE_CONFLICT", data: {}, isShown: false },
    { code: "E_KUBE_UNREACHABLE", data: {}, isShown: false },
  ] as const)("fails with $code $data, and names it in the Cluster: $isShown", async ({ code, data, isShown }) => {
    const error = new AppError(code, "apply Namespace: a quota refuses it", { data });
    const { reconcile, stalled } = await open(error, { state: { join } });
    await expect(reconcile()).rejects.toBe(error);
    expect(stalled()?.reason).toBe(isShown ? "WriteRefused" : undefined);
    if (isShown) expect(stalled()?.message).toContain("a quota refuses it");
  });

  it("takes the refusal back when the hub takes the write", async () => {
    const { reconcile, stalled, relent, setNow } = await open(new AppError("E_KUBE_FORBIDDEN", "apply"), {
      state: { join },
    });
    await expect(reconcile()).rejects.toThrow();
    relent();
    // The status waits for the first report of the agent, which does not come.
    setNow(startMs + 11_000);
    await reconcile();
    expect(stalled()?.status).not.toBe("True");
  });

  it("keeps the status of an offboarding", async () => {
    const annotations = { [annotationKeys.leave]: "abc" };
    const error = new AppError("E_KUBE_FORBIDDEN", "delete");
    const world = await open(error, { annotations, state: { join }, spec: { deletionGracePeriod: "0s" } });
    const labels = { [labelKeys.cluster]: "eu-1" };
    await world.put(coreObject("ServiceAccount", "rollcall-eu-1", { labels }), "rollcall-hub");
    Object.assign(world.ports.hubApi, { delete: () => Promise.reject(error) });
    await expect(world.reconcile()).rejects.toBe(error);
    expect(world.stalled()?.reason).not.toBe("WriteRefused");
  });

  it("shows nothing in a Cluster that was deleted meanwhile", async () => {
    const error = new AppError("E_KUBE_FORBIDDEN", "apply");
    const world = await open(error, { state: { join } });
    const readMember = world.ports.view.memberOf.bind(world.ports.view);
    let reads = 0;
    world.ports.view.memberOf = (...of) => (reads++ === 0 ? readMember(...of) : undefined);
    await expect(world.reconcile()).rejects.toBe(error);
    expect(world.asked()).not.toContain("status Cluster/eu-1");
  });

  it("fails with the refusal itself where the status is refused too, and logs why that could not be shown", async () => {
    const error = new AppError("E_KUBE_FORBIDDEN", "apply");
    const { reconcile, warned } = await open(error, { state: { join } }, "all");
    await expect(reconcile()).rejects.toBe(error);
    expect(warned.at(-1)).toEqual({ cluster: "fleet/eu-1", error });
  });

  it("reports nothing when the daemon stops", async () => {
    const stopping = AbortSignal.abort(new Error("stopped"));
    const { reconcile, asked } = await open(new AppError("E_KUBE_FORBIDDEN", "apply"), { state: { join } });
    await expect(reconcile(stopping)).rejects.toThrow("stopped");
    expect(asked()).not.toContain("status Cluster/eu-1");
  });
});

describe("reconcileMember, of a member that is not there", () => {
  it.each([
    { reason: "has a state: its Cluster is made again", hasState: true, isForgotten: false },
    { reason: "has none", hasState: false, isForgotten: true },
  ])("forgets its heartbeats ($isForgotten) when it $reason", async ({ hasState, isForgotten }) => {
    const world = await openMemberWorld();
    const state = { origin: { isDeclared: false } };
    await world.addCluster("eu-1", { manager: "rollcall-hub", state });
    world.ports.health.observe("fleet/eu-1", 1000, "a");
    world.ports.health.observe("fleet/eu-1", 1000, "b");
    expect(world.ports.health.stateOf("fleet/eu-1").kind).toBe("alive");
    const inWorkspace = { namespace: workspace };
    await world.ports.hubApi.delete({ type: resourceTypes.cluster, ...inWorkspace, name: "eu-1" });
    if (!hasState)
      await world.ports.hubApi.delete({ type: resourceTypes.configMap, ...inWorkspace, name: "rollcall-cluster-eu-1" });
    await reconcileMember(world.ports, { workspace, name: "eu-1" }, world.signal);
    expect(world.ports.health.stateOf("fleet/eu-1").kind).toBe(isForgotten ? "unwatched" : "alive");
    expect(world.clusterOf("eu-1") !== undefined).toBe(hasState);
  });
});

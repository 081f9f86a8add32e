import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import {
  applyValidStatus,
  clusterStatusOf,
  writeClusterStatus,
  writeProtocolStatuses,
  writeStatus,
} from "../../../../../src/hub/members/phases/write-status.ts";
import { resourceTypes } from "../../../../../src/model/resource-types.ts";
import { findCondition } from "../../../../../src/planning/conditions.ts";
import { coreObject } from "../../objects.ts";
import { openMemberWorld } from "../member-world.ts";

describe("writeStatus", () => {
  it("writes the status once, with an Event for what changed", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    expect(await writeStatus(world.scopeOf("eu-1"), world.ports)).toEqual({ kind: "next" });
    expect(world.asked()).toContain("status Cluster/eu-1");
    await writeStatus(world.scopeOf("eu-1"), world.ports);
    expect(world.asked()).toEqual([]);
  });

  it.each([
    { code: "E_KUBE_SERVER", asked: ["status Cluster/eu-1"] },
    { code: "E_KUBE_CONFLICT", asked: ["status Cluster/eu-1"] },
    // The pass reports these in the status of the Cluster.
    { code: "E_KUBE_INVALID", asked: [] },
    { code: "E_KUBE_FORBIDDEN", asked: [] },
  ] as const)("A100 fails with $code of an object that an agent fills, and writes $asked before", async (row) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const scope = world.scopeOf("eu-1");
    const refused = new AppError(row.code, "etcdserver: request is too large");
    const ref = { type: resourceTypes.clusterReport, namespace: "fleet", name: "eu-1" };
    const write: typeof scope.write = {
      ...scope.write,
      applyStatus: (wanted, from) =>
        wanted.ref.type === ref.type ? Promise.reject(refused) : scope.write.applyStatus(wanted, from),
    };
    const protocol: typeof scope.protocol = { ...scope.protocol, statusWrites: () => [{ ref, status: {} }] };
    await expect(writeStatus({ ...scope, write, protocol }, world.ports)).rejects.toBe(refused);
    expect(world.asked()).toEqual(row.asked);
  });

  it.each([
    { extras: { refusal: { reason: "NameTaken", message: "m" } }, type: "Accepted", reason: "NameTaken" },
    { extras: { failure: { reason: "WriteRefused", message: "m" } }, type: "Stalled", reason: "WriteRefused" },
  ])("reports $reason in condition $type", async ({ extras, type, reason }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const scope = world.scopeOf("eu-1");
    await writeClusterStatus(scope, world.ports, extras);
    expect(findCondition(scope.readAgain().cluster.status?.conditions, type)?.reason).toBe(reason);
  });

  it("writes the status to the version of the Cluster that it was computed from", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const { uid, resourceVersion } = world.clusterOf("eu-1")?.metadata ?? {};
    await writeStatus(world.scopeOf("eu-1"), world.ports);
    expect(world.requests).toMatchObject([{ verb: "status", object: { metadata: { uid, resourceVersion } } }]);
    expect(resourceVersion).toBeDefined();
  });

  it("records an Event for what changed only when the status was written", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const refused = new AppError("E_KUBE_CONFLICT", "apply");
    const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
    Object.assign(world.ports.hubApi, { apply: () => Promise.reject(refused) });
    const failure = { reason: "WriteRefused", message: "m" };
    await expect(writeClusterStatus(world.scopeOf("eu-1"), world.ports, { failure })).rejects.toBe(refused);
    expect(world.events).toEqual([]);
    Object.assign(world.ports.hubApi, { apply });
    await writeClusterStatus(world.scopeOf("eu-1"), world.ports, { failure });
    const told = world.events.length;
    expect(told).toBeGreaterThan(0);
    await writeClusterStatus(world.scopeOf("eu-1"), world.ports, { failure });
    expect(world.events).toHaveLength(told);
  });

  /** A hub that takes a status with a platform for invalid. */
  async function strictWorld(code: "E_KUBE_INVALID" | "E_KUBE_FORBIDDEN") {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
    const refused = new AppError(code, "platform: Invalid value");
    const bodies: unknown[] = [];
    Object.assign(world.ports.hubApi, {
      apply: (...[object, options]: Parameters<typeof apply>) => {
        bodies.push(object);
        return JSON.stringify(object["status"]).includes("platform") ? Promise.reject(refused) : apply(object, options);
      },
    });
    return { ...world, bodies, refused };
  }
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
  const reported = {
    agent: {},
    kubernetesVersion: "v1",
    platform: "x",
    nodes: {},
    resources: {},
    health: {},
    apiServer: "s",
    properties: {},
  };

  it("writes the conditions without what the agent reports where the API server takes that for invalid", async () => {
    const { scopeOf, bodies, clusterOf } = await strictWorld("E_KUBE_INVALID");
    const scope = scopeOf("eu-1");
    const computedFrom = scope.member.cluster;
    const status = { phase: "Ready", conditions: [], ...reported };
    expect(await applyValidStatus(scope, { ref, status }, computedFrom)).toBe(true);
    expect(clusterOf("eu-1")?.["status"]).toEqual({ phase: "Ready", conditions: [] });
    const { resourceVersion } = computedFrom.metadata;
    expect(bodies).toMatchObject([{ metadata: { resourceVersion } }, { metadata: { resourceVersion } }]);
    expect(await applyValidStatus(scopeOf("eu-1"), { ref, status }, scopeOf("eu-1").member.cluster)).toBe(false);
  });

  it("fails with every other refusal of a status", async () => {
    const { scopeOf, refused, bodies } = await strictWorld("E_KUBE_FORBIDDEN");
    const scope = scopeOf("eu-1");
    const status = { phase: "Ready", ...reported };
    await expect(applyValidStatus(scope, { ref, status }, scope.member.cluster)).rejects.toBe(refused);
    expect(bodies).toHaveLength(1);
  });
});

describe("writeProtocolStatuses", () => {
  const ref = { type: resourceTypes.clusterReport, namespace: "fleet", name: "eu-1" };
  const event = { type: "Normal", reason: "Seen", message: "m" } as const;

  it("records the Events of a status with its object, once it was written", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const report = coreObject("ClusterReport", "eu-1");
    await world.put({ ...report, apiVersion: "rollcall.dev/v1alpha1" });
    const writes = [{ ref, status: { seen: true }, events: [event] }];
    expect(await writeProtocolStatuses(world.scopeOf("eu-1"), world.ports, writes)).toBe(true);
    expect(world.events).toMatchObject([{ ...event, regarding: { metadata: { name: "eu-1" } } }]);
    expect(await writeProtocolStatuses(world.scopeOf("eu-1"), world.ports, writes)).toBe(false);
    expect(world.events).toHaveLength(1);
  });

  it("writes every status although one of them is as it was", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    for (const name of ["eu-1", "eu-2"])
      await world.put({ ...coreObject("ClusterReport", name), apiVersion: "rollcall.dev/v1alpha1" });
    const same = { ref, status: { seen: true } };
    await writeProtocolStatuses(world.scopeOf("eu-1"), world.ports, [same]);
    const other = { ref: { ...ref, name: "eu-2" }, status: { seen: true } };
    expect(await writeProtocolStatuses(world.scopeOf("eu-1"), world.ports, [same, other, same])).toBe(true);
    expect(world.asked()).toEqual(["status ClusterReport/eu-2"]);
  });

  it("records no Event of an object that is not there any more", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    await world.put({ ...coreObject("ClusterReport", "eu-1"), apiVersion: "rollcall.dev/v1alpha1" });
    const writes = [{ ref, status: { seen: true }, events: [event] }];
    const ports = { ...world.ports, view: { get: () => undefined } };
    expect(await writeProtocolStatuses(world.scopeOf("eu-1"), ports, writes)).toBe(true);
    expect(world.events).toEqual([]);
  });
});

describe("clusterStatusOf", () => {
  it.each([
    { message: "Role/fleet/r is changed again and again.", isShown: true },
    { message: undefined, isShown: false },
  ])("names another writer of its objects: $message", async ({ message, isShown }) => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const childFights = { ...world.ports.childFights, describe: () => message };
    const status = clusterStatusOf(world.scopeOf("eu-1"), { ...world.ports, childFights }, {});
    expect(JSON.stringify(status.conditions).includes("FieldFight")).toBe(isShown);
  });
});

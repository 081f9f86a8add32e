import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { reconcileToken } from "../../../src/hub/tokens.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startMs } from "../join/hub-scene.ts";
import { openMemberWorld } from "./members/member-world.ts";
import { coreObject } from "./objects.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

const labels = { "rollcall.dev/repository": "rollcall.fleet" };

interface Given {
  readonly spec?: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
  readonly manager?: string;
}

async function open({ spec = {}, annotations = {}, manager = "rollcall-git" }: Given = {}) {
  const world = await openMemberWorld();
  const metadata = { namespace: "fleet", name: "edge", labels, annotations };
  const token = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec };
  const ref = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "edge" };

  await world.put(token, manager);
  const reconcile = async () => {
    world.requests.length = 0;
    return reconcileToken(world.ports, { workspace: "fleet", name: "edge" }, world.signal);
  };
  const readyReason = (): unknown =>
    (
      world.ports.view.get(ref)?.["status"] as { conditions?: { type: string; reason: string }[] } | undefined
    )?.conditions?.find(({ type }) => type === "Ready")?.reason;
  return { ...world, ref, reconcile, readyReason };
}

describe("reconcileToken", () => {
  it("creates account, credential and values, and is at rest after that", async () => {
    const { reconcile, asked, readyReason } = await open();
    await reconcile();
    const kinds = asked().map((request) => request.split("/")[0]);
    expect(kinds).toEqual([
      "apply ServiceAccount",
      "apply Role",
      "apply RoleBinding",
      "apply Secret",
      "apply Secret",
      "status ClusterRegistrationToken",
    ]);
    await reconcile();
    expect(asked()).toEqual([]);
    expect(readyReason()).toBe("Open");
  });

  it("A218 is due at once when the token ended during the pass that created its account", async () => {
    const { ports, signal, setNow } = await open({ spec: { ttl: "60m" } });
    const endMs = startMs + 60 * 60_000;
    setNow(endMs - 1);
    const hubApi: typeof ports.hubApi = {
      ...ports.hubApi,
      apply: async (...request) => {
        setNow(endMs + 1);
        return ports.hubApi.apply(...request);
      },
    };
    const target = { workspace: "fleet", name: "edge" };
    expect(await reconcileToken({ ...ports, hubApi }, target, signal)).toBe(0);
    expect(ports.view.childrenOf("rollcall.dev/token", "fleet", "edge")).not.toEqual([]);
    await reconcileToken(ports, target, signal);
    expect(ports.view.childrenOf("rollcall.dev/token", "fleet", "edge")).toEqual([]);
  });

  it("removes what it created when the token is deleted", async () => {
    const { reconcile, ports, ref } = await open();
    await reconcile();
    await ports.hubApi.delete(ref);
    expect(await reconcile()).toBeUndefined();
    expect(ports.view.childrenOf("rollcall.dev/token", "fleet", "edge")).toEqual([]);
  });

  it("keeps what it created outside when the namespace is no workspace any more", async () => {
    const { reconcile, asked, ports } = await open();
    await reconcile();
    const outside = ports.view.childrenOf("rollcall.dev/token", "fleet", "edge");
    await ports.hubApi.delete({ type: resourceTypes.namespace, name: "fleet" });
    ports.view.childrenOf = () => outside;
    await reconcile();
    expect(asked()).toEqual([]);
  });

  it.each<{ reason: string; annotations: Record<string, string>; isAsked: boolean }>([
    { reason: "a suspended token", annotations: { "rollcall.dev/reconcile": "disabled" }, isAsked: false },
    {
      reason: "a suspended token that is revoked",
      annotations: { "rollcall.dev/reconcile": "disabled", "rollcall.dev/revoked": "x" },
      isAsked: true,
    },
    { reason: "a token that is not suspended", annotations: {}, isAsked: true },
  ])("writes for $reason: $isAsked", async ({ annotations, isAsked }) => {
    const { reconcile, asked } = await open({ annotations });
    await reconcile();
    expect(asked().length > 0).toBe(isAsked);
  });

  it("A7 removes what it created for a suspended token when that ends", async () => {
    const { ports, signal, put, ref, setNow } = await open({ spec: { ttl: "60m" } });
    const target = { workspace: "fleet", name: "edge" };
    await reconcileToken(ports, target, signal);
    const token = ports.view.get(ref);
    if (!token) throw new Error("the token is not in the view");
    const annotations = { "rollcall.dev/reconcile": "disabled" };
    await put({ ...token, metadata: { ...token.metadata, annotations } }, "kubectl");
    expect(await reconcileToken(ports, target, signal)).toBe(60 * 60_000);
    expect(ports.view.childrenOf("rollcall.dev/token", "fleet", "edge")).not.toEqual([]);
    setNow(startMs + 60 * 60_000);
    await reconcileToken(ports, target, signal);
    expect(ports.view.childrenOf("rollcall.dev/token", "fleet", "edge")).toEqual([]);
  });

  it.each([
    {
      reason: "its protocol is not served",
      given: { spec: { protocol: "fleet" } },
      ready: "NotServed",
      waitMs: undefined,
    },
    { reason: "no file declares it", given: { manager: "kubectl" }, ready: "NotInGit", waitMs: 30_000 },
  ])("issues nothing when $reason", async ({ given, ready, waitMs }) => {
    const { reconcile, asked, readyReason } = await open(given);
    expect(await reconcile()).toBe(waitMs);
    expect(asked()).toEqual(["status ClusterRegistrationToken/edge"]);
    expect(readyReason()).toBe(ready);
  });

  it("issues nothing when another manager has a Secret of its name", async () => {
    const world = await open();
    await world.put(coreObject("Secret", "edge"), "kubectl");
    expect(await world.reconcile()).toBe(30_000);
    expect(world.readyReason()).toBe("NameExists");
  });

  it("F13 reports a Role that another writer keeps changing, and then reverts it once a second", async () => {
    const world = await open();
    await world.reconcile();
    const role = { type: resourceTypes.role, namespace: "fleet", name: "rollcall.token.edge" };
    const conditions = (): unknown => world.ports.view.get(world.ref)?.["status"];
    for (let round = 0; round < 4; round++) {
      await world.ports.hubApi.mergePatch(role, { rules: [] }, { fieldManager: "other-tool" });
      await world.reconcile();
      expect(world.asked()).toContain("apply Role/rollcall.token.edge");
    }
    expect(JSON.stringify(conditions())).toContain('"reason":"FieldFight"');
    await world.ports.hubApi.mergePatch(role, { rules: [] }, { fieldManager: "other-tool" });
    expect(await world.reconcile()).toBe(1000);
    expect(world.asked()).not.toContain("apply Role/rollcall.token.edge");
    world.setNow(startMs + 1000);
    await world.reconcile();
    expect(world.asked()).toContain("apply Role/rollcall.token.edge");
  });

  it.each([
    { reason: "another manager replaces them", manager: "other-tool", isHeld: true },
    { reason: "the hub has a reason of its own", manager: undefined, isHeld: false },
  ])("F13 holds back values that were issued four times when $reason: $isHeld", async ({ manager, isHeld }) => {
    const world = await open({ spec: { ttl: "240h" } });
    await world.reconcile();
    const secret = { type: resourceTypes.secret, namespace: "fleet", name: "edge" };
    const replace = async (): Promise<void> => {
      const live = world.ports.view.get(secret);
      if (live === undefined) throw new Error("no values");
      const managedFields = [...(live.metadata.managedFields ?? [])];
      if (manager !== undefined) managedFields.push({ manager, fieldsV1: { "f:data": { "f:values": {} } } });
      const patch = { data: { values: "bm8=" }, metadata: { managedFields } };
      await world.ports.hubApi.mergePatch(secret, JSON.parse(JSON.stringify(patch)) as JsonObject, {
        fieldManager: "x",
      });
      await world.reconcile();
    };
    for (let round = 0; round < 4; round++) {
      await replace();
      expect(world.asked()).toContain("apply Secret/edge");
    }
    await replace();
    expect(world.asked().includes("apply Secret/edge")).toBe(!isHeld);
  });

  it("is reconciled again when it expires, and never with a negative time", async () => {
    const { reconcile, setNow } = await open({ spec: { ttl: "60m" } });
    const waitMs = (await reconcile()) ?? 0;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(60 * 60_000);
    setNow(startMs + 61 * 60_000);
    expect((await reconcile()) ?? 0).toBeGreaterThanOrEqual(0);
  });

  it("A7 writes the status to the token that it was computed from: a late view counts no use back", async () => {
    const world = await open({ spec: { maxRegistrations: 1, ttl: "60m" } });
    await world.reconcile();
    const late = world.ports.view.tokenOf("fleet", "edge");
    const join = { token: "edge", tokenUse: 1, time: "2027-01-01T00:00:00Z", registration: "r", initiated: "agent" };
    await world.addCluster("eu-1", { state: { join } as never });
    await world.reconcile();
    expect(world.readyReason()).toBe("UsedUp");
    // The cluster has left meanwhile: the status of the token alone remembers the use.
    world.ports.view.tokenOf = () => late;
    world.ports.view.membersOf = () => indexMembers([]);
    world.setNow(startMs + 55 * 60_000);
    await world.reconcile();
    const { resourceVersion } = late?.token.metadata ?? {};
    expect(resourceVersion).toBeDefined();
    expect(world.requests).toMatchObject([{ verb: "status", object: { metadata: { resourceVersion } } }]);
  });

  it.each([
    { reason: "its protocol is not served", given: { spec: { protocol: "fleet" } } },
    { reason: "no file declares it", given: { manager: "kubectl" } },
    { reason: "it is open", given: {} },
  ])("writes the status to the version of the token that it was computed from when $reason", async ({ given }) => {
    const { reconcile, requests, ports, ref } = await open(given);
    const { resourceVersion } = ports.view.get(ref)?.metadata ?? {};
    expect(resourceVersion).toBeDefined();
    await reconcile();
    const statuses = requests.filter(({ verb }) => verb === "status");
    expect(statuses).toMatchObject([{ object: { metadata: { resourceVersion } } }]);
  });

  it("records an Event when all uses are taken, once", async () => {
    const world = await open({ spec: { maxRegistrations: 1 } });
    await world.reconcile();
    const join = { token: "edge", tokenUse: 1, time: "2027-01-01T00:00:00Z", registration: "r", initiated: "agent" };
    await world.addCluster("eu-1", { state: { join } as never });
    await world.reconcile();
    await world.reconcile();
    expect(world.events.map(({ reason }) => reason)).toEqual(["UsedUp"]);
  });
});

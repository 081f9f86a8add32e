import { describe, expect, it } from "vitest";
import { reconcileToken } from "../../../src/hub/tokens.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startMs } from "../join/hub-scene.ts";
import { openMemberWorld } from "./members/member-world.ts";
import { coreObject } from "./objects.ts";

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

  it("removes what it created when the token is deleted", async () => {
    const { reconcile, ports, ref } = await open();
    await reconcile();
    await ports.hubApi.delete(ref);
    expect(await reconcile()).toBeUndefined();
    expect(ports.view.childrenOf("rollcall.dev/token", "fleet", "edge")).toEqual([]);
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

  it("issues nothing when somebody else has a Secret of its name", async () => {
    const world = await open();
    await world.put(coreObject("Secret", "edge"), "kubectl");
    expect(await world.reconcile()).toBe(30_000);
    expect(world.readyReason()).toBe("NameExists");
  });

  it("is reconciled again when it expires, and never with a negative time", async () => {
    const { reconcile, setNow } = await open({ spec: { ttl: "60m" } });
    const waitMs = (await reconcile()) ?? 0;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(60 * 60_000);
    setNow(startMs + 61 * 60_000);
    expect((await reconcile()) ?? 0).toBeGreaterThanOrEqual(0);
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

import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/embedded-hub/store/row-format.ts";
import { StoredRecord } from "../../../src/embedded-hub/store/stored-record.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { heartbeatsAreToldRightly } from "../../simulation/invariants/heartbeats.ts";

const key = "/rollcall.dev/clusters/fleet/eu-1";
const leaseKey = "/coordination.k8s.io/leases/fleet/rollcall-eu-1";
const lease: KubeObject = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "fleet", name: "rollcall-eu-1" },
  spec: { renewTime: "2026-01-01T00:00:00.000000Z" },
};

function cluster(isHealthy: boolean, isSuspended: boolean, annotations: Record<string, string> = {}): KubeObject {
  const healthy = isHealthy ? { status: "True", reason: "Reported" } : { status: "Unknown", reason: "HeartbeatMissed" };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      namespace: "fleet",
      name: "eu-1",
      annotations: isSuspended ? { "rollcall.dev/reconcile": "disabled" } : annotations,
    },
    status: { conditions: [{ type: "Healthy", ...healthy }] },
  };
}

/** A hub whose only heartbeat came at 0 minutes; `write` and `tick` give the number of violations so far. */
function openScene() {
  const objects = new Map<string, KubeObject>();
  const hub: { serve: (() => undefined) | undefined } = { serve: () => undefined };
  let elapsedMs = 0;
  let count = 0;
  const invariant = heartbeatsAreToldRightly({
    world: {
      scheduler: {
        get elapsedMs() {
          return elapsedMs;
        },
      },
      story: { tell: () => undefined },
      hub,
      pace: { heartbeatSeconds: 60 },
    },
    mirror: { get: (one) => objects.get(one), below: () => objects },
    calmSinceMs: () => 0,
    disturbedAtMs: () => 0,
    outsideDisturbedAtMs: () => 0,
    violate: () => void (count += 1),
  });
  const write = (minute: number, one: string, after: KubeObject | undefined): number => {
    elapsedMs = minute * 60_000;
    const before = objects.get(one);
    if (after === undefined) objects.delete(one);
    else objects.set(one, after);
    const json = Buffer.from(JSON.stringify(after ?? before));
    const record = new StoredRecord({ key: one, json, createRevision: 1, modRevision: 1 });
    const row: Row = { kind: after === undefined ? "delete" : "put", record };
    invariant.onRow?.({ row, key: one, before, after });
    return count;
  };
  const tick = (minute: number): number => {
    elapsedMs = minute * 60_000;
    invariant.onTick?.();
    return count;
  };
  write(0, leaseKey, lease);
  write(0, key, cluster(true, false));
  return { write, tick, hub };
}

describe("heartbeatsAreToldRightly", () => {
  it.each<{ who: string; annotations: Record<string, string>; violations: number }>([
    { who: "whose agent may send heartbeats", annotations: {}, violations: 1 },
    { who: "but for a revoked one, whose agent cannot", annotations: { "rollcall.dev/revoked": "1" }, violations: 0 },
  ])("finds a cluster that is called unresponsive soon after an outage: $who", ({ annotations, violations }) => {
    const { write, tick, hub } = openScene();
    const { serve } = hub;
    hub.serve = undefined;
    tick(1);
    tick(1.5);
    hub.serve = serve;
    tick(1.6);
    expect(write(3.1, key, cluster(false, false, annotations))).toBe(violations);
  });

  it("counts no deletion of a Lease as a heartbeat", () => {
    const { write } = openScene();
    write(1, leaseKey, undefined);
    expect(write(3, key, cluster(false, false))).toBe(0);
    expect(write(3.1, leaseKey, lease)).toBe(0);
    expect(write(3.2, key, cluster(true, false))).toBe(0);
    expect(write(4, key, cluster(false, false))).toBe(1);
  });

  it("finds a cluster that is called healthy without heartbeats", () => {
    const { tick } = openScene();
    expect([tick(3), tick(4.5)]).toEqual([0, 1]);
  });

  it("leaves a suspended cluster out until a window after it is resumed", () => {
    const { tick, write } = openScene();
    write(1, key, cluster(true, true));
    expect([tick(4.5), tick(8)]).toEqual([0, 0]);
    write(9, key, cluster(true, false));
    expect([tick(9.5), tick(12.5), tick(13.5)]).toEqual([0, 0, 1]);
  });
});

import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { RowChange } from "../../simulation/invariants/invariant.ts";
import { noCredentialIsLeft } from "../../simulation/invariants/no-credential.ts";

const key = "/rollcall.dev/clusters/fleet/eu-1";
const stateKey = "//configmaps/fleet/rollcall-cluster-eu-1";
const secretKey = "//secrets/fleet/rollcall-eu-1.1";

function cluster(annotations: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { namespace: "fleet", name: "eu-1", annotations },
  };
}

/** A hub that has the Secret of a credential; `change` and `tick` give the number of violations so far. */
function openScene() {
  const objects = new Map<string, KubeObject>([[secretKey, cluster({})]]);
  let elapsedMs = 0;
  let count = 0;
  const below = (prefix: string): Map<string, KubeObject> =>
    new Map(
      [...objects].flatMap(([one, object]) => (one.startsWith(prefix) ? [[one.slice(prefix.length), object]] : [])),
    );
  const hub = {};
  const invariant = noCredentialIsLeft({
    world: {
      scheduler: {
        get elapsedMs() {
          return elapsedMs;
        },
      },
      hub,
      replicas: [],
    },
    mirror: { get: (one) => objects.get(one), below },
    hubUnseenAtMs: () => -60_000,
    violate: () => void (count += 1),
  });
  const change = (after: KubeObject | undefined): number => {
    const before = objects.get(key);
    if (after === undefined) objects.delete(key);
    else objects.set(key, after);
    const seen: Omit<RowChange, "row"> = { key, before, after };
    invariant.onRow?.(seen as RowChange);
    return count;
  };
  const tick = (seconds: number): number => {
    elapsedMs = seconds * 1000;
    invariant.onTick?.();
    return count;
  };
  const admit = (registration: string): number => {
    const memory = JSON.stringify({ join: { registration } });
    const before = objects.get(stateKey);
    const after: KubeObject = { ...cluster({}), kind: "ConfigMap", data: { memory } };
    objects.set(stateKey, after);
    const seen: Omit<RowChange, "row"> = { key: stateKey, before, after };
    invariant.onRow?.(seen as RowChange);
    return count;
  };
  const restore = (): void => {
    invariant.onRestore?.({
      copy: { rows: new Map(), compactedRevision: 0, atMs: 0, isNoticed: false },
      before: new Map(),
    });
  };
  return { change, tick, admit, restore, objects };
}

describe("noCredentialIsLeft", () => {
  it("finds the Secret of a cluster that is removed", () => {
    const { change } = openScene();
    expect(change(cluster({ "rollcall.dev/leave": "abc" }))).toBe(0);
    expect(change(undefined)).toBe(1);
  });

  it("finds the Secret of a cluster that is removed on a restored hub some time later, and not at once", () => {
    const { change, tick, restore } = openScene();
    change(cluster({ "rollcall.dev/leave": "abc" }));
    restore();
    expect(change(undefined)).toBe(0);
    expect(tick(20)).toBe(0);
    expect(tick(40)).toBe(1);
  });

  it("finds the Secret of a cluster some time after it was revoked, and not at once", () => {
    const { change, tick } = openScene();
    change(cluster({ "rollcall.dev/revoked": "abc/who/when" }));
    expect(tick(30)).toBe(0);
    expect(tick(50)).toBe(1);
  });

  it("lets a member have its Secret, and a revoked one none", () => {
    const { change, tick, objects } = openScene();
    change(cluster({}));
    expect(tick(300)).toBe(0);
    objects.delete(secretKey);
    change(cluster({ "rollcall.dev/revoked": "abc/who/when" }));
    expect(tick(600)).toBe(0);
  });

  it("finds that a revoked cluster is admitted, and not what it was admitted by before", () => {
    const { change, tick, admit, objects } = openScene();
    objects.delete(secretKey);
    expect(admit("token-1")).toBe(0);
    change(cluster({ "rollcall.dev/revoked": "abc/who/when" }));
    tick(60);
    expect(admit("token-1")).toBe(0);
    expect(admit("token-2")).toBe(1);
  });
});

import { tmpdir } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { silentLog } from "../../../src/core/log.ts";
import { startNodePresence } from "../../../src/embedded-node/node-presence.ts";
import type { KubeObject } from "../../../src/embedded-node/node-types.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";

/** A node at an API server that keeps Nodes and Leases by their names. */
async function startNode() {
  const clock = createManualClock();
  const kept = new Map<string, KubeObject>();
  const writes: { readonly kind: string; readonly patch: JsonObject }[] = [];
  let uids = 0;
  let isAway = false;
  const answer = (): void => {
    if (isAway) throw new AppError("E_KUBE_UNREACHABLE", "away");
  };
  const api = {
    get: async ({ type }: { type: { kind: string } }) => {
      answer();
      return kept.get(type.kind);
    },
    create: async (object: KubeObject) => {
      answer();
      const made = { ...object, metadata: { ...object.metadata, uid: `uid-${(uids += 1)}` } };
      kept.set(object.kind, made);
      return made;
    },
    mergePatch: async (
      { type: { kind } }: { type: { kind: string } },
      patch: JsonObject,
      options: { readonly isStrategic?: boolean },
    ) => {
      answer();
      // The Node has conditions of others.
      expect(options.isStrategic === true).toBe(kind === "Node");
      if (!kept.has(kind)) throw new AppError("E_KUBE_NOT_FOUND", "no such object");
      writes.push({ kind, patch });
      return {};
    },
  } as unknown as KubeApi;
  const options = { nodeName: "n", dir: tmpdir(), address: "127.0.0.1", version: "v1.34.4" };
  const presence = await startNodePresence(api, options, { clock, log: silentLog });
  onTestFinished(() => presence.stop());
  return {
    clock,
    kept,
    writes,
    presence,
    setAway: (value: boolean) => (isAway = value),
    /** The times at which the Lease was renewed. */
    renewals: () =>
      writes.filter(({ kind }) => kind === "Lease").map(({ patch }) => textAt(patch, "spec", "renewTime")),
    statuses: () => writes.filter(({ kind }) => kind === "Node").map(({ patch }) => patch),
  };
}

it("renews its Lease every ten seconds, and its conditions every five minutes", async () => {
  const { clock, kept, renewals, statuses } = await startNode();
  expect(kept.get("Lease")).toMatchObject({
    metadata: { name: "n", namespace: "kube-node-lease", ownerReferences: [{ kind: "Node", name: "n", uid: "uid-1" }] },
    spec: { holderIdentity: "n", leaseDurationSeconds: 40, renewTime: "2027-01-15T08:00:00.000000Z" },
  });
  await clock.advance(30_000);
  expect(renewals()).toEqual(["10", "20", "30"].map((second) => `2027-01-15T08:00:${second}.000000Z`));
  expect(statuses()).toHaveLength(1);
  await clock.advance(600_000);
  const conditions = (time: string) =>
    ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
      type,
      status: type === "Ready" ? "True" : "False",
      lastHeartbeatTime: `2027-01-15T${time}Z`,
      lastTransitionTime: "2027-01-15T08:00:00Z",
    }));
  expect(statuses().slice(1)).toMatchObject(
    ["08:05:00", "08:10:00"].map((time) => ({ status: { conditions: conditions(time) } })),
  );
});

it("registers again when a user deleted its Node", async () => {
  const { clock, kept } = await startNode();
  kept.clear();
  // A register reads the size of the disk, which takes no time of this clock.
  const look = async () => {
    await clock.advance(60_000);
    return kept.get("Node");
  };
  const node = await until(look, (found) => found !== undefined);
  expect(node).toMatchObject({ metadata: { name: "n", labels: { "kubernetes.io/hostname": "n" } } });
});

it("continues when the API server answers again, and ends with the node", async () => {
  const { clock, presence, renewals, setAway } = await startNode();
  setAway(true);
  await clock.advance(30_000);
  expect(renewals()).toEqual([]);
  setAway(false);
  await clock.advance(10_000);
  expect(renewals()).toHaveLength(1);
  await presence.stop();
  expect(clock.sleepers).toBe(0);
});

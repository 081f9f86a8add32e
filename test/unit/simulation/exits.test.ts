import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/embedded-hub/store/row-format.ts";
import { StoredRecord } from "../../../src/embedded-hub/store/stored-record.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { processesEndRightly } from "../../simulation/invariants/exits.ts";
import { endOfWork } from "../../simulation/member-process.ts";
import { Scheduler } from "../../simulation/scheduler.ts";
import { createTrace } from "../../simulation/trace.ts";

const key = "/rollcall.dev/clusters/fleet/c1";

function cluster(status: object): KubeObject {
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { namespace: "fleet", name: "c1" }, status };
}

const joined = cluster({ identity: { keys: {} } });
const declared = cluster({});

/** Cluster c1, whose agent removes itself when it is removed; `exitAt` gives the number of violations. */
function openScene() {
  const scheduler = new Scheduler(1, createTrace(undefined));
  const node = scheduler.addNode("agent-c1");
  const clusters = new Map<string, KubeObject>();
  let elapsedMs = 0;
  let count = 0;
  const invariant = processesEndRightly({
    world: {
      scheduler: {
        get elapsedMs() {
          return elapsedMs;
        },
      },
      replicas: [],
    },
    mirror: { below: () => clusters },
    disturbedAtMs: () => 0,
    violate: () => void (count += 1),
  });
  return {
    write: (hour: number, after: KubeObject | undefined): void => {
      elapsedMs = hour * 3_600_000;
      const before = clusters.get("c1");
      if (after === undefined) clusters.delete("c1");
      else clusters.set("c1", after);
      const json = Buffer.from(JSON.stringify(after ?? before));
      const record = new StoredRecord({ key, json, createRevision: 1, modRevision: 1 });
      const row: Row = { kind: after === undefined ? "delete" : "put", record };
      invariant.onRow?.({ row, key, before, after });
    },
    exitAt: (hour: number): number => {
      elapsedMs = hour * 3_600_000;
      invariant.onExit?.({ node, why: endOfWork });
      return count;
    },
  };
}

describe("the invariant of processes that end", () => {
  it("lets an agent end a day after its cluster was removed, and not before", () => {
    const scene = openScene();
    scene.write(0, joined);
    scene.write(1, undefined);
    expect(scene.exitAt(25)).toBe(0);
    expect(scene.exitAt(23)).toBe(1);
  });

  it("lets an agent that has left end also when its cluster is declared anew meanwhile", () => {
    const scene = openScene();
    scene.write(0, joined);
    scene.write(1, undefined);
    scene.write(2, declared);
    expect(scene.exitAt(25)).toBe(0);
  });

  it("lets no agent end that joined the cluster after it was declared anew", () => {
    const scene = openScene();
    scene.write(0, joined);
    scene.write(1, undefined);
    scene.write(2, declared);
    scene.write(3, joined);
    expect(scene.exitAt(30)).toBe(1);
  });

  it("lets no agent end whose cluster was never removed", () => {
    const scene = openScene();
    scene.write(0, joined);
    expect(scene.exitAt(48)).toBe(1);
  });
});

import { describe, expect, it } from "vitest";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import { shortestPeriodMs, witnessesOf } from "../../../src/hub/witnesses.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import type { ProtocolName } from "../../../src/model/generated/protocol.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fieldManagers } from "../../../src/model/well-known.ts";
import { clusterOf, coreObject } from "./objects.ts";

const time = "2027-01-01T00:00:00Z";
const heartbeatIn = (name: string, heldMs?: number, manager = "agent"): KubeObject =>
  coreObject(
    "ConfigMap",
    name,
    { managedFields: [{ manager, operation: "Apply", apiVersion: "v1", time }] },
    { heartbeat: { workspace: "fleet", cluster: name, marker: "m", ...(heldMs === undefined ? {} : { heldMs }) } },
  );
const clusters = [
  clusterOf("eu-1", { spec: { heartbeat: { periodSeconds: 20 } } }),
  clusterOf("us-1", { spec: { heartbeat: { periodSeconds: 10 } } }),
];

function sourcesOf(heartbeats: readonly KubeObject[]) {
  const protocol = { heartbeatType: resourceTypes.configMap, heartbeatIn: (object: KubeObject) => object["heartbeat"] };
  const view = {
    list: (type: unknown) => (type === resourceTypes.configMap ? heartbeats : clusters),
    get: ({ name }: ObjectRef) => clusters.find(({ metadata }) => metadata.name === name),
    subscribe: () => () => undefined,
  };
  return {
    view,
    protocols: new Map([["rollcall", protocol as unknown as JoinProtocol]] as [ProtocolName, JoinProtocol][]),
  };
}

describe("witnessesOf", () => {
  it.each([
    {
      reason: "an agent that reports for how long",
      heartbeats: [heartbeatIn("eu-1", 5000)],
      expected: [{ renewedAtMs: Date.parse(time), heldMs: 5000, periodMs: 20_000 }],
    },
    { reason: "no agent that does not report it", heartbeats: [heartbeatIn("eu-1")], expected: [] },
    { reason: "no agent of a cluster that is not declared", heartbeats: [heartbeatIn("strange", 5000)], expected: [] },
    {
      reason: "no report that the hub wrote itself",
      heartbeats: [heartbeatIn("eu-1", 5000, fieldManagers.hub)],
      expected: [],
    },
    { reason: "no object without a heartbeat", heartbeats: [coreObject("ConfigMap", "other")], expected: [] },
  ])("takes $reason", ({ heartbeats, expected }) => {
    expect(witnessesOf(sourcesOf(heartbeats))).toEqual(expected);
  });
});

describe("shortestPeriodMs", () => {
  it("is the shortest of all clusters, and undefined without any", () => {
    expect(shortestPeriodMs(sourcesOf([]))).toBe(10_000);
    expect(shortestPeriodMs({ view: { list: () => [], subscribe: () => () => undefined } })).toBeUndefined();
  });

  it("follows a change, and lists the clusters once", () => {
    let lists = 0;
    const listeners: ((change: ViewChange) => void)[] = [];
    const view = {
      list: () => ((lists += 1), clusters),
      subscribe: (listener: (change: ViewChange) => void) => (listeners.push(listener), () => undefined),
    };
    expect(shortestPeriodMs({ view })).toBe(10_000);
    const [, us] = clusters;
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "us-1" };
    for (const listener of listeners) listener({ ref, object: undefined, before: us, isPlanned: false });
    expect(shortestPeriodMs({ view })).toBe(20_000);
    expect(lists).toBe(1);
  });
});

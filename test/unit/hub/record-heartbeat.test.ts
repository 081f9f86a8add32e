import { describe, expect, it } from "vitest";
import { canBeMissed, recordHeartbeat } from "../../../src/hub/record-heartbeat.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { Member } from "../../../src/model/member.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fieldManagers } from "../../../src/model/well-known.ts";
import { clusterOf, coreObject } from "./objects.ts";

const written = (manager: string, time: string) => ({ manager, operation: "Apply" as const, apiVersion: "v1", time });
const heartbeat = coreObject("ConfigMap", "beat", {
  managedFields: [written("agent", "2027-01-01T00:00:00Z"), written(fieldManagers.hub, "2027-01-02T00:00:00Z")],
});

const writtenMs = Date.parse("2027-01-01T00:00:00Z");

function observe({ children = [heartbeat], agentSeconds = 60 } = {}) {
  const seen: unknown[] = [];
  const protocol = {
    agentPeriodSeconds: () => agentSeconds,
    heartbeatRef: () => ({ type: resourceTypes.configMap, namespace: "fleet", name: "beat" }),
    heartbeatIn: ({ kind, metadata: { name, namespace } }: KubeObject) =>
      kind === "ConfigMap" && name.endsWith("beat")
        ? { marker: name === "beat" && namespace === "fleet" ? "m1" : "other" }
        : undefined,
  } as unknown as JoinProtocol;
  const cluster = clusterOf("eu-1", { spec: { heartbeat: { failureThreshold: 4 } } });
  const member: Member = { workspace: "fleet", name: "eu-1", cluster, state: undefined, children };
  const health = {
    observe: (key: string, windowMs: number, marker: string | undefined, at?: () => number | undefined) =>
      void seen.push([key, windowMs, marker, at?.()]),
  };
  recordHeartbeat(health, protocol, member);
  return seen;
}

const joined = (status: "True" | "False") => ({
  status: { conditions: [{ type: "Joined", status, reason: "R", message: "", lastTransitionTime: "" }] },
});
const join = { initiated: "agent", time: "2027-01-01T00:00:00Z" };
const install = { time: "2027-01-01T00:00:00Z" };

describe("canBeMissed", () => {
  it.each([
    { reason: "no Cluster and no state", cluster: undefined, state: undefined, expected: false },
    {
      reason: "a Cluster that waits for its agent",
      cluster: joined("False"),
      state: { bootstrap: {} },
      expected: false,
    },
    { reason: "a Cluster without a status", cluster: {}, state: undefined, expected: false },
    { reason: "an agent that has joined", cluster: joined("True"), state: undefined, expected: true },
    { reason: "an agent that was admitted", cluster: joined("False"), state: { join }, expected: true },
    { reason: "an agent that the hub installed", cluster: joined("False"), state: { install }, expected: true },
  ])("$expected: $reason", ({ cluster, state, expected }) => {
    expect(canBeMissed(cluster as Cluster | undefined, state as MemberState | undefined)).toBe(expected);
  });
});

describe("recordHeartbeat", () => {
  it.each([
    {
      reason: "the marker, and when the agent wrote it, not the hub",
      world: { children: [coreObject("Secret", "s"), heartbeat] },
      expected: ["fleet/eu-1", 240_000, "m1", writtenMs],
    },
    {
      reason: "the period of the agent times the threshold of the file",
      world: { agentSeconds: 5 },
      expected: ["fleet/eu-1", 20_000, "m1", writtenMs],
    },
    {
      reason: "no marker of a member without a heartbeat",
      world: { children: [coreObject("Secret", "s")] },
      expected: ["fleet/eu-1", 240_000, undefined, undefined],
    },
  ])("passes on $reason", ({ world, expected }) => {
    expect(observe(world)).toEqual([expected]);
  });

  it("A69 takes no heartbeat of another agent that labels its own like those of this member", () => {
    const others = [coreObject("ConfigMap", "a-beat"), coreObject("ConfigMap", "z-beat")];
    const [first] = observe({ children: [...others, heartbeat] });
    expect(first).toEqual(["fleet/eu-1", 240_000, "m1", writtenMs]);
    expect(observe({ children: others })).toEqual([["fleet/eu-1", 240_000, undefined, undefined]]);
  });

  it.each([
    { reason: "of the same name in another namespace", other: coreObject("ConfigMap", "beat", { namespace: "labs" }) },
    { reason: "of the same name and another kind", other: coreObject("Secret", "beat") },
  ])("A69 takes no heartbeat from an object $reason", ({ other }) => {
    expect(observe({ children: [other] })).toEqual([["fleet/eu-1", 240_000, undefined, undefined]]);
    expect(observe({ children: [other, heartbeat] })).toMatchObject([["fleet/eu-1", 240_000, "m1", writtenMs]]);
  });
});

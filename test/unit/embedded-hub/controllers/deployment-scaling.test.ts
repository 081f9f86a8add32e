import { describe, expect, it } from "vitest";
import type { Sizes } from "../../../../src/embedded-hub/controllers/deployment-scaling.ts";
import { shrunkOldSizes } from "../../../../src/embedded-hub/controllers/deployment-scaling.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function setOf(name: string, replicas: number, availableReplicas: number): KubeObject {
  const metadata = { name, creationTimestamp: `2026-01-0${name.charCodeAt(0) - 96}T00:00:00Z` };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas }, status: { availableReplicas } };
}

function deploymentOf(replicas: number, maxSurge: number, maxUnavailable: number): KubeObject {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas, strategy } };
}

const shown = (sizes: Sizes): string => [...sizes].map(([name, size]) => `${name}=${size}`).join(" ");

describe("the old ReplicaSets of a rollout", () => {
  const deployment = deploymentOf(10, 3, 2);
  it.each([
    ["as many Pods go as may be missing", [setOf("a", 10, 10)], setOf("n", 3, 0), "a=8"],
    ["none goes while the new ones are missing", [setOf("a", 8, 8)], setOf("n", 5, 0), ""],
    ["one goes for each new one that is available", [setOf("a", 8, 8)], setOf("n", 5, 2), "a=6"],
    [
      "unhealthy ones go first, of the oldest set before others",
      [setOf("a", 4, 1), setOf("b", 6, 6)],
      setOf("n", 1, 1),
      "a=1",
    ],
    ["healthy ones go of the oldest set, too", [setOf("b", 4, 4), setOf("a", 4, 4)], setOf("n", 5, 5), "a=0 b=3"],
    [
      "none goes before a status has the size of its set: Pods that end are counted in it",
      [setOf("a", 8, 10)],
      setOf("n", 5, 1),
      "",
    ],
    [
      "none goes before then although new ones are available",
      [setOf("b", 0, 0), setOf("a", 6, 8)],
      setOf("n", 5, 5),
      "",
    ],
    ["empty sets are of no interest", [setOf("a", 0, 0)], setOf("n", 10, 10), ""],
  ] as const)("%s", (_reason, oldSets, newSet, sizes) => {
    expect(shown(shrunkOldSizes(deployment, newSet, oldSets))).toBe(sizes);
  });
});

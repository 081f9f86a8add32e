import { describe, expect, it } from "vitest";
import {
  byRevision,
  maxSurgeOf,
  maxUnavailableOf,
  nextRevision,
  splitReplicaSets,
} from "../../../../src/embedded-hub/controllers/deployment-facts.ts";
import {
  isScalingEvent,
  newSetSize,
  scaledSizes,
  shrunkOldSizes,
} from "../../../../src/embedded-hub/controllers/deployment-scaling.ts";
import type { Sizes } from "../../../../src/embedded-hub/controllers/deployment-scaling.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { podTemplate } from "./workloads.ts";

const prefix = "deployment.kubernetes.io/";

/** Older ones have names that come first. */
function setOf(
  name: string,
  replicas: number,
  availableReplicas = 0,
  annotated: Record<string, number> = {},
): KubeObject {
  const annotations = Object.fromEntries(
    Object.entries(annotated).map(([key, value]) => [prefix + key, String(value)]),
  );
  const metadata = { name, creationTimestamp: `2026-01-${10 + name.charCodeAt(0) - 96}T00:00:00Z`, annotations };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas }, status: { availableReplicas } };
}

function deploymentOf(
  replicas: number,
  maxSurge: number | string = 0,
  maxUnavailable: number | string = 0,
): KubeObject {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas, strategy } };
}

const recreated = (replicas: number): KubeObject => ({
  ...{ ...deploymentOf(replicas), spec: { replicas, strategy: { type: "Recreate" } } },
});

const shown = (sizes: Sizes): string =>
  [...sizes]
    .map(([name, size]) => `${name}=${size}`)
    .sort()
    .join(" ");
const max = (count: number) => ({ "max-replicas": count });
const saturated = setOf("n", 5, 5, { "desired-replicas": 5 });

describe("a change of size", () => {
  it.each<[reason: string, deployment: KubeObject, newSet: KubeObject | undefined, old: KubeObject[], sizes: string]>([
    ["goes to the only set with Pods", deploymentOf(5), setOf("n", 0), [setOf("a", 3)], "a=5"],
    ["goes to the new set when none has Pods", deploymentOf(5), setOf("n", 0), [setOf("a", 0)], "n=5"],
    [
      "goes to the newest set when there is no new one",
      deploymentOf(5),
      undefined,
      [setOf("b", 0), setOf("a", 0)],
      "b=5",
    ],
    ["is none without sets", deploymentOf(5), undefined, [], ""],
    ["is none for a set of that size", deploymentOf(5), setOf("n", 5), [], ""],
    ["leaves the new set alone when it is whole", deploymentOf(5), saturated, [setOf("a", 3), setOf("b", 0)], "a=0"],
    [
      "is shared while a new Pod is missing",
      deploymentOf(5),
      setOf("n", 5, 4, { "desired-replicas": 5, ...max(5) }),
      [setOf("a", 1, 0, max(5))],
      "a=1 n=4",
    ],
    [
      "is shared while the new set had another size",
      deploymentOf(5),
      setOf("n", 5, 5, { "desired-replicas": 6, ...max(5) }),
      [setOf("a", 1, 0, max(5))],
      "a=1 n=4",
    ],
    [
      "gives newer ones of equal sets more",
      deploymentOf(15),
      setOf("n", 5, 0, max(10)),
      [setOf("a", 5, 0, max(10))],
      "a=7 n=8",
    ],
    [
      "takes more from older ones of equal sets",
      deploymentOf(5),
      setOf("n", 5, 0, max(10)),
      [setOf("a", 5, 0, max(10))],
      "a=2 n=3",
    ],
    ["gives what is left to the largest", deploymentOf(10), setOf("n", 2), [setOf("a", 4)], "a=8 n=2"],
    [
      "counts what may be there besides",
      deploymentOf(10, 2),
      setOf("n", 2, 0, max(6)),
      [setOf("a", 4, 0, max(6))],
      "a=8 n=4",
    ],
    ["is none when the sum is right", deploymentOf(6), setOf("n", 2, 0, max(6)), [setOf("a", 4, 0, max(6))], "a=4 n=2"],
    ["to nothing empties all", deploymentOf(0, 3), setOf("n", 2, 0, max(9)), [setOf("a", 4, 0, max(9))], "a=0 n=0"],
    ["of one that recreates is not shared", recreated(9), setOf("n", 2), [setOf("a", 4)], ""],
  ])("%s", (...row) => {
    const [, deployment, newSet, oldSets, sizes] = row;
    expect(shown(scaledSizes(deployment, newSet, oldSets))).toBe(sizes);
  });

  it("is seen in the size that sets with Pods were made for", () => {
    const of = (replicas: number, desired?: number) =>
      setOf("a", replicas, 0, desired === undefined ? {} : { "desired-replicas": desired });
    const seen = [[of(1, 4)], [of(1, 5)], [of(0, 4)], [of(1)], [of(2, 5), of(1, 6)], []];
    expect(seen.map((sets) => isScalingEvent(deploymentOf(5), sets))).toEqual([true, false, false, false, true, false]);
  });
});

describe("the new ReplicaSet of a rollout", () => {
  it.each([
    ["has what may be there beyond the old ones", deploymentOf(5, 1), 0, 5, 1],
    ["does not grow without room", deploymentOf(5, 1), 3, 3, 3],
    ["does not shrink for too many old ones", deploymentOf(5, 1), 2, 9, 2],
    ["grows up to its size, not beyond", deploymentOf(5, 3), 2, 0, 5],
    ["shrinks to its size", deploymentOf(5, 3), 7, 0, 5],
    ["is whole at once where old Pods are ended first", recreated(5), 0, 5, 5],
  ])("%s", (...row) => {
    const [, deployment, size, old, wanted] = row;
    expect(newSetSize(deployment, size, [setOf("a", old)])).toBe(wanted);
  });
});

describe("what may be there besides, and what may be missing", () => {
  it.each([
    [10, "25%", "25%", 3, 2],
    [3, "25%", "25%", 1, 0],
    [2, 0, "25%", 0, 1],
    [2, 0, 0, 0, 1],
    [5, 7, 9, 7, 5],
    [0, "25%", "25%", 0, 0],
    [4, "x", "50%", 0, 2],
  ])("of %d with %s and %s are %d and %d", (...row) => {
    const [replicas, maxSurge, maxUnavailable, surge, unavailable] = row;
    const deployment = deploymentOf(replicas, maxSurge, maxUnavailable);
    expect([maxSurgeOf(deployment), maxUnavailableOf(deployment)]).toEqual([surge, unavailable]);
  });

  it("is nothing where old Pods are ended first", () => {
    expect([maxSurgeOf(recreated(4)), maxUnavailableOf(recreated(4))]).toEqual([0, 0]);
  });
});

describe("the ReplicaSets of a Deployment", () => {
  const withRevision = (name: string, text: string): KubeObject => {
    const set = setOf(name, 1);
    return { ...set, metadata: { ...set.metadata, annotations: { [`${prefix}revision`]: text } } };
  };
  const nameOf = ({ metadata }: KubeObject): string => metadata.name;

  it("are in the order of their revisions, which count up from the newest", () => {
    const sets = [withRevision("c", "10"), withRevision("a", "9"), withRevision("x", "none"), withRevision("b", "9")];
    expect([...sets].sort(byRevision).map(nameOf)).toEqual(["x", "a", "b", "c"]);
    expect([nextRevision(sets), nextRevision([]), nextRevision([withRevision("l", "99999999999999999999")])]).toEqual([
      ...[11n, 1n, 1n],
    ]);
  });

  it("have the oldest one with its template as the new one, whatever the hash of each is", () => {
    const templated = (name: string, image: string, hash?: string): KubeObject => {
      const template = podTemplate(image);
      const labels = { app: "web", ...(hash === undefined ? {} : { "pod-template-hash": hash }) };
      return { ...setOf(name, 1), spec: { replicas: 1, template: { ...template, metadata: { labels } } } };
    };
    const deployment = templated("web", "web:1");
    const sets = [templated("d", "web:1", "x"), templated("c", "web:1", "y"), templated("a", "web:2", "z")];
    const split = splitReplicaSets(deployment, sets);
    expect([split.newSet?.metadata.name, split.oldSets.map(nameOf)]).toEqual(["c", ["a", "d"]]);
    const sameTime = sets.map((set) => ({
      ...set,
      metadata: { ...set.metadata, creationTimestamp: "2026-01-01T00:00:00Z" },
    }));
    expect(splitReplicaSets(deployment, sameTime).newSet?.metadata.name).toBe("c");
    expect(splitReplicaSets(templated("web", "web:3"), sets).newSet).toBeUndefined();
  });
});

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

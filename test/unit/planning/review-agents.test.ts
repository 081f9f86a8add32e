import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Plan, PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { Observed } from "../../../src/planning/observed.ts";
import { reviewAgents } from "../../../src/planning/review-agents.ts";

const { cluster, clusterGroup } = resourceTypes;

interface Given {
  readonly name?: string;
  readonly kind?: PlannedChange["kind"];
  readonly type?: typeof cluster;
  readonly paths?: readonly string[];
  readonly version?: { readonly from?: string; readonly to?: string };
  readonly spec?: object;
}

function change({ name = "a", kind = "update", type = cluster, paths = [], version, spec = {} }: Given): PlannedChange {
  const fields = [...paths.map((path) => ({ path })), ...(version ? [{ path: "spec.agent.version", ...version }] : [])];
  const object = { apiVersion: "x", kind: type.kind, metadata: { name }, spec };
  return { kind, ref: { type, namespace: "fleet", name }, object, fields } as unknown as PlannedChange;
}

function rolls(changes: readonly PlannedChange[], { running = "1.0.0", clusterCount = 10, maxUnavailable = 1 } = {}) {
  const live = { metadata: { name: "a" }, status: { agent: { version: running } } } as unknown as KubeObject;
  const observed = {
    get: () => (running === "" ? undefined : live),
    list: () => Array.from({ length: clusterCount }, () => live),
  } as unknown as Observed;
  return reviewAgents({ changes } as unknown as Plan, observed, { rollout: { maxUnavailable } });
}

describe("the agents that a plan rolls out anew", () => {
  it.each<{ reason: string; given: Given; is: readonly string[] }>([
    {
      reason: "its image changes",
      given: { paths: ["spec.agent.image", "spec.displayName"] },
      is: ["spec.agent.image"],
    },
    { reason: "the whole part comes", given: { paths: ["spec.agent"] }, is: ["spec.agent"] },
    { reason: "a list changes", given: { paths: ["spec.agent[0]"] }, is: ["spec.agent[0]"] },
    { reason: "another part begins alike", given: { paths: ["spec.agentless", "x.spec.agent"] }, is: [] },
    { reason: "it is made", given: { kind: "create", paths: ["spec.agent"] }, is: [] },
    { reason: "it is a group", given: { type: clusterGroup, paths: ["spec.agent"] }, is: [] },
    { reason: "it is paused", given: { paths: ["spec.agent"], spec: { paused: true } }, is: [] },
  ])("are known by their fields: $reason", ({ given, is }) => {
    expect(rolls([change(given)]).flatMap(({ reasons }) => reasons)).toEqual(is);
  });

  it.each([
    { version: { from: "0.9.0", to: "1.1.0" }, running: "1.0.0", is: { from: "0.9.0", to: "1.1.0" } },
    { version: { to: "1.1.0" }, running: "1.0.0", is: { from: "1.0.0", to: "1.1.0" } },
    { version: { to: "1.1.0" }, running: "", is: { to: "1.1.0" } },
    { version: undefined, running: "1.0.0", is: { from: "1.0.0", to: "1.0.0" } },
    { version: undefined, running: "", is: {} },
  ])("go with $version from $running to $is", ({ version, running, is }) => {
    const [roll] = rolls([change({ paths: ["spec.agent.image"], ...(version ? { version } : {}) })], { running });
    const { cluster: _, reasons: _reasons, wave: _wave, ...versions } = roll ?? { cluster: "", reasons: [] };
    expect(versions).toEqual(is);
  });

  it.each([
    { maxUnavailable: 1, is: ["a 1", "b 2", "c 3"] },
    { maxUnavailable: 2, is: ["a 1", "b 1", "c 2"] },
  ])("take their turns by name, $maxUnavailable at once: $is", ({ maxUnavailable, is }) => {
    const changes = ["c", "a", "b"].map((name) => change({ name, paths: ["spec.agent"] }));
    expect(rolls(changes, { maxUnavailable }).map((roll) => `${roll.cluster.slice(6)} ${roll.wave}`)).toEqual(is);
  });

  it("count the clusters of the hub where only a part is observed", () => {
    const changes = ["a", "b", "c"].map((name) => change({ name, paths: ["spec.agent"] }));
    const observed = { get: () => undefined, list: () => [] } as unknown as Observed;
    const waves = (clusterCount?: number) =>
      reviewAgents({ changes } as unknown as Plan, observed, { rollout: {}, clusterCount }).map(({ wave }) => wave);
    expect([waves(), waves(20)]).toEqual([
      [1, 2, 3],
      [1, 1, 2],
    ]);
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { replicaStatus } from "../../../../src/embedded-hub/controllers/replica-status.ts";
import { sortForDeletion } from "../../../../src/embedded-hub/controllers/pod-facts.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  readonly readySince?: string;
  readonly cost?: string;
  readonly restarts?: readonly number[];
  readonly created?: string;
  readonly labels?: Record<string, string>;
}

/** A Pod that runs and is ready, unless the facts differ. */
function podOf(name: string, facts: Facts = {}): KubeObject {
  const { node = "n1", phase = "Running", readySince = "2026-01-01T00:00:00Z", cost, restarts = [0] } = facts;
  const annotations: Record<string, string> =
    cost === undefined ? {} : { "controller.kubernetes.io/pod-deletion-cost": cost };
  const ready: JsonObject[] = [
    { type: "Ready", status: readySince === "" ? "False" : "True", lastTransitionTime: readySince },
  ];
  const containerStatuses: JsonObject[] = restarts.map((restartCount) => ({ restartCount }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ name, annotations, creationTimestamp: facts.created ?? "2026-01-01T00:00:00Z" },
      labels: facts.labels ?? { app: "web" },
    },
    spec: node === "" ? {} : { nodeName: node },
    status: { phase, conditions: ready, containerStatuses },
  };
}

/** The Pod that goes first, and the one that stays. */
const rows: readonly (readonly [reason: string, first: Facts, last: Facts])[] = [
  ["has no node", { node: "" }, { phase: "Pending" }],
  ["is pending", { phase: "Pending" }, { phase: "Unknown" }],
  ["is in an unknown phase", { phase: "Unknown" }, { readySince: "" }],
  ["is not ready", { readySince: "" }, { cost: "-5" }],
  ["costs less", { cost: "-5" }, { cost: "3" }],
  ["costs nothing", {}, { cost: "3" }],
  ["has a cost that is no number", { cost: "1.5" }, { cost: "1" }],
  ["was ready last", { readySince: "2026-01-02T00:00:00Z" }, { restarts: [9] }],
  ["restarted most", { restarts: [1, 3] }, { restarts: [2, 2] }],
  ["is the youngest", { created: "2026-01-02T00:00:00Z" }, {}],
];

describe("a scale-down", () => {
  it.each(rows)("takes the Pod that %s", (_reason, first, last) => {
    for (const pods of [
      [podOf("stays", last), podOf("goes", first)],
      [podOf("goes", first), podOf("stays", last)],
    ]) {
      expect(sortForDeletion(pods).map(({ metadata }) => metadata.name)).toEqual(["goes", "stays"]);
    }
  });

  it("takes a Pod of the node that has most of them", () => {
    const pods = [podOf("alone", { node: "n2", readySince: "2026-01-02T00:00:00Z" }), podOf("a"), podOf("b")];
    expect(sortForDeletion(pods).at(-1)?.metadata.name).toBe("alone");
  });
});

describe("the status of a ReplicaSet", () => {
  const nowMs = Date.parse("2026-01-01T00:01:00Z");
  const now = "2026-01-01T00:01:00Z";
  const known = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: "first",
    lastTransitionTime: "T",
  };
  const other = { type: "Other", status: "True" };
  const setOf = (conditions: readonly JsonObject[] = [], minReadySeconds = 0): KubeObject => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "rs", generation: 3 },
    spec: { minReadySeconds, template: { metadata: { labels: { app: "web", tier: "x" } } } },
    status: { conditions },
  });
  const failure = { reason: "FailedDelete", message: "second" } as const;

  it.each([
    ["of no Pods", setOf(), [], { observedGeneration: 3, replicas: 0 }],
    [
      "counts those that are ready, and those that have all labels",
      setOf(),
      [podOf("a", { labels: { app: "web", tier: "x" } }), podOf("b", { readySince: "" })],
      { availableReplicas: 1, fullyLabeledReplicas: 1, observedGeneration: 3, readyReplicas: 1, replicas: 2 },
    ],
    [
      "counts those that were ready long enough",
      setOf([], 60),
      [podOf("a"), podOf("b", { readySince: "2026-01-01T00:00:01Z" })],
      { availableReplicas: 1, observedGeneration: 3, readyReplicas: 2, replicas: 2 },
    ],
  ])("%s", (_what, set, pods, status) => {
    expect(replicaStatus(set, pods, { nowMs, now, failure: undefined })).toEqual(status);
  });

  it.each([
    [
      "has a failure since it is there",
      [other],
      failure,
      [other, { type: "ReplicaFailure", status: "True", lastTransitionTime: now, ...failure }],
    ],
    ["keeps a failure as it was first", [known, other], failure, [other, known]],
    ["loses a failure that is over", [known, other], undefined, [other]],
    ["has no conditions without one", [known], undefined, undefined],
  ] as const)("%s", (_what, conditions, of, expected) => {
    expect(replicaStatus(setOf(conditions), [], { nowMs, now, failure: of })["conditions"]).toEqual(expected);
  });
});

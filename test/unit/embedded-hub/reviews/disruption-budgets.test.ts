import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { objectModified } from "../../../../src/embedded-hub/failures/failures.ts";
import type { Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { countDisruption } from "../../../../src/embedded-hub/reviews/disruption-budgets.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";

const nowMs = Date.parse("2026-01-02T03:04:05Z");
const ready = [{ type: "Ready", status: "True" }];

function podOf(status: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "shop", labels: { app: "web" }, ...metadata },
    status: { phase: "Running", conditions: ready, ...status },
  };
}

function budgetOf(status: JsonObject, spec: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "shop", generation: 2, ...metadata },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status: { observedGeneration: 2, disruptionsAllowed: 1, ...status },
  };
}

interface Setting {
  readonly pod?: KubeObject;
  readonly budgets: readonly KubeObject[];
  readonly isDryRun?: boolean;
  /** How many writes another client is quicker than. */
  readonly conflicts?: number;
}

/** The status that the budget gets; "unchanged", or how the eviction is refused. */
async function count({ pod = podOf(), budgets, isDryRun = false, conflicts = 0 }: Setting): Promise<unknown> {
  const writes: unknown[] = [];
  let tries = 0;
  const operations = {
    definitionOf: (group: string, plural: string) => ({ group, plural }),
    list: ({ namespace }: { namespace: string }) => ({
      items: budgets.filter(({ metadata }) => metadata.namespace === namespace),
    }),
    update: (_context: unknown, target: { name: string; subresource: string }, { status }: KubeObject) => {
      tries += 1;
      const subject = { group: "policy", plural: "poddisruptionbudgets", name: target.name };
      if (tries <= conflicts) return Promise.reject(objectModified(subject));
      writes.push([`${target.name}/${target.subresource}`, status]);
      return Promise.resolve();
    },
  } as unknown as Operations;
  try {
    await countDisruption(operations, { ...contextOf(administrator), isDryRun }, { pod, nowMs });
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    const { code, message, details } = error.status;
    const causes = details?.causes?.map((cause) => cause.message) ?? [];
    const wait = details?.retryAfterSeconds === undefined ? [] : [`after ${details.retryAfterSeconds} s`];
    return [`${code} ${tries}`, ...(causes.length === 0 ? [message] : causes), ...wait];
  }
  return writes.length === 0 ? "unchanged" : writes;
}

const full = { disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2 };
const needed = ["429 0", "The disruption budget b needs 2 healthy pods and has 2 currently"];
const disrupted = { p: "2026-01-02T03:04:05Z" };

describe("an eviction, by the PodDisruptionBudgets of its namespace,", () => {
  it.each<readonly [string, Setting, unknown]>([
    ["without one", { budgets: [] }, "unchanged"],
    [
      "where they select other Pods",
      { budgets: [budgetOf(full, { selector: { matchLabels: { app: "db" } } })] },
      "unchanged",
    ],
    ["where they select no Pod", { budgets: [budgetOf(full, { selector: null })] }, "unchanged"],
    ["where one selects every Pod", { budgets: [budgetOf(full, { selector: {} })] }, needed],
    ["where the one is in another namespace", { budgets: [budgetOf(full, {}, { namespace: "other" })] }, "unchanged"],
    [
      "where two select it",
      { budgets: [budgetOf({}), budgetOf({})] },
      ["500 0", expect.stringContaining("more than one PodDisruptionBudget")],
    ],
    ["where there is no room", { budgets: [budgetOf(full)] }, needed],
    ["of a Pod that waits", { pod: podOf({ phase: "Pending" }), budgets: [budgetOf(full)] }, "unchanged"],
    ["of a Pod that failed", { pod: podOf({ phase: "Failed" }), budgets: [budgetOf(full)] }, "unchanged"],
    ["of a Pod that succeeded", { pod: podOf({ phase: "Succeeded" }), budgets: [budgetOf(full)] }, "unchanged"],
    [
      "of a Pod that is being deleted",
      { pod: podOf({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), budgets: [budgetOf(full)] },
      "unchanged",
    ],
    ["as a dry run, where there is room", { isDryRun: true, budgets: [budgetOf({})] }, "unchanged"],
    ["as a dry run, where there is none", { isDryRun: true, budgets: [budgetOf(full)] }, needed],
    [
      "where the budget was changed and not counted since",
      { budgets: [budgetOf({ observedGeneration: 1 })] },
      ["429 0", "The disruption budget b is still being processed by the server.", "after 10 s"],
    ],
    [
      "where less than nothing is allowed",
      { budgets: [budgetOf({ disruptionsAllowed: -1 })] },
      ["403 0", expect.stringContaining("pdb disruptions allowed is negative")],
    ],
    [
      "where 2,001 evictions wait to be confirmed",
      { budgets: [budgetOf({ disruptedPods: evictions(2001) })] },
      ["403 0", expect.stringContaining("DisruptedPods map too big")],
    ],
    [
      "where 2,000 evictions wait",
      { budgets: [budgetOf({ disruptedPods: evictions(2000) })], isDryRun: true },
      "unchanged",
    ],
    [
      "where nothing was counted yet",
      { budgets: [budgetOf({ disruptionsAllowed: null })] },
      ["429 0", expect.stringContaining("needs 0 healthy pods")],
    ],
  ])("%s", async (_what, setting, expected) => {
    expect(await count(setting)).toEqual(expected);
  });

  const unhealthy = podOf({
    conditions: [
      { type: "Ready", status: "False" },
      { type: "Initialized", status: "True" },
    ],
  });
  it.each<readonly [string, JsonObject, JsonObject, unknown]>([
    ["enough others are healthy", full, {}, "unchanged"],
    ["too few are healthy", { ...full, currentHealthy: 1 }, {}, ["429 0", expect.stringContaining("has 1 currently")]],
    [
      "none needs to be healthy",
      { ...full, desiredHealthy: 0 },
      {},
      ["429 0", expect.stringContaining("needs 0 healthy pods")],
    ],
    [
      "they may always be evicted",
      { ...full, currentHealthy: 1 },
      { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      "unchanged",
    ],
  ])("of a Pod that is not ready: where %s", async (_what, status, spec, expected) => {
    expect(await count({ pod: unhealthy, budgets: [budgetOf(status, spec)] })).toEqual(expected);
  });

  it("is counted in its status, beside those that wait", async () => {
    const status = { disruptionsAllowed: 2, disruptedPods: { o: "t" }, conditions: [{ type: "DisruptionAllowed" }] };
    expect(await count({ budgets: [budgetOf(status)] })).toEqual([
      [
        "b/status",
        { ...status, observedGeneration: 2, disruptionsAllowed: 1, disruptedPods: { o: "t", ...disrupted } },
      ],
    ]);
  });

  it("that takes the last room is shown in the condition", async () => {
    const conditions = [
      { type: "Other", status: "True" },
      { type: "DisruptionAllowed", status: "True", reason: "SufficientPods", observedGeneration: 2 },
    ];
    const condition = { status: "False", reason: "InsufficientPods", message: "", lastTransitionTime: disrupted.p };
    expect(await count({ budgets: [budgetOf({ conditions })] })).toEqual([
      [
        "b/status",
        {
          ...{ observedGeneration: 2, disruptionsAllowed: 0, disruptedPods: disrupted },
          conditions: [conditions[0], { ...conditions[1], ...condition }],
        },
      ],
    ]);
  });

  it("is counted again while others write the status: 20 times in all", async () => {
    expect(await count({ budgets: [budgetOf({})], conflicts: 19 })).toHaveLength(1);
    expect(await count({ budgets: [budgetOf({})], conflicts: 20 })).toEqual([
      "409 20",
      expect.stringContaining("has been modified"),
    ]);
  });
});

function evictions(many: number): JsonObject {
  return Object.fromEntries(Array.from({ length: many }, (_, index) => [`p${index}`, "t"]));
}

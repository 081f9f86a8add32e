import { smallestOf } from "../../core/extremes.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { podReadySinceMs } from "./pod-facts.ts";

/** How long an eviction may take until its Pod counts as healthy again. */
const evictionTimeoutMs = 120_000;

export interface DisruptionInput {
  readonly budget: KubeObject;
  readonly pods: readonly KubeObject[];
  /** How many replicas the controllers of the Pods ask for. */
  readonly scale: () => number;
  readonly nowMs: number;
  /** RFC 3339. */
  readonly now: string;
}

export interface DisruptionResult {
  readonly status: JsonObject;
  /** When an eviction that was not followed by a deletion counts no longer. */
  readonly recheckInMs: number | undefined;
}

/** The status of a PodDisruptionBudget. Source: Kubernetes, pkg/controller/disruption. */
export function disruptionStatus(input: DisruptionInput): DisruptionResult {
  const { budget, pods, nowMs } = input;
  const evicted = pendingEvictions(budget, pods, nowMs);
  const { expectedPods, desiredHealthy } = expectation(input);
  const currentHealthy = pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      !evicted.has(pod.metadata.name) &&
      podReadySinceMs(pod) !== undefined,
  ).length;
  const spare = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const ends = [...evicted.values()].map((atMs) => atMs + evictionTimeoutMs - nowMs);
  const before = objectAt(budget, "status", "disruptedPods") ?? {};
  const disruptedPods = Object.fromEntries([...evicted.keys()].map((name) => [name, before[name]]));
  const counted = {
    observedGeneration: budget.metadata.generation ?? 0,
    ...(evicted.size === 0 ? {} : { disruptedPods }),
    disruptionsAllowed: spare,
    currentHealthy,
    desiredHealthy,
    expectedPods,
  };
  return {
    status: withCondition(input, counted, spare > 0 ? sufficient : insufficient),
    recheckInMs: ends.length === 0 ? undefined : smallestOf(ends),
  };
}

const sufficient = { status: "True", reason: "SufficientPods", message: "" };
const insufficient = { status: "False", reason: "InsufficientPods", message: "" };

/** The status when the numbers cannot be known: nothing may be evicted. The spec counts as not observed. */
export function failedDisruptionStatus(input: Pick<DisruptionInput, "budget" | "now">, message: string): JsonObject {
  const { conditions: _old, ...numbers } = objectAt(input.budget, "status") ?? {};
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const failed = { status: "False", reason: "SyncFailed", message };
  return withCondition(input, { ...none, ...numbers, disruptionsAllowed: 0 }, failed);
}

function withCondition(
  { budget, now }: Pick<DisruptionInput, "budget" | "now">,
  numbers: JsonObject,
  { status, reason, message }: { readonly status: string; readonly reason: string; readonly message: string },
): JsonObject {
  const observed = numbers["observedGeneration"];
  const conditions = objectsAt(budget, "status", "conditions");
  const before = conditions.find((one) => one["type"] === "DisruptionAllowed");
  const lastTransitionTime = before?.["status"] === status ? (textAt(before, "lastTransitionTime") ?? now) : now;
  const observedGeneration = observed === undefined ? {} : { observedGeneration: observed };
  const condition = { type: "DisruptionAllowed", status, ...observedGeneration, lastTransitionTime, reason, message };
  const others = conditions.filter((one) => one !== before);
  return { ...numbers, conditions: [...others, condition] };
}

function expectation({ budget, pods, scale }: DisruptionInput): {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
} {
  const most = valueAt(budget, "spec", "maxUnavailable");
  if (most !== undefined) {
    const expectedPods = scale();
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaled(most, expectedPods)) };
  }
  const least = valueAt(budget, "spec", "minAvailable");
  if (typeof least === "number") return { expectedPods: pods.length, desiredHealthy: least };
  if (typeof least !== "string") return { expectedPods: 0, desiredHealthy: 0 };
  const expectedPods = scale();
  return { expectedPods, desiredHealthy: scaled(least, expectedPods) };
}

/** A number, or a percentage of `total`, rounded up. */
function scaled(amount: unknown, total: number): number {
  return typeof amount === "number" ? amount : Math.ceil((Number.parseInt(String(amount), 10) * total) / 100);
}

/** Pods that were evicted and are not being deleted yet, with the time of the eviction (ms). */
function pendingEvictions(budget: KubeObject, pods: readonly KubeObject[], nowMs: number): ReadonlyMap<string, number> {
  const times = objectAt(budget, "status", "disruptedPods") ?? {};
  return new Map(
    pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && Object.hasOwn(times, metadata.name))
      .map(({ metadata }) => [metadata.name, Date.parse(textAt(times, metadata.name) ?? "")] as const)
      .filter(([, atMs]) => atMs + evictionTimeoutMs > nowMs),
  );
}

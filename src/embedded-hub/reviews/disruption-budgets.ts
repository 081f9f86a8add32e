import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { forbidden } from "../failures/failures.ts";
import { formatTime } from "../metadata/system-fields.ts";
import { serverContext } from "../operations/internal-context.ts";
import type { OperationContext, Operations } from "../operations/operations.ts";
import { matchesSelector } from "../selectors/object-selector.ts";
import { retryConflicts } from "./retry-conflicts.ts";

export interface DisruptionRequest {
  readonly pod: KubeObject;
  readonly nowMs: number;
}

const mostPendingEvictions = 2000;
const group = "policy";
const plural = "poddisruptionbudgets";

/**
 * Counts the disruption of a Pod against its PodDisruptionBudget. True when it counts as none, as long as the Pod stays as it
 * is: it does not run yet, or is not ready. Throws 429 while the budget has no room, and 500 for a Pod with several budgets.
 * Source: Kubernetes, pkg/registry/core/pod/storage EvictionREST.
 */
export async function countDisruption(
  operations: Operations,
  context: OperationContext,
  request: DisruptionRequest,
): Promise<boolean> {
  return retryConflicts(() => countOnce(operations, context, request));
}

async function countOnce(
  operations: Operations,
  context: OperationContext,
  { pod, nowMs }: DisruptionRequest,
): Promise<boolean> {
  const definition = operations.definitionOf(group, plural);
  const { namespace = "", name, labels } = pod.metadata;
  if (definition === undefined || isAlreadyDisrupted(pod)) return false;
  if (textAt(pod, "status", "phase") === "Pending") return true;
  const [budget, other] = operations
    .list({ definition, namespace })
    .items.filter((one) => matchesSelector(objectAt(one, "spec", "selector"), labels));
  if (budget === undefined) return false;
  if (other !== undefined) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiFailure(500, "", message);
  }
  if (!isReady(pod) && canLoseUnhealthy(budget)) return true;
  checkRoom(budget);
  if (context.isDryRun) return false;
  const status = objectAt(budget, "status") ?? {};
  const disruptedPods = { ...objectAt(status, "disruptedPods"), [name]: formatTime(nowMs) };
  const disruptionsAllowed = (numberAt(status, "disruptionsAllowed") ?? 0) - 1;
  const changed = { ...status, disruptedPods, disruptionsAllowed };
  const target = { definition, namespace, name: budget.metadata.name, subresource: "status" };
  await operations.update(serverContext(), target, {
    ...budget,
    status: disruptionsAllowed > 0 ? changed : withoutRoom(changed, formatTime(nowMs)),
  });
  return false;
}

/** Finished, or on its way out: its deletion disrupts nothing. */
function isAlreadyDisrupted(pod: KubeObject): boolean {
  const phase = textAt(pod, "status", "phase") ?? "";
  return ["Succeeded", "Failed"].includes(phase) || pod.metadata.deletionTimestamp !== undefined;
}

function canLoseUnhealthy(budget: KubeObject): boolean {
  if (textAt(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const desired = numberAt(budget, "status", "desiredHealthy") ?? 0;
  return desired > 0 && (numberAt(budget, "status", "currentHealthy") ?? 0) >= desired;
}

function checkRoom(budget: KubeObject): void {
  const { name } = budget.metadata;
  const status = objectAt(budget, "status");
  const number = (field: string): number => numberAt(status, field) ?? 0;
  if (number("observedGeneration") < (budget.metadata.generation ?? 0)) {
    throw violated(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const refuse = (reason: string) => forbidden({ group, plural: "poddisruptionbudget", name }, reason);
  if (number("disruptionsAllowed") < 0) throw refuse("pdb disruptions allowed is negative");
  if (Object.keys(objectAt(status, "disruptedPods") ?? {}).length > mostPendingEvictions) {
    throw refuse("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (number("disruptionsAllowed") > 0) return;
  throw violated(
    `The disruption budget ${name} needs ${number("desiredHealthy")} healthy pods and has ${number("currentHealthy")} currently`,
    0,
  );
}

function violated(message: string, retryAfterSeconds: number): ApiFailure {
  return new ApiFailure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}

function withoutRoom(status: JsonObject, now: string): JsonObject {
  const conditions = objectsAt(status, "conditions").map((condition) =>
    condition["type"] === "DisruptionAllowed"
      ? { ...condition, status: "False", reason: "InsufficientPods", message: "", lastTransitionTime: now }
      : condition,
  );
  return { ...status, conditions };
}

function isReady(pod: KubeObject): boolean {
  return objectsAt(pod, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True");
}

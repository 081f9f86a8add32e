import { objectsAt } from "../core/read-json.ts";
import { cutText } from "../core/trim-characters.ts";
import type { Condition, KubeObject } from "../model/kubernetes.ts";

/** A condition before it has a time. */
export interface ConditionResult {
  readonly type: string;
  readonly status: Condition["status"];
  /** CamelCase, for programs. */
  readonly reason: string;
  /** A sentence that a person can act on. */
  readonly message: string;
}

/**
 * Turns results into conditions. The transition time changes only when the status changed, so that reporting the same
 * result again writes nothing. Longest message: 1024 characters.
 */
export function toConditions(
  results: readonly ConditionResult[],
  previous: readonly Condition[] | undefined,
  context: { readonly nowMs: number; readonly generation?: number },
): Condition[] {
  return results.map(({ type, status, reason, message }) => {
    const before = previous?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : toTime(context.nowMs);
    return {
      type,
      status,
      reason,
      message: message.length > 1024 ? `${cutText(message, 1021)}...` : message,
      lastTransitionTime,
      ...(context.generation === undefined ? {} : { observedGeneration: context.generation }),
    };
  });
}

/** An object with the conditions of another state of it: those that the next ones are compared with. */
export function withConditionsOf<T extends { readonly status?: { readonly conditions?: Condition[] } }>(
  object: T,
  { status }: T,
): T {
  const { conditions: _, ...rest } = object.status ?? {};
  return {
    ...object,
    status: { ...rest, ...(status?.conditions === undefined ? {} : { conditions: status.conditions }) },
  };
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions in the status of any object; what is malformed is left out. */
export function readConditions(object: KubeObject | undefined): Condition[] {
  return objectsAt(object, "status", "conditions").flatMap((condition): Condition[] => {
    const { type, status, reason, message, lastTransitionTime, observedGeneration } = condition;
    if (typeof type !== "string" || typeof reason !== "string" || typeof lastTransitionTime !== "string") return [];
    if (status !== "True" && status !== "False" && status !== "Unknown") return [];
    const text = typeof message === "string" ? message : "";
    const generation = typeof observedGeneration === "number" ? { observedGeneration } : {};
    return [{ type, status, reason, message: text, lastTransitionTime, ...generation }];
  });
}

/** RFC 3339 with seconds, as Kubernetes writes times. */
export function toTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/u, "Z");
}

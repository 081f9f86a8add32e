import type { Condition } from "../model/kubernetes.ts";

/** A condition before it has a time. */
export interface Verdict {
  readonly type: string;
  readonly status: Condition["status"];
  /** CamelCase, one word for programs. */
  readonly reason: string;
  /** A sentence that a person can act on. */
  readonly message: string;
}

/**
 * Turns verdicts into conditions. The transition time moves only when the status changed, so that saying the same thing
 * again writes nothing. Longest message: 1024 characters.
 */
export function toConditions(
  verdicts: readonly Verdict[],
  previous: readonly Condition[] | undefined,
  context: { readonly nowMs: number; readonly generation?: number },
): Condition[] {
  return verdicts.map(({ type, status, reason, message }) => {
    const before = previous?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : toTime(context.nowMs);
    return {
      type,
      status,
      reason,
      message: message.length > 1024 ? `${message.slice(0, 1021)}...` : message,
      lastTransitionTime,
      ...(context.generation === undefined ? {} : { observedGeneration: context.generation }),
    };
  });
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** RFC 3339 with seconds, as Kubernetes writes times. */
export function toTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/u, "Z");
}

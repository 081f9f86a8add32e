import { AppError, isAppError } from "../core/errors.ts";
import type { KubeApi } from "../kube/kube.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";

export interface DryRunResult {
  /** What the hub would refuse, at the place that declares it. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  readonly isEvaluated: boolean;
}

const requestsAtOnce = 16;

/**
 * Asks the hub to evaluate the changes by server-side dry run: admission webhooks, validation rules and quotas report
 * before the merge. An account without the right to write gets a note; nothing is written in any case.
 */
export async function dryRunChanges(
  changes: readonly PlannedChange[],
  hubApi: KubeApi,
  signal: AbortSignal,
): Promise<DryRunResult> {
  const problems: Problem[] = [];
  let isForbidden = false;
  const queue = changes.values();
  const worker = async (): Promise<void> => {
    for (const change of queue) {
      if (isForbidden) return;
      if (change.kind !== "create" && change.kind !== "update") continue;
      try {
        await hubApi.apply(change.object, { fieldManager: change.manager, isDryRun: true, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        if (isAppError(error, "E_KUBE_FORBIDDEN")) isForbidden = true;
        else if (isAppError(error, "E_KUBE_INVALID", "E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND"))
          problems.push(refusal(change, error));
        else throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(requestsAtOnce, changes.length) }, worker));
  const note = "The hub did not check the objects: the account may not write them, not even in a dry run.";
  return { problems, notes: isForbidden ? [note] : [], isEvaluated: !isForbidden };
}

function refusal(change: Extract<PlannedChange, { kind: "create" | "update" }>, error: AppError): Problem {
  const { source, ref } = change;
  return {
    code: error.code,
    severity: "error",
    file: source?.file ?? "",
    line: source?.line ?? 1,
    column: source?.column ?? 1,
    message: `the hub refuses it: ${error.message}`,
    object: describeRef(ref),
  };
}

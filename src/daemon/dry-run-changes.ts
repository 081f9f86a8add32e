import { AppError, isAppError } from "../core/errors.ts";
import { mayDo } from "../kube/access-review.ts";
import type { KubeApi } from "../kube/kube.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { fieldManagers } from "../model/well-known.ts";

export interface DryRunResult {
  /** What the hub would refuse, at the place that declares it. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  readonly isEvaluated: boolean;
}

const requestsAtOnce = 16;

const refusals = ["E_KUBE_FORBIDDEN", "E_KUBE_INVALID", "E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND"] as const;

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
  const mayWrite = createRightsReader(hubApi, signal);
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
        if (isAppError(error, "E_KUBE_FORBIDDEN") && !(await mayWrite(change))) isForbidden = true;
        else if (isAppError(error, ...refusals)) problems.push(refusal(change, error));
        else throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(requestsAtOnce, changes.length) }, worker));
  const note = "The hub did not check the objects: the account may not write them, not even in a dry run.";
  return { problems, notes: isForbidden ? [note] : [], isEvaluated: !isForbidden };
}

/**
 * Whether the account may write objects of a kind in a namespace; each is asked once. A quota, a policy or a webhook refuses
 * with 403 as the lack of a right does.
 */
function createRightsReader(hubApi: KubeApi, signal: AbortSignal): (change: PlannedChange) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const ask = async ({ ref: { type, namespace }, kind }: PlannedChange): Promise<boolean> => {
    for (const verb of kind === "create" ? ["create", "patch"] : ["patch"]) {
      const question = { group: type.group, resource: type.plural, verb, namespace };
      const options = { fieldManager: fieldManagers.operator, signal };
      if (!(await mayDo(hubApi, question, options).catch(asForbidden))) return false;
    }
    return true;
  };
  return (change) => {
    const { type, namespace = "" } = change.ref;
    const key = `${change.kind} ${type.group}/${type.plural} ${namespace}`;
    const answer = known.get(key) ?? ask(change);
    known.set(key, answer);
    return answer;
  };
}

/** An account that may not even ask has no right to write. */
function asForbidden(error: unknown): false {
  if (isAppError(error, "E_KUBE_FORBIDDEN")) return false;
  throw error;
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

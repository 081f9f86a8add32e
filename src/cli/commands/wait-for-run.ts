import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { shortCommit } from "../../core/short-commit.ts";
import { withDeadline } from "../../core/timer.ts";
import { followObjects } from "../../kube/follow-objects.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import { annotationKeys } from "../../model/well-known.ts";
import { findCondition } from "../../planning/conditions.ts";

export interface RunWait {
  /** The value of the annotation that asks for the run. */
  readonly request: string;
  readonly timeout: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called for each commit that the daemon reads meanwhile. */
  readonly onCommit: (commit: string) => void;
}

/**
 * Waits until the daemon has handled a request, or one that replaced it: that run read the branch later still. Returns the
 * state of the Repository then.
 * @throws E_WAIT_TIMEOUT, E_KUBE_NOT_FOUND when the Repository is deleted meanwhile
 */
export async function waitForRun(
  hubApi: KubeApi,
  ref: ObjectRef,
  { request, timeout, timeoutMs, signal, onCommit }: RunWait,
): Promise<{ readonly isReady: boolean; readonly text: string }> {
  const { namespace = "", name } = ref;
  try {
    return await withDeadline(timeoutMs, async (deadline) => {
      const query = { namespace, fieldSelector: `metadata.name=${name}`, signal: AbortSignal.any([signal, deadline]) };
      const requests = new Set([request]);
      let seen: string | undefined;
      let isFirst = true;
      for await (const change of followObjects(hubApi, ref.type, query)) {
        if (change.kind === "listed") continue;
        if (change.kind === "deleted") throw new AppError("E_KUBE_NOT_FOUND", `${describeRef(ref)} was deleted`);
        const { metadata, status } = change.object as unknown as Repository;
        const newest = metadata.annotations?.[annotationKeys.requestedAt];
        if (newest !== undefined) requests.add(newest);
        if (!isFirst && status?.observedCommit !== undefined && status.observedCommit !== seen) {
          onCommit(status.observedCommit);
        }
        isFirst = false;
        seen = status?.observedCommit;
        if (status?.lastHandledRequest !== undefined && requests.has(status.lastHandledRequest))
          return describeRun(status);
      }
      deadline.throwIfAborted();
      throw signal.reason;
    });
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "TimeoutError") throw error;
    const remedy =
      "Start the daemon, or wait again with a longer --timeout. `rollcall check` shows whether one runs, and `rollcall events` what it did last.";
    throw new AppError("E_WAIT_TIMEOUT", `wait for a run of ${describeRef(ref)}: none has ended after ${timeout}`, {
      remedy,
    });
  }
}

function describeRun({ appliedCommit, conditions }: NonNullable<Repository["status"]>) {
  const ready = findCondition(conditions, "Ready");
  const isReady = ready?.status === "True";
  const applied =
    appliedCommit === undefined ? "No commit is applied" : `Commit ${printable(shortCommit(appliedCommit))} is applied`;
  return {
    isReady,
    text: isReady ? `${applied}.` : `${applied}. ${printable(ready?.message ?? "The run gave no reason.")}`,
  };
}

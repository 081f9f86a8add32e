import { isAppError } from "../core/errors.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";

/** Plans the commit that was read. A Repository that must not be planned reports that in its status; nothing of it is applied. */
export async function planHead(
  scope: RunScope,
  { planner, log }: Pick<ReconcilerOptions, "planner" | "log">,
): Promise<void> {
  if (!scope.snapshot) return;
  try {
    const { plan } = await planner.plan(scope.repository, scope.snapshot);
    scope.plan = plan;
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!isAppError(error) || error.recovery === "bug") throw error;
    scope.sourceError = error;
    log.warn("planning the commit failed", { error });
  }
}

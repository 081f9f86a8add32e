import { reserveRemovals } from "../planning/repository-state.ts";
import { applyStatus } from "./apply-status.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";

/**
 * Counts the plan's removals in Repository.status before any of them is executed: whatever stops this process, or another
 * one that leads too, what was removed is known. Nothing of the plan is executed when that write fails.
 */
export async function countRemovals(
  scope: RunScope,
  ports: Pick<ReconcilerOptions, "hubApi" | "recordRepository" | "clock">,
): Promise<void> {
  const { plan, repository, signal } = scope;
  const status = plan && reserveRemovals(repository.status, plan, ports.clock.nowMs());
  if (status === undefined) return;
  // A change since the plan was made is a conflict: the next run plans anew.
  scope.repository = await applyStatus(ports, { repository, status, signal, isStrict: true });
}

import type { Clock } from "../core/clock.ts";
import type { ProbeKind, ProbeSpec } from "./pod-spec.ts";
import type { ProbeResult } from "./probe.ts";

export interface ProbeLoopOptions {
  readonly kind: ProbeKind;
  readonly spec: ProbeSpec;
  readonly probe: (spec: ProbeSpec) => Promise<ProbeResult>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when the result changed by the thresholds, and at the first result. */
  readonly onResult: (isSuccess: boolean) => void;
  /** Called with the message of every failed probe. */
  readonly onFailure: (message: string) => void;
}

/** A container that is not up yet is asked this soon, then twice as late each time, up to its period. */
const eagerMs = 100;

/**
 * Asks a container again and again until the signal is aborted. Before its first success a container is asked more
 * often than its period, so that it counts as ready the moment it is; these extra failures count for nothing.
 * Source: Kubernetes, pkg/kubelet/prober/worker.go.
 */
export async function runProbeLoop(options: ProbeLoopOptions): Promise<void> {
  const { kind, spec, clock, signal } = options;
  const isCancelled = async (durationMs: number) =>
    clock.sleep(durationMs, signal).then(
      () => false,
      () => true, // aborted: the container stopped
    );
  if (spec.initialDelayMs > 0 && (await isCancelled(spec.initialDelayMs))) return;
  let isUp: boolean | undefined;
  let hasSucceeded = false;
  let successes = 0;
  let failures = 0;
  let eagerWaitMs = kind === "liveness" ? spec.periodMs : Math.min(eagerMs, spec.periodMs);
  // A program needs a moment to listen: what fails in the first period of the eager probes counts for nothing.
  let sinceCountedMs = kind === "liveness" ? spec.periodMs : 0;
  while (!signal.aborted) {
    const result = await options.probe(spec);
    if (signal.aborted) return;
    const isCounted = result.isSuccess || sinceCountedMs >= spec.periodMs;
    if (isCounted) sinceCountedMs = 0;
    if (result.isSuccess) {
      successes += 1;
      failures = 0;
    } else if (isCounted) {
      failures += 1;
      successes = 0;
      options.onFailure(result.message);
    }
    const next = successes >= spec.successThreshold ? true : failures >= spec.failureThreshold ? false : isUp;
    if (next !== undefined && next !== isUp) {
      isUp = next;
      options.onResult(next);
      // A startup probe has done its work with its first success.
      if (kind === "startup" && next) return;
    }
    hasSucceeded ||= result.isSuccess;
    const waitMs = hasSucceeded ? spec.periodMs : Math.min(eagerWaitMs, spec.periodMs);
    eagerWaitMs = Math.min(eagerWaitMs * 2, spec.periodMs);
    sinceCountedMs += waitMs;
    if (await isCancelled(waitMs)) return;
  }
}

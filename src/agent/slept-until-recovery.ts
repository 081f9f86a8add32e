import type { AgentContext } from "./agent-context.ts";
import { sleptFor } from "./retry.ts";

/**
 * Sleeps, until the hub is back if another part of this agent finds that first: waits grow while nobody knows it. False when
 * the signal was aborted meanwhile.
 */
export async function sleptUntilRecovery(
  { clock, link }: AgentContext,
  durationMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const recovered = new AbortController();
  const stopListening = link.onRecovery(() => recovered.abort());
  try {
    await sleptFor(clock, durationMs, AbortSignal.any([signal, recovered.signal]));
  } finally {
    stopListening();
  }
  return !signal.aborted;
}

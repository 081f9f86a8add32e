import type { AgentContext } from "./agent-context.ts";
import { sleptFor } from "./retry.ts";

/**
 * The wait after a failure at the hub: over as soon as the hub has answered another part of this agent, since the waits grow
 * while nobody knows that it is back. False when the signal was aborted meanwhile.
 */
export async function sleptAfterFailure(
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

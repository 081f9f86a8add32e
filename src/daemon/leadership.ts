import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import { runAsLeader } from "../kube/leader-election.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import { whenAborted } from "../system/when-aborted.ts";

/** The Leases of the daemon's halves, in its namespace: one for the hub, one for the repository of its flags. */
export const leaseNames = { hub: "rollcall-hub", repository: "rollcall-repository" } as const;

/** The Lease of a further Repository. */
export function leaseOfRepository(name: string): string {
  return `${leaseNames.repository}.${name}`;
}

/** A leader that was killed has a successor within 12 s: the Lease's time and one late try; one that ends, in under 2 s. */
export const leadership = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 2_000, askPeriodMs: 1_000 };

export interface LeaderOptions {
  readonly hubApi: KubeApi;
  readonly namespace: string;
  /** Undefined: no election, this process leads. */
  readonly identity: string | undefined;
  /** By Lease: whether this process leads. */
  readonly leads: Map<string, boolean>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Does the work whenever this process leads; the promise that the work gets resolves when it does no more. */
export async function lead(
  name: string,
  work: (ended: Promise<void>) => Promise<void>,
  { hubApi, namespace, identity, leads, log, signal }: LeaderOptions,
): Promise<void> {
  const leadWhile = async (ended: Promise<void>): Promise<void> => {
    leads.set(name, true);
    try {
      await work(ended);
    } finally {
      leads.set(name, false);
    }
  };
  leads.set(name, false);
  if (identity === undefined) return leadWhile(whenAborted(signal));
  return runAsLeader(hubApi, {
    namespace,
    name,
    identity,
    clock: realClock,
    random: realRandom,
    signal,
    ...leadership,
    onLeading: (leading) => leadWhile(whenAborted(leading)),
    onError: (error) => log.warn("leader election failed", { name, error }),
  });
}

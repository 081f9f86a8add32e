import { FailureLog } from "../core/failure-log.ts";
import type { Log } from "../core/log.ts";
import { startTimer } from "../core/timer.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { LeaderElectionOptions } from "../kube/leader-election.ts";
import { runAsLeader } from "../kube/leader-election.ts";
import type { Term } from "../kube/leading-api.ts";
import { realClock, realRandom } from "../system/real-clock.ts";

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
  /** Done first each time that this process is elected: it may have waited for months. Must not fail. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  /** Called each time that this process begins to lead. */
  readonly onLead?: () => void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A free Lease is taken at once; a longer wait is logged with its reason. */
const noticeAfterMs = 3000;
/** How long one Lease is kept while the other one is awaited: longer than that of a killed process lasts. */
const bothWithinMs = 12_000;

/**
 * Does the work once while this process holds both of the daemon's Leases, and gives them back: while it lasts, no daemon
 * works on the hub. Waits while another process has one, and then keeps neither for long. Work that loses a Lease is begun
 * again.
 */
export async function leadBefore(
  work: (signal: AbortSignal) => Promise<void>,
  { hubApi, namespace, identity, log, signal }: Omit<LeaderOptions, "leads" | "prepare" | "onLead">,
): Promise<void> {
  if (identity === undefined) return work(signal);
  const elected = { namespace, identity, clock: realClock, random: realRandom, ...leadership };
  const hold = (name: string, onLeading: (leading: AbortSignal) => Promise<void>, within: AbortSignal): Promise<void> =>
    elect(hubApi, log, {
      ...elected,
      name,
      signal: within,
      onLeading: (leading) =>
        onLeading(leading).catch((error: unknown) => {
          if (!leading.aborted) throw error; // else it begins again, or the process ends
        }),
    });
  let isDone = false;
  const cancelNotice = startTimer(noticeAfterMs, () =>
    log.info("waits until no other daemon leads", { leases: Object.values(leaseNames) }),
  );
  const holdBoth = (): Promise<void> =>
    hold(
      leaseNames.repository,
      async (leadsOne) => {
        const waiting = new AbortController();
        const cancelWait = startTimer(bothWithinMs, () => waiting.abort());
        const workOnBoth = async (leadsBoth: AbortSignal): Promise<void> => {
          cancelNotice();
          cancelWait();
          try {
            await work(leadsBoth);
            isDone = !leadsBoth.aborted;
          } finally {
            // Another process has the hub's Lease now, and may keep it: the repository's is not kept for the time of that.
            if (leadsBoth.aborted) waiting.abort();
          }
        };
        await hold(leaseNames.hub, workOnBoth, AbortSignal.any([leadsOne, waiting.signal])).finally(cancelWait);
      },
      signal,
    );
  try {
    for (;;) {
      await holdBoth();
      signal.throwIfAborted();
      if (isDone) return;
      await realClock.sleep(bothWithinMs, signal);
    }
  } finally {
    cancelNotice();
  }
}

/** Does the work whenever this process leads, until the term ends. All writes use `leadingApi` of the term. */
export async function lead(
  name: string,
  work: (term: Term) => Promise<void>,
  { hubApi, namespace, identity, leads, prepare, onLead, log, signal }: LeaderOptions,
): Promise<void> {
  const leadWhile = async (term: Term): Promise<void> => {
    leads.set(name, true);
    onLead?.();
    try {
      await work(term);
    } finally {
      leads.set(name, false);
    }
  };
  leads.set(name, false);
  if (identity === undefined) return leadWhile({ signal, isCurrent: () => !signal.aborted });
  const startNotice = () =>
    startTimer(noticeAfterMs, () => log.info("on standby until the Lease is free", { namespace, lease: name }));
  let cancelNotice = startNotice();
  const election = elect(hubApi, log, {
    namespace,
    name,
    identity,
    clock: realClock,
    random: realRandom,
    signal,
    ...leadership,
    onLeading: async (leading, isCurrent) => {
      cancelNotice();
      try {
        await prepare?.(leading);
        if (!leading.aborted) await leadWhile({ signal: leading, isCurrent });
      } finally {
        cancelNotice = startNotice();
      }
    },
  });
  return election.finally(() => cancelNotice());
}

/** As {@link runAsLeader}; tries that fail are logged. */
function elect(hubApi: KubeApi, log: Log, options: LeaderElectionOptions): Promise<void> {
  const failures = new FailureLog({
    log,
    clock: options.clock,
    failed: "leader election failed",
    recovered: "leader election works again",
    fields: { name: options.name },
  });
  const noticed = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    failures.recovered();
    return value;
  };
  const api: Pick<KubeApi, "create" | "get" | "update"> = {
    create: (...args) => noticed(hubApi.create(...args)),
    get: (...args) => noticed(hubApi.get(...args)),
    update: (...args) => noticed(hubApi.update(...args)),
  };
  return runAsLeader(api, { ...options, onError: (error) => failures.failed(error) });
}

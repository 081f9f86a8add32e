import type { Clock, Random } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { KubeApi } from "./kube.ts";
import { createLeaseHolder, sleepOrStop } from "./lease-holder.ts";
import type { LeaseHolder } from "./lease-holder.ts";

export interface LeaderElectionOptions {
  /** Of the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Of this process; no other one may have it, not even the same one after a restart. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the election: the work is stopped, then the Lease is released. */
  readonly signal: AbortSignal;
  /**
   * The work of the leader. Its signal is aborted when leadership is lost or the election ends; it should then return
   * within leaseDurationMs - renewDeadlineMs - retryPeriodMs. When it returns or throws by itself, the Lease is released.
   * A stalled process learns of the loss late: code that writes checks `isCurrent` first.
   */
  readonly onLeading: (signal: AbortSignal, isCurrent: () => boolean) => Promise<void>;
  /** Called with the error of every failed try to get or keep the Lease. */
  readonly onError?: (error: unknown) => void;
  /** How long others wait after they last saw the Lease change. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long the leader continues without a successful renewal. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between two renewals, and after a failed one. Default 2 s. */
  readonly retryPeriodMs?: number;
  /** How often a process that does not lead asks for the Lease: what a clean handover takes at most. Default retryPeriodMs. */
  readonly askPeriodMs?: number;
}

/**
 * Runs `onLeading` while this process holds the Lease, again and again, until the signal is aborted or the work ends by
 * itself. Only lengths of time by the own clock count, with those of a suspended machine, never times that another process
 * wrote.
 * Source of the rules: client-go, tools/leaderelection.
 */
export async function runAsLeader(
  api: Pick<KubeApi, "create" | "get" | "update">,
  options: LeaderElectionOptions,
): Promise<void> {
  const { signal, clock, random } = options;
  const periods = periodsOf(options);
  const holder = createLeaseHolder(api, options, periods.leaseDurationMs);
  while (!signal.aborted) {
    const atMs = passedMs(clock);
    const isHeld = await holder.tryToHold(signal);
    if (isHeld && (await leadOnce(holder, options, periods, atMs))) return;
    if (!isHeld) await sleepOrStop(clock, periods.askPeriodMs * (1 + random.next() * 0.2), signal);
  }
  holder.stopObserving();
}

type Periods = Required<
  Pick<LeaderElectionOptions, "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs" | "askPeriodMs">
>;

function periodsOf(options: LeaderElectionOptions): Periods {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
  const { askPeriodMs = retryPeriodMs } = options;
  if (leaseDurationMs <= renewDeadlineMs || renewDeadlineMs <= retryPeriodMs * 1.2) {
    throw new AppError("E_BUG", "a Lease must last longer than its renewal may take, and that longer than one try");
  }
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs, askPeriodMs };
}

/** One term. True when the work ended by itself, false when leadership was lost or the election ends. */
async function leadOnce(
  holder: LeaseHolder,
  options: LeaderElectionOptions,
  periods: Periods,
  atMs: number,
): Promise<boolean> {
  const { signal, onLeading } = options;
  const term = new AbortController();
  const end = () => term.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  // The others count from the write, which may have been done long before its answer came.
  const renewed = { atMs };
  /** False from the moment at which the Lease may have another holder; it ends the term. */
  const isCurrent = (): boolean => {
    if (passedMs(options.clock) - renewed.atMs >= periods.leaseDurationMs) end();
    return !term.signal.aborted;
  };
  let isWorkDone = false;
  let isLost = false;
  try {
    if (signal.aborted) return false;
    const work = onLeading(term.signal, isCurrent).finally(() => {
      isWorkDone = !term.signal.aborted;
      term.abort();
    });
    work.catch(() => undefined); // it is awaited below; until then no handler is attached
    isLost = await keepRenewing(holder, { ...options, signal: term.signal }, periods, renewed);
    term.abort();
    await work;
    return isWorkDone;
  } finally {
    signal.removeEventListener("abort", end);
    if (!isLost) await holder.release();
  }
}

/** For the others the time continues while this machine is suspended. */
function passedMs(clock: Clock): number {
  return clock.monotonicMs() + (clock.suspendedMs?.() ?? 0);
}

/** Returns when the term is over: true when the Lease was lost, false when the signal was aborted. */
async function keepRenewing(
  holder: LeaseHolder,
  { clock, signal }: Pick<LeaderElectionOptions, "clock" | "signal">,
  periods: Periods,
  renewed: { atMs: number },
): Promise<boolean> {
  while (!signal.aborted) {
    await sleepOrStop(clock, periods.retryPeriodMs, signal);
    const triedMs = passedMs(clock);
    // A process that was held up for so long may already have a successor: it stops before it asks.
    if (triedMs - renewed.atMs >= periods.leaseDurationMs) return true;
    if (!signal.aborted && !(await renew(holder, clock, periods, signal))) return !signal.aborted;
    renewed.atMs = triedMs;
  }
  return false;
}

/**
 * Tries until the Lease is renewed; false when another holder has it, the deadline passed, or the signal was aborted.
 */
async function renew(holder: LeaseHolder, clock: Clock, periods: Periods, signal: AbortSignal): Promise<boolean> {
  const tries = new AbortController();
  const end = () => tries.abort();
  signal.addEventListener("abort", end, { once: true });
  const deadline = sleepOrStop(clock, periods.renewDeadlineMs, tries.signal).then(end);
  try {
    while (!tries.signal.aborted) {
      if (await holder.tryToHold(tries.signal)) return true;
      if (holder.isHeldByOther) return false;
      await sleepOrStop(clock, periods.retryPeriodMs, tries.signal);
    }
    return false;
  } finally {
    signal.removeEventListener("abort", end);
    end();
    await deadline;
  }
}

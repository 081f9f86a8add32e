import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { objectAt } from "../core/read-json.ts";
import { withDeadline } from "../core/timer.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { toMicroTime } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { HealthTimer } from "./health.ts";
import type { Witness } from "./watched-time.ts";
import { clockStepMs, readWatchRecord, watchedTimeMs, writtenAtMs } from "./watched-time.ts";

export interface WatchRecordOptions {
  readonly hubApi: Pick<KubeApi, "create" | "get" | "update">;
  /** Of the daemon. */
  readonly namespace: string;
  /** Of this start of the daemon; no other one has it. */
  readonly identity: string;
  readonly health: Pick<HealthTimer, "watchedMs" | "resume">;
  /** The shortest period (ms) of a cluster; undefined when there is none. */
  readonly shortestPeriodMs: () => number | undefined;
  readonly witnesses: () => readonly Witness[];
  readonly clock: Clock;
  readonly log: Log;
}

/** The Lease of the record, in the daemon's namespace. */
export const watchRecordName = "rollcall-watch";

const fieldManager = fieldManagers.watch;
const defaultPeriodMs = 60_000;
/** Between two writes: a fifth of the shortest period of a cluster, within these. */
const leastWriteMs = 1000;
const mostWriteMs = 60_000;

/**
 * Continues the window of missed heartbeats from the previous daemon's record, then keeps the record for the next one,
 * until it is stopped. Never throws: without a record each start begins a new window, and the log reports it once. The
 * leader calls it before it reconciles a member.
 */
export async function keepWatchRecord(options: WatchRecordOptions): Promise<{ stop(): Promise<void> }> {
  const { clock } = options;
  const stopping = new AbortController();
  const record = createRecord(options);
  await record.take(stopping.signal);
  const running = run();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await record.write(stopping.signal);
      const periodMs = options.shortestPeriodMs() ?? defaultPeriodMs;
      const waitMs = Math.min(mostWriteMs, Math.max(leastWriteMs, periodMs / 5));
      await clock.sleep(waitMs, stopping.signal).catch(() => undefined); // stopped
    }
  }
  return {
    stop: async () => {
      stopping.abort();
      await running;
      await withDeadline(2000, (deadline) => record.write(deadline));
    },
  };
}

function createRecord(options: WatchRecordOptions) {
  const { hubApi, namespace, identity, health, clock, log } = options;
  const ref = { type: resourceTypes.lease, namespace, name: watchRecordName };
  let lease: KubeObject | undefined;
  /** The API server's clock, less the own one. */
  let hubAheadMs: number | undefined;
  /** Since when (monotonic) no clock was set. */
  let steadySinceMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  const put = async (spec: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> => {
    const write = { fieldManager, signal };
    lease ??= await hubApi.get(ref, { signal });
    const metadata = { namespace, name: watchRecordName };
    const base = lease ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
    const next = { ...base, spec: { ...objectAt(base, "spec"), ...spec } };
    lease = lease === undefined ? await hubApi.create(next, write) : await hubApi.update(next, write);
    recordClock(writtenAtMs(lease, (manager) => manager !== fieldManager));
  };
  const recordClock = (hubNowMs: number | undefined): void => {
    const nowMs = clock.monotonicMs();
    const aheadMs = (hubNowMs ?? clock.nowMs()) - nowMs;
    if (hubAheadMs !== undefined && Math.abs(aheadMs - hubAheadMs) > clockStepMs) steadySinceMs = nowMs;
    hubAheadMs = aheadMs;
  };
  const attempt = async (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
    try {
      await work();
      isFailing = false;
    } catch (error) {
      lease = undefined;
      if (signal.aborted) return;
      // Another leader wrote it: the next write reads it again.
      if (isFailing || isAppError(error, "E_KUBE_CONFLICT", "E_KUBE_EXISTS")) return;
      isFailing = true;
      log.warn("the record of watched time cannot be written", { lease: watchRecordName, error });
    }
  };
  /** Takes over what the daemon before this one recorded. */
  const take = (signal: AbortSignal): Promise<void> =>
    attempt(async () => {
      lease = await hubApi.get(ref, { signal });
      const record = readWatchRecord(lease);
      // This changes nothing of the record: it only asks what time it is by the API server's clock.
      await put({ holderIdentity: identity }, signal);
      const nowMs = clock.monotonicMs() + (hubAheadMs ?? 0);
      const bridgeMs = options.shortestPeriodMs() ?? 0;
      const ownMs = health.watchedMs();
      const watchedMs = watchedTimeMs({ record, witnesses: options.witnesses(), nowMs, ownMs, bridgeMs });
      health.resume(watchedMs, nowMs);
      log.debug("continues to watch for missed heartbeats", { watchedMs, ownMs, untilMs: record?.untilMs });
    }, signal);
  const write = (signal: AbortSignal): Promise<void> =>
    attempt(async () => {
      if (hubAheadMs === undefined) return take(signal);
      const nowMs = clock.monotonicMs();
      const watchedMs = Math.min(health.watchedMs(), nowMs - steadySinceMs);
      const hubNowMs = nowMs + hubAheadMs;
      const times = { acquireTime: toMicroTime(hubNowMs - watchedMs), renewTime: toMicroTime(hubNowMs) };
      await put({ holderIdentity: identity, ...times }, signal);
    }, signal);
  return { take, write };
}

import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { ClusterName } from "../../model/member-state.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys } from "../../model/well-known.ts";
import type { HubPorts } from "../hub-ports.ts";

/** All calls of one try to install or to remove an agent together. Each takes a second at most, unless the link is slow. */
export const mostDownstreamMs = 120_000;
const checkMs = 1000;

/**
 * Runs the calls of one member, which take no other member's place in the queue. They wait for their turn among those of all
 * members; rejects with the signal's reason when that is aborted before.
 */
export type CallAside = <T>(call: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export interface DownstreamCallPorts {
  readonly callAside: CallAside;
  readonly view: Pick<HubPorts["view"], "get">;
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
}

/**
 * Calls the API server of a member, whose administrator may let each of some thirty answers come just before its deadline. The
 * calls end after two minutes together, and within a second when the cluster is revoked or is to leave: nothing else of the
 * member is done meanwhile, its credentials are not revoked either. Throws E_KUBE_UNREACHABLE then.
 * The time begins with the turn of this member.
 */
export async function callDownstream<T>(
  { view, clock, callAside }: DownstreamCallPorts,
  { workspace, name, signal }: ClusterName & { readonly signal: AbortSignal },
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ordersOf = (): string => {
    const { annotations = {} } = view.get({ type: resourceTypes.cluster, namespace: workspace, name })?.metadata ?? {};
    return JSON.stringify([annotations[annotationKeys.leave], annotations[annotationKeys.revoked]]);
  };
  const ordersBefore = ordersOf();
  let untilMs = Infinity;
  const ending = new AbortController();
  const over = new AbortController();
  const end = (why: string): void =>
    ending.abort(new AppError("E_KUBE_UNREACHABLE", `call the API server of ${workspace}/${name}: ${why}`));
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await clock.sleep(checkMs, over.signal);
      if (ordersOf() !== ordersBefore) end("ended, since the cluster is revoked or leaves");
      else if (clock.monotonicMs() >= untilMs) end(`it did not answer all calls within ${mostDownstreamMs / 1000} s`);
    }
  };
  // It ends with the calls.
  watch().catch(() => undefined);
  try {
    const limited = AbortSignal.any([signal, ending.signal]);
    const callInTime = (): Promise<T> => {
      untilMs = clock.monotonicMs() + mostDownstreamMs;
      return call(limited);
    };
    return await callAside(callInTime, limited);
  } finally {
    over.abort();
  }
}

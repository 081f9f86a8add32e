import type { Random } from "../core/clock.ts";
import { quietRepeats } from "../core/quiet-repeats.ts";
import { WorkQueue } from "../core/work-queue.ts";
import type { ClusterName } from "../model/member-state.ts";
import type { HubPorts } from "./hub-ports.ts";

export interface ControllerQueueOptions {
  /** Of the controller, for logs and metrics. */
  readonly name: string;
  /** Keys worked on at the same time. */
  readonly concurrency: number;
  readonly random: Random;
  /** Keys begin with the workspace. Returns milliseconds after which to work on the key again. */
  readonly work: (key: string, signal: AbortSignal) => Promise<number | undefined | void>;
}

/** The lists of a namespace that became a workspace take about this long: work on what is in it waits for them. */
export const listingRetryMs = 200;

/**
 * The queue of one controller. A failure is logged and retried with back-off. No key of a workspace is worked on before each kind
 * of it is listed: a token without its account would get another one, and an account without its token would be removed.
 */
export function createControllerQueue(
  { view, clock, log }: Pick<HubPorts, "clock" | "log"> & { readonly view: Pick<HubPorts["view"], "isBeingListed"> },
  { name, concurrency, random, work }: ControllerQueueOptions,
): WorkQueue {
  const quietLog = quietRepeats(log, clock);
  return new WorkQueue({
    clock,
    random,
    concurrency,
    work: async (key, signal) => (view.isBeingListed(workspaceOf(key)) ? listingRetryMs : work(key, signal)),
    onError: (key, error, retryInMs) => quietLog.warn("reconcile failed", { controller: name, key, error, retryInMs }),
  });
}

/** Of `workspace/name`, or of `workspace`. */
function workspaceOf(key: string): string {
  const [workspace = ""] = key.split("/", 1);
  return workspace;
}

/** `workspace/name` in its parts. */
export function splitKey(key: string): ClusterName {
  const slash = key.indexOf("/");
  return { workspace: key.slice(0, slash), name: key.slice(slash + 1) };
}

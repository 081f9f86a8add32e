import type { Random } from "../core/clock.ts";
import { WorkQueue } from "../core/work-queue.ts";
import type { ClusterName } from "../model/member-state.ts";
import type { HubPorts } from "./hub-ports.ts";

export interface ControllerQueueOptions {
  /** Of the controller, for logs and metrics. */
  readonly name: string;
  /** Keys worked on at the same time. */
  readonly concurrency: number;
  readonly random: Random;
  /** Returns milliseconds after which to work on the key again. */
  readonly work: (key: string, signal: AbortSignal) => Promise<number | undefined | void>;
}

/** The queue of one controller. A failure is logged and retried with back-off. */
export function createControllerQueue(
  { clock, log }: Pick<HubPorts, "clock" | "log">,
  { name, concurrency, random, work }: ControllerQueueOptions,
): WorkQueue {
  return new WorkQueue({
    clock,
    random,
    concurrency,
    work,
    onError: (key, error, retryInMs) => log.warn("reconcile failed", { controller: name, key, error, retryInMs }),
  });
}

/** `workspace/name` in its parts. */
export function splitKey(key: string): ClusterName {
  const slash = key.indexOf("/");
  return { workspace: key.slice(0, slash), name: key.slice(slash + 1) };
}

import type { Clock, Random } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { WorkQueue } from "../../core/work-queue.ts";
import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { internalContext } from "../operations/internal-context.ts";
import type { OperationContext, Operations } from "../operations/operations.ts";
import type { Turns } from "../operations/turns.ts";
import type { ObjectFeed } from "./object-feed.ts";
import type { OwnerIndex } from "./owner-index.ts";

/** What every controller works with. */
export interface ControllerScope {
  readonly operations: Operations;
  readonly feed: ObjectFeed;
  readonly owners: OwnerIndex;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns: Turns;
  /** All queues, in the order of their creation: when all are empty, no work is left. */
  readonly queues: WorkQueue[];
}

/** A part that works until it is stopped. Controllers that are not working cost nothing: no timer, no poll. */
export interface Controller {
  stop(): Promise<void>;
}

export interface ControllerQueueOptions {
  readonly scope: ControllerScope;
  /** For logs. */
  readonly name: string;
  /** Default 1. */
  readonly concurrency?: number;
  /** May throw: tried again with back-off. May return milliseconds after which the key is due again. */
  readonly work: (key: string) => Promise<number | undefined | void>;
}

/**
 * A work queue that logs only real failures: a lost race is retried without a log line. Work that writes nothing never
 * waits by itself: a thousand keys of it pass in turns.
 */
export function controllerQueue({ scope, name, concurrency = 1, work }: ControllerQueueOptions): WorkQueue {
  const { clock, random, turns } = scope;
  const log = scope.log.with({ controller: name });
  const queue = new WorkQueue({
    clock,
    random,
    concurrency,
    work: async (key) => {
      await turns.enter();
      return work(key);
    },
    onError: (key, error, retryInMs) => {
      if (isApiFailure(error, "Conflict", "AlreadyExists", "NotFound")) return;
      log.warn("controller will try again", { key, retryInMs, error });
    },
  });
  scope.queues.push(queue);
  return queue;
}

/** Who a controller is to admission and managed fields: as kube-controller-manager's are. */
export function controllerContext(name: string, fieldManager = "kube-controller-manager"): OperationContext {
  const user = {
    username: `system:serviceaccount:kube-system:${name}`,
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated", "system:masters"],
  };
  return internalContext(user, fieldManager);
}

/** `<namespace>/<name>`, the queue key of a namespaced object. */
export function queueKeyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

export function splitQueueKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner that manages the object, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** RFC 3339 in whole seconds. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

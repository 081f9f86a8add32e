import type { Clock, Random } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { objectsAt, textAt } from "../core/read-json.ts";
import { WorkQueue } from "../core/work-queue.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { EventWriter } from "./event-writer.ts";
import { nodeManager, nodeResources, timestampOf } from "./node-types.ts";
import type { KubeObject } from "./node-types.ts";
import { schedulingObstacle } from "./scheduling.ts";

/** Gives Pods that no node has to this one: a cluster of one node needs no more of a scheduler. */
export interface Scheduler {
  /** Called with every Pod that has no node, and with all of them again when the node has changed. */
  consider(pod: KubeObject): void;
  stop(): Promise<void>;
}

export interface SchedulerOptions {
  readonly api: Pick<KubeApi, "create" | "mergePatch">;
  /** The Node as it is now; undefined while it is not known: then nothing is scheduled. */
  readonly node: () => KubeObject | undefined;
  /** The Pod as it is now. */
  readonly podOf: (key: string) => KubeObject | undefined;
  readonly events: EventWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const component = "default-scheduler";

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { podOf, clock, random, log } = options;
  const queue = new WorkQueue({
    clock,
    random,
    concurrency: 4,
    work: async (key, signal) => {
      const pod = podOf(key);
      const node = options.node();
      if (pod === undefined || node === undefined || !isUnscheduled(pod)) return;
      const obstacle = schedulingObstacle(pod, node);
      await (obstacle === undefined
        ? bind(options, pod, { nodeName: node.metadata.name, signal })
        : refuse(options, pod, { obstacle, signal }));
    },
    onError: (key, error, retryInMs) => {
      // Another scheduler was first, or the Pod is deleted.
      if (isAppError(error, "E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND", "E_KUBE_EXISTS")) return;
      log.warn("a pod could not be bound", { pod: key, retryInMs, error });
    },
  });
  return {
    consider: (pod) => {
      if (isUnscheduled(pod)) queue.add(`${pod.metadata.namespace ?? ""}/${pod.metadata.name}`);
    },
    stop: () => queue.stop(),
  };
}

async function bind(
  { api, events }: SchedulerOptions,
  pod: KubeObject,
  { nodeName, signal }: { readonly nodeName: string; readonly signal: AbortSignal },
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
  const target = { apiVersion: "v1", kind: "Node", name: nodeName };
  await api.create({ apiVersion: "v1", kind: "Binding", metadata, target }, { fieldManager: nodeManager, signal });
  const message = `Successfully assigned ${namespace ?? ""}/${name} to ${nodeName}`;
  events.write(pod, { type: "Normal", reason: "Scheduled", message, component });
}

async function refuse(
  { api, events, clock }: SchedulerOptions,
  pod: KubeObject,
  { obstacle, signal }: { readonly obstacle: string; readonly signal: AbortSignal },
): Promise<void> {
  const message =
    `0/1 nodes are available: 1 ${obstacle}. no new claims to deallocate, ` +
    "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
  const known = objectsAt(pod, "status", "conditions").find(
    (condition) => textAt(condition, "type") === "PodScheduled",
  );
  if (textAt(known, "status") === "False" && textAt(known, "message") === message) return;
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastProbeTime: null,
    lastTransitionTime: timestampOf(clock.nowMs()),
  };
  const { name, namespace = "", uid = "" } = pod.metadata;
  await api.mergePatch(
    { type: nodeResources.pod, namespace, name },
    { metadata: { uid }, status: { conditions: [condition] } },
    { fieldManager: nodeManager, subresource: "status", isStrategic: true, signal },
  );
  events.write(pod, { type: "Warning", reason: "FailedScheduling", message, component });
}

function isUnscheduled(pod: KubeObject): boolean {
  const scheduler = textAt(pod, "spec", "schedulerName") ?? component;
  const isFree = (textAt(pod, "spec", "nodeName") ?? "") === "";
  return isFree && scheduler === component && pod.metadata.deletionTimestamp === undefined;
}

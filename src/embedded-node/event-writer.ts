import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { eventNamePart } from "../core/event-name.ts";
import type { KubeApi } from "../kube/kube.ts";
import { nodeManager, nodeResources, timestampOf } from "./node-types.ts";
import type { KubeObject } from "./node-types.ts";

export interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** `spec.containers{agent}`, for events of one container. */
  readonly fieldPath?: string;
  /** The reporting component. Default `kubelet`, on this node. */
  readonly component?: string;
}

/** Writes core/v1 Events about Pods; the same event again raises its count. Never throws: events are for people. */
export interface EventWriter {
  write(about: KubeObject, event: NodeEvent): void;
  stop(): Promise<void>;
}

interface Known {
  readonly name: string;
  count: number;
}

const rememberedLimit = 512;
/** More than this waiting is dropped: a crash loop must not fill memory while the API server is away. */
const waitingLimit = 200;

export function createEventWriter(
  api: Pick<KubeApi, "create" | "mergePatch">,
  environment: { readonly nodeName: string; readonly clock: Clock; readonly log: Log },
): EventWriter {
  const { nodeName, clock, log } = environment;
  const stop = new AbortController();
  const known = new Map<string, Known>();
  let serial = 0;
  let waiting = 0;
  let last = Promise.resolve();

  const writeOne = async (about: KubeObject, event: NodeEvent): Promise<void> => {
    const { namespace = "default", name, uid = "" } = about.metadata;
    const key = [uid, event.component, event.fieldPath, event.type, event.reason, event.message].join("|");
    const now = timestampOf(clock.nowMs());
    const options = { fieldManager: nodeManager, signal: stop.signal };
    const earlier = known.get(key);
    if (earlier !== undefined) {
      earlier.count += 1;
      const ref = { type: nodeResources.event, namespace, name: earlier.name };
      try {
        await api.mergePatch(ref, { count: earlier.count, lastTimestamp: now }, options);
        return;
      } catch (error) {
        if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error; // An hour old: it is written anew.
      }
    }
    serial += 1;
    const suffix = (BigInt(clock.nowMs()) * 1_000_000n + BigInt(serial)).toString(16);
    const created = eventAbout(about, event, {
      name: `${eventNamePart(name)}.${suffix}`,
      namespace,
      now,
      nodeName,
    });
    const [oldest] = known.keys();
    if (known.size >= rememberedLimit && oldest !== undefined) known.delete(oldest);
    known.set(key, { name: created.metadata.name, count: 1 });
    await api.create(created, options);
  };

  return {
    write: (about, event) => {
      if (waiting >= waitingLimit || stop.signal.aborted) return;
      waiting += 1;
      last = last
        .then(() => writeOne(about, event))
        .catch((error: unknown) => {
          if (!stop.signal.aborted && !isAppError(error, "E_KUBE_FORBIDDEN", "E_KUBE_CONFLICT")) {
            log.debug("event could not be written", { reason: event.reason, error });
          }
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    stop: async () => {
      stop.abort();
      await last;
    },
  };
}

function eventAbout(
  about: KubeObject,
  event: NodeEvent,
  facts: { readonly name: string; readonly namespace: string; readonly now: string; readonly nodeName: string },
): KubeObject {
  const { name, namespace, now, nodeName } = facts;
  const { fieldPath, type, reason, message, component = "kubelet" } = event;
  const isOwn = component === "kubelet";
  const { metadata } = about;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    type,
    reason,
    message,
    source: isOwn ? { component, host: nodeName } : { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: isOwn ? nodeName : "",
  };
}

import { textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue, queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { createEventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { mirrorCapacity, mirrorManager, planMirror, wantsMirror } from "./mirrored-slices.ts";
import { unlessNamespaceEnds } from "./namespace-ending.ts";
import type { FeedEvent } from "./object-feed.ts";
import { managedByLabel, serviceNameLabel } from "./service-slices.ts";

const group = "discovery.k8s.io";
const plural = "endpointslices";

/**
 * Keeps EndpointSlices of Endpoints that a user writes for a Service without a selector.
 * Source: Kubernetes, pkg/controller/endpointslicemirroring.
 */
export function startEndpointMirrorController(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "endpointslicemirroring-controller");
  const record = createEventRecorder(scope, "endpoint-slice-mirroring-controller");
  const mirrored = createMirrorIndex();
  const queue = controllerQueue({
    scope,
    name: "endpoint-mirror",
    concurrency: 5,
    work: async (key) => unlessNamespaceEnds(sync({ writer, record, slicesOf }, key)),
  });
  const slicesOf = (key: string): readonly KubeObject[] => {
    const { namespace } = splitQueueKey(key);
    const live = mirrored.namesOf(key).map((name) => writer.get(group, plural, { namespace, name }));
    return live.filter((slice) => slice !== undefined);
  };
  scope.feed.on("", "endpoints", ({ object }) => queue.add(queueKeyOf(object)));
  scope.feed.on("", "services", ({ object }) => queue.add(queueKeyOf(object)));
  scope.feed.on(group, plural, (event) => {
    for (const key of mirrored.observe(event)) queue.add(key);
  });
  return { stop: () => queue.stop() };
}

interface SyncParts {
  readonly writer: HubWriter;
  readonly record: EventRecorder;
  readonly slicesOf: (key: string) => readonly KubeObject[];
}

async function sync({ writer, record, slicesOf }: SyncParts, key: string): Promise<void> {
  const place = splitQueueKey(key);
  const endpoints = writer.get("", "endpoints", place);
  const slices = slicesOf(key);
  if (endpoints === undefined || !wantsMirror(endpoints) || !hasNoSelector(writer.get("", "services", place))) {
    for (const slice of slices) await writer.remove(slice);
    return;
  }
  const plan = planMirror(endpoints, slices);
  if (plan.left > 0) {
    const message = `A max of ${mirrorCapacity} addresses can be mirrored to EndpointSlices per Endpoints subset. ${plan.left} addresses were skipped`;
    record(endpoints, { type: "Warning", reason: "TooManyAddressesToMirror", message });
  }
  // Endpoints that are being deleted get no further slices.
  for (const slice of endpoints.metadata.deletionTimestamp === undefined ? plan.create : []) await writer.create(slice);
  for (const slice of plan.update) await writer.update(slice);
  for (const slice of plan.remove) await writer.remove(slice);
}

function hasNoSelector(service: KubeObject | undefined): boolean {
  return service !== undefined && Object.keys(textMapAt(service, "spec", "selector")).length === 0;
}

/** The slices of this controller by the key of their Service: their labels contain both. */
function createMirrorIndex() {
  const keys = new Map<string, string>();
  const names = new Map<string, Set<string>>();
  return {
    namesOf: (key: string): readonly string[] => [...(names.get(key) ?? [])],
    /** The keys that an event is about. */
    observe: ({ kind, object }: Pick<FeedEvent, "kind" | "object">): readonly string[] => {
      const slice = queueKeyOf(object);
      const before = keys.get(slice);
      const now = kind === "deleted" ? undefined : serviceKeyOf(object);
      if (before !== undefined && before !== now) {
        const others = names.get(before);
        others?.delete(object.metadata.name);
        if (others?.size === 0) names.delete(before);
        keys.delete(slice);
      }
      if (now !== undefined) {
        keys.set(slice, now);
        names.set(now, (names.get(now) ?? new Set()).add(object.metadata.name));
      }
      return [...new Set([before, now])].filter((key) => key !== undefined);
    },
  };
}

function serviceKeyOf({ metadata: { namespace = "", labels = {} } }: KubeObject): string | undefined {
  const service = labels[serviceNameLabel];
  return labels[managedByLabel] === mirrorManager && service !== undefined ? `${namespace}/${service}` : undefined;
}

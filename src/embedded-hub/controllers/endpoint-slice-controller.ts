import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { unlessNamespaceEnds } from "./namespace-ending.ts";
import { followLabelSelection } from "./label-selection.ts";
import type { LabelSelection } from "./label-selection.ts";
import { createPodsByNode } from "./pods-by-node.ts";
import { hasOwnEndpoints, requirementsOfService } from "./service-pods.ts";
import { managedByLabel, planSlices, serviceNameLabel, sliceManager } from "./service-slices.ts";

const group = "discovery.k8s.io";
const plural = "endpointslices";

/**
 * Keeps the EndpointSlices of Services with a selector. The garbage collector deletes those of a deleted Service.
 * Source: Kubernetes, pkg/controller/endpointslice.
 */
export function startEndpointSliceController(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "endpointslice-controller");
  const queue = controllerQueue({
    scope,
    name: "endpoint-slices",
    concurrency: 5,
    work: async (key) => unlessNamespaceEnds(sync(writer, selection, key)),
  });
  const enqueue = (key: string) => queue.add(key);
  const selection = followLabelSelection({
    scope,
    writer,
    selecting: { group: "", plural: "services" },
    selected: { group: "", plural: "pods" },
    requirementsOf: requirementsOfService,
    enqueue,
  });
  scope.feed.on(group, plural, ({ kind, object }) => {
    const { namespace = "", labels = {} } = object.metadata;
    const service = labels[serviceNameLabel];
    const isOwn = labels[managedByLabel] === sliceManager && service !== undefined;
    // At the start the Services themselves are enqueued.
    if (isOwn && kind !== "added") queue.add(`${namespace}/${service}`);
  });
  const podsByNode = createPodsByNode(scope.feed);
  followZones(scope, (nodeName) => {
    for (const key of podsByNode.keysOn(nodeName)) {
      const pod = writer.get("", "pods", splitQueueKey(key));
      if (pod !== undefined) selection.touch(pod);
    }
  });
  return { stop: () => queue.stop() };
}

/** Calls back with the name of each Node that comes, is deleted or moves to another zone. */
function followZones(scope: ControllerScope, onChange: (nodeName: string) => void): void {
  const zones = new Map<string, string>();
  scope.feed.on("", "nodes", ({ kind, object, isFirst }) => {
    const { name, labels = {} } = object.metadata;
    const zone = kind === "deleted" ? undefined : (labels["topology.kubernetes.io/zone"] ?? "");
    if (zones.get(name) === zone) return;
    if (zone === undefined) zones.delete(name);
    else zones.set(name, zone);
    // At the start all Services are enqueued anyway.
    if (!isFirst) onChange(name);
  });
}

async function sync(writer: HubWriter, selection: LabelSelection, key: string): Promise<void> {
  const { namespace, name } = splitQueueKey(key);
  const service = writer.get("", "services", { namespace, name });
  const isLive = service !== undefined && service.metadata.deletionTimestamp === undefined;
  if (!isLive || !hasOwnEndpoints(service)) return;
  const isOwn = ({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): boolean =>
    labels[managedByLabel] === sliceManager &&
    labels[serviceNameLabel] === name &&
    ownerReferences.some(({ uid }) => uid === service.metadata.uid);
  const plan = planSlices({
    service,
    pods: await selection.selectedBy(service),
    slices: writer.list(group, plural, namespace).filter(isOwn),
    nodeOf: (nodeName) => (nodeName === "" ? undefined : writer.get("", "nodes", { name: nodeName })),
  });
  for (const slice of plan.create) await writer.create(slice);
  for (const slice of plan.update) await writer.update(slice);
  for (const slice of plan.remove) await writer.remove(slice);
}

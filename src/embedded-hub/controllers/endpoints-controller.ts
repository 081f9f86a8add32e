import { isJsonEqual } from "../../core/json.ts";
import { objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerQueue, queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";
import { cutToCapacity, endpointsCapacity, endpointSubsets } from "./endpoint-subsets.ts";
import { hubWriter } from "./hub-writer.ts";
import type { HubWriter } from "./hub-writer.ts";
import { unlessNamespaceEnds } from "./namespace-ending.ts";
import { followLabelSelection } from "./label-selection.ts";
import type { LabelSelection } from "./label-selection.ts";
import { hasOwnEndpoints, headlessLabel, isHeadless, requirementsOfService } from "./service-pods.ts";

const managedByLabel = "endpoints.kubernetes.io/managed-by";
const overCapacity = "endpoints.kubernetes.io/over-capacity";

/**
 * Keeps the Endpoints of Services with a selector. The annotation with the time of the last change is not written.
 * Source: Kubernetes, pkg/controller/endpoint.
 */
export function startEndpointsController(scope: ControllerScope): Controller {
  const writer = hubWriter(scope.operations, "endpoint-controller");
  /** Keys of deleted Services: their Endpoints are deleted, those that a user wrote too. */
  const orphaned = new Set<string>();
  const queue = controllerQueue({
    scope,
    name: "endpoints",
    concurrency: 5,
    work: async (key) => {
      const isOrphaned = orphaned.delete(key);
      await unlessNamespaceEnds(sync({ writer, selection, isOrphaned }, key));
    },
  });
  const selection = followLabelSelection({
    scope,
    writer,
    selecting: { group: "", plural: "services" },
    selected: { group: "", plural: "pods" },
    requirementsOf: requirementsOfService,
    enqueue: (key) => queue.add(key),
  });
  scope.feed.on("", "services", ({ kind, object }) => {
    if (kind === "deleted") orphaned.add(queueKeyOf(object));
  });
  scope.feed.on("", "endpoints", ({ kind, object }) => {
    if (kind !== "modified") queue.add(queueKeyOf(object));
  });
  return { stop: () => queue.stop() };
}

interface SyncParts {
  readonly writer: HubWriter;
  readonly selection: LabelSelection;
  readonly isOrphaned: boolean;
}

async function sync({ writer, selection, isOrphaned }: SyncParts, key: string): Promise<void> {
  const place = splitQueueKey(key);
  const service = writer.get("", "services", place);
  const live = writer.get("", "endpoints", place);
  if (service === undefined) {
    const isManaged = live?.metadata.labels?.[managedByLabel] !== undefined;
    if (live !== undefined && (isOrphaned || isManaged)) await writer.remove(live);
    return;
  }
  if (!hasOwnEndpoints(service)) return;
  const wanted = wantedEndpoints(service, await selection.selectedBy(service), live);
  if (live === undefined) await writer.create(wanted);
  else if (!isJsonEqual(wanted, live)) await writer.update(wanted);
}

function wantedEndpoints(service: KubeObject, pods: readonly KubeObject[], live: KubeObject | undefined): KubeObject {
  const { name, namespace } = service.metadata;
  const all = endpointSubsets(service, pods);
  const isCut = countOf(all) > endpointsCapacity;
  const subsets = isCut ? cutToCapacity(all) : all;
  const { [headlessLabel]: _headless, ...own } = service.metadata.labels ?? {};
  const labels = { ...own, [managedByLabel]: "endpoint-controller" };
  const { [overCapacity]: _cut, ...others } = live?.metadata.annotations ?? {};
  const annotations = isCut ? { ...others, [overCapacity]: "truncated" } : others;
  const { annotations: _old, ...metadata } = live?.metadata ?? {
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      ...metadata,
      labels: isHeadless(service) ? { ...labels, [headlessLabel]: "" } : labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    ...(subsets.length === 0 ? {} : { subsets }),
  };
}

function countOf(subsets: readonly { readonly [field: string]: unknown }[]): number {
  return subsets
    .map((subset) => objectsAt(subset, "addresses").length + objectsAt(subset, "notReadyAddresses").length)
    .reduce((sum, count) => sum + count, 0);
}

import type { Json, JsonObject } from "../../core/json.ts";
import { canonicalJson, isJsonEqual } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { podReadySinceMs } from "./pod-facts.ts";
import {
  familiesOf,
  headlessLabel,
  hostnameOf,
  isHeadless,
  podAddress,
  podReference,
  publishesNotReady,
  targetPortOf,
} from "./service-pods.ts";
import type { AddressFamily } from "./service-pods.ts";

export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const serviceNameLabel = "kubernetes.io/service-name";
export const sliceManager = "endpointslice-controller.k8s.io";
/** The most endpoints of one slice, as of kube-controller-manager. */
const sliceCapacity = 100;

export interface SliceSources {
  readonly service: KubeObject;
  readonly pods: readonly KubeObject[];
  /** Those that this controller wrote for the Service. */
  readonly slices: readonly KubeObject[];
  /** The Node of that name, if there is one. */
  readonly nodeOf: (name: string) => KubeObject | undefined;
}

export interface SlicePlan {
  readonly create: readonly KubeObject[];
  readonly update: readonly KubeObject[];
  readonly remove: readonly KubeObject[];
}

/** One set of ports, and the endpoints that have it. */
interface PortGroup {
  readonly ports: readonly JsonObject[];
  readonly endpoints: readonly JsonObject[];
}

/**
 * What makes the slices of a Service right with few writes: endpoints stay in the slice that they are in, others fill
 * slices with room, and a slice that would be deleted becomes one that would be created.
 * Source: Kubernetes, staging/src/k8s.io/endpointslice reconciler.
 */
export function planSlices(sources: SliceSources): SlicePlan {
  const { service, slices } = sources;
  const families = familiesOf(service);
  const isOther = (slice: KubeObject): boolean => !families.some((family) => family === slice["addressType"]);
  const plans = families.map((family) => planFamily(sources, family));
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: [...slices.filter(isOther), ...plans.flatMap(({ remove }) => remove)],
  };
}

function planFamily(sources: SliceSources, family: AddressFamily): SlicePlan {
  const { service } = sources;
  const free = new Set(sources.slices.filter((slice) => slice["addressType"] === family));
  const filled: { readonly slice: KubeObject | undefined; readonly ports: Json; readonly endpoints: Json }[] = [];
  for (const { ports, endpoints } of groupsOf(sources, family)) {
    const used = [...free].filter((slice) => canonicalJson(slice["ports"] ?? []) === canonicalJson(ports));
    for (const slice of used) free.delete(slice);
    for (const { slice, content } of spread(used, endpoints)) {
      filled.push({ slice, ports: nullIfEmpty(ports), endpoints: nullIfEmpty(content) });
    }
  }
  if (filled.length === 0) filled.push({ slice: undefined, ports: null, endpoints: null });
  const create: KubeObject[] = [];
  const update: KubeObject[] = [];
  for (const { slice, ...content } of filled) {
    const [recycled] = free;
    const base = slice ?? recycled;
    if (slice === undefined && recycled !== undefined) free.delete(recycled);
    const wanted = { ...(base ?? newSlice(service, family)), ...content };
    const labelled = { ...wanted, metadata: { ...wanted.metadata, labels: labelsOf(service) } };
    if (base === undefined) create.push(labelled);
    else if (!isJsonEqual(base, labelled)) update.push(labelled);
  }
  return { create, update, remove: [...free] };
}

/** Distributes endpoints over slices with the same ports; those left over get new slices. Empty slices are left out. */
function spread(
  slices: readonly KubeObject[],
  endpoints: readonly JsonObject[],
): readonly { readonly slice: KubeObject | undefined; readonly content: readonly JsonObject[] }[] {
  const rest = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const kept = slices.map((slice) => ({
    slice,
    content: objectsAt(slice, "endpoints").flatMap((endpoint) => {
      const current = rest.get(identityOf(endpoint));
      rest.delete(identityOf(endpoint));
      return current === undefined ? [] : [current];
    }),
  }));
  const added = [...rest.values()];
  const filled: { slice: KubeObject | undefined; content: JsonObject[] }[] = kept
    .map(({ slice, content }) => ({
      slice,
      content: [...content, ...added.splice(0, Math.max(0, sliceCapacity - content.length))],
    }))
    .filter(({ content }) => content.length > 0);
  while (added.length > 0) filled.push({ slice: undefined, content: added.splice(0, sliceCapacity) });
  return filled;
}

function groupsOf({ service, pods, nodeOf }: SliceSources, family: AddressFamily): readonly PortGroup[] {
  const groups = new Map<string, { ports: readonly JsonObject[]; endpoints: JsonObject[] }>();
  for (const pod of pods) {
    const address = podAddress(pod, family);
    const node = nodeOf(textAt(pod, "spec", "nodeName") ?? "");
    // A Pod without a Node is about to be collected.
    if (address === undefined || (node === undefined && !publishesNotReady(service))) continue;
    const ports = portsOf(service, pod);
    const key = canonicalJson(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf({ service, pod, node, address }));
  }
  return [...groups.values()];
}

function portsOf(service: KubeObject, pod: KubeObject): readonly JsonObject[] {
  return objectsAt(service, "spec", "ports").flatMap((port) => {
    const number = targetPortOf(pod, port);
    if (number === undefined) return [];
    const appProtocol = textAt(port, "appProtocol");
    return [
      {
        name: textAt(port, "name") ?? "",
        protocol: textAt(port, "protocol") ?? "TCP",
        port: number,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ];
  });
}

interface EndpointSources {
  readonly service: KubeObject;
  readonly pod: KubeObject;
  readonly node: KubeObject | undefined;
  readonly address: string;
}

function endpointOf({ service, pod, node, address }: EndpointSources): JsonObject {
  const serving = podReadySinceMs(pod) !== undefined;
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const hostname = hostnameOf(pod, service);
  const nodeName = textAt(pod, "spec", "nodeName") ?? "";
  const zone = node?.metadata.labels?.["topology.kubernetes.io/zone"] ?? "";
  return {
    addresses: [address],
    conditions: { ready: publishesNotReady(service) || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podReference(pod),
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === "" ? {} : { zone }),
  };
}

function newSlice(service: KubeObject, addressType: AddressFamily): KubeObject {
  const { name, namespace, uid = "" } = service.metadata;
  const owner = { apiVersion: "v1", kind: "Service", name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      // The server makes the name from generateName.
      name: "",
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [owner],
    },
    addressType,
  };
}

function labelsOf(service: KubeObject): Readonly<Record<string, string>> {
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: sliceManager,
  };
}

/** An endpoint is the same while its Pod and address are. */
function identityOf(endpoint: JsonObject): string {
  return `${textAt(endpoint, "targetRef", "uid") ?? ""} ${canonicalJson(endpoint["addresses"])}`;
}

function nullIfEmpty(items: readonly JsonObject[]): Json {
  return items.length === 0 ? null : items;
}

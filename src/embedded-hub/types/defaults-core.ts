import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { DefaultRule } from "./default-rule.ts";
import { isEmptyObject, objectAt, objectsAt, textAt, withMissing } from "./default-rule.ts";

/** core/v1 without Pods. */
export const coreDefaults: Readonly<Record<string, DefaultRule>> = {
  "core.Secret": (secret) => withMissing(withStringData(secret), { type: "Opaque" }),
  "core.Namespace": (namespace) => {
    const metadata = objectAt(namespace, "metadata");
    const name = textAt(metadata, "name");
    if (name === "") return namespace;
    const labels = { ...objectAt(metadata, "labels"), "kubernetes.io/metadata.name": name };
    return { ...namespace, metadata: { ...metadata, labels } };
  },
  "core.NamespaceStatus": (status) => withMissing(status, { phase: "Active" }),
  "core.Service": (service) => ({ ...service, spec: completeServiceSpec(objectAt(service, "spec")) }),
  "core.EndpointPort": (port) => withMissing(port, { protocol: "TCP" }),
  "core.NodeStatus": (status) => {
    const { capacity } = status;
    return capacity === undefined ? status : withMissing(status, { allocatable: capacity });
  },
  "core.PersistentVolume": (volume) => {
    const spec = { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" };
    return {
      ...volume,
      spec: withMissing(objectAt(volume, "spec"), spec),
      status: withMissing(objectAt(volume, "status"), { phase: "Pending" }),
    };
  },
  "core.PersistentVolumeClaim": (claim) => ({
    ...claim,
    status: withMissing(objectAt(claim, "status"), { phase: "Pending" }),
  }),
  "core.PersistentVolumeClaimSpec": (spec) => withMissing(spec, { volumeMode: "Filesystem" }),
  "core.LimitRangeItem": completeLimit,
  "core.ReplicationController": (controller) => {
    const spec = objectAt(controller, "spec");
    const metadata = objectAt(controller, "metadata");
    const labels = objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels");
    if (isEmptyObject(labels)) return controller;
    return {
      ...controller,
      metadata: withMissing(metadata, { labels }),
      spec: withMissing(spec, { selector: labels }),
    };
  },
};

/** Plain texts become data when the object is read, and are never stored. */
function withStringData({ stringData, ...secret }: JsonObject): JsonObject {
  if (!isJsonObject(stringData)) return secret;
  const encoded = Object.entries(stringData).map(([key, value]): [string, Json] => [
    key,
    Buffer.from(typeof value === "string" ? value : "").toString("base64"),
  ]);
  return { ...secret, data: { ...objectAt(secret, "data"), ...Object.fromEntries(encoded) } };
}

function completeServiceSpec(given: JsonObject): JsonObject {
  let spec = withMissing(given, { sessionAffinity: "None", type: "ClusterIP" });
  const type = textAt(spec, "type");
  const affinity = textAt(spec, "sessionAffinity");
  if (affinity === "None") {
    const { sessionAffinityConfig: _dropped, ...rest } = spec;
    spec = rest;
  }
  const clientIp = objectAt(objectAt(spec, "sessionAffinityConfig"), "clientIP");
  if (affinity === "ClientIP" && (clientIp["timeoutSeconds"] ?? null) === null) {
    spec = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } };
  }
  const isExternal = type === "NodePort" || type === "LoadBalancer";
  const hasExternalIps = type === "ClusterIP" && Array.isArray(spec["externalIPs"]) && spec["externalIPs"].length > 0;
  if (isExternal || hasExternalIps) spec = withMissing(spec, { externalTrafficPolicy: "Cluster" });
  if (isExternal || type === "ClusterIP") spec = withMissing(spec, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") spec = withMissing(spec, { allocateLoadBalancerNodePorts: true });
  if (spec["ports"] === undefined) return spec;
  return { ...spec, ports: objectsAt(spec, "ports").map(completeServicePort) };
}

function completeServicePort(port: JsonObject): JsonObject {
  const { targetPort = 0 } = port;
  const isUnset = targetPort === null || targetPort === 0 || targetPort === "";
  return { ...withMissing(port, { protocol: "TCP" }), targetPort: isUnset ? (port["port"] ?? 0) : targetPort };
}

/** Of a container's limits: default from max, default request from default and min. */
function completeLimit(item: JsonObject): JsonObject {
  if (item["type"] !== "Container") return item;
  const limits = { ...objectAt(item, "max"), ...objectAt(item, "default") };
  const requests = { ...objectAt(item, "min"), ...limits, ...objectAt(item, "defaultRequest") };
  return {
    ...item,
    ...(isEmptyObject(limits) ? {} : { default: limits }),
    ...(isEmptyObject(requests) ? {} : { defaultRequest: requests }),
  };
}

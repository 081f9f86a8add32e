import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkLabel, checkLabelValue, checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import {
  duplicate,
  forbidden,
  indexPath,
  invalid,
  invalidStruct,
  notSupported,
  required,
} from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { checkPortNumber, hold, validatePort } from "./checks.ts";
import { checkAddress, checkCidr, eachOf, validateTargetAddress } from "./checks-network.ts";
import { validateServiceAddresses } from "./validate-service-addresses.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const protocols = ["SCTP", "TCP", "UDP"];
const trafficPolicies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const longestAffinitySeconds = 86_400;

/** What is wrong with a Service or with its change. Source: Kubernetes, pkg/apis/core/validation. */
export function validateService(service: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = objectAt(service, "spec") ?? {};
  const oldSpec = objectAt(old, "spec");
  // kube-apiserver allocates addresses before it validates the rest.
  const ofAddresses = validateServiceAddresses(spec, oldSpec);
  if (ofAddresses.length > 0) return ofAddresses;
  return [
    ...(oldSpec === undefined ? [] : validateChange(spec, oldSpec)),
    ...validateType(spec),
    ...validatePorts(spec),
    ...Object.entries(textMapAt(spec, "selector")).flatMap(([key, value]) => [
      ...hold(checkQualifiedName, key, "spec.selector"),
      ...hold(checkLabelValue, value, "spec.selector"),
    ]),
    ...validateAffinity(spec),
    ...textsAt(spec, "externalIPs").flatMap((address, index) => {
      const path = indexPath("spec.externalIPs", index);
      const errors = hold(checkAddress, address, path);
      return errors.length > 0 ? errors : validateTargetAddress(address, path);
    }),
    ...validateTypeIsKnown(spec),
    ...validatePortNumbers(spec),
    ...validateLoadBalancer(spec, oldSpec),
    ...validateTraffic(spec),
  ];
}

/** True for Services with an address of their own, `None` included. */
export function needsAddress(spec: JsonObject): boolean {
  return textAt(spec, "type") !== "ExternalName";
}

/** True for Services that every node opens a port for. */
export function needsNodePorts(spec: JsonObject): boolean {
  const type = textAt(spec, "type");
  return type === "NodePort" || (type === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] !== false);
}

/** True for Services whose nodes tell a load balancer whether they have Pods. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return textAt(spec, "type") === "LoadBalancer" && textAt(spec, "externalTrafficPolicy") === "Local";
}

function isHeadless(spec: JsonObject): boolean {
  return textsAt(spec, "clusterIPs")[0] === "None";
}

/** The first address stays while the Service has one, and so does the port of health checks. */
function validateChange(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const ports = [spec, oldSpec].map((one) =>
    needsHealthCheck(one) ? numberAt(one, "healthCheckNodePort") : undefined,
  );
  const isMoved = ports[0] !== ports[1] && !ports.includes(undefined);
  return [
    ...validateFirstAddress(spec, oldSpec),
    ...(isMoved ? [forbidden("spec.healthCheckNodePort", "field is immutable")] : []),
  ];
}

function validateFirstAddress(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  if (textAt(spec, "type") === "ExternalName" || textAt(oldSpec, "type") === "ExternalName") return [];
  const addresses = textsAt(spec, "clusterIPs");
  const oldAddresses = textsAt(oldSpec, "clusterIPs");
  const first = oldAddresses[0];
  if (first === undefined || addresses[0] === undefined || addresses[0] === first) return [];
  return [invalid("spec.clusterIPs[0]", [...addresses], "may not change once set")];
}

function validateType(spec: JsonObject): FieldError[] {
  const type = textAt(spec, "type") ?? "";
  const isExternal = type === "ExternalName";
  const hasPorts = objectsAt(spec, "ports").length > 0;
  const errors = hasPorts || isHeadless(spec) || isExternal ? [] : [required("spec.ports")];
  if (type === "LoadBalancer" || type === "NodePort") {
    if (!isHeadless(spec)) return errors;
    return [...errors, invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`)];
  }
  if (!isExternal) return errors;
  for (const field of ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
    const isUnset = field === "ipFamilyPolicy" ? spec[field] === undefined : textsAt(spec, field).length === 0;
    if (!isUnset) errors.push(forbidden(`spec.${field}`, "may not be set for ExternalName services"));
  }
  const name = (textAt(spec, "externalName") ?? "").replace(/\.$/u, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...hold(checkSubdomain, name, "spec.externalName")];
}

function validatePorts(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, "ports");
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = indexPath("spec.ports", index);
    const name = textAt(port, "name") ?? "";
    const isTaken = names.has(name);
    names.add(name);
    const number = numberAt(port, "port") ?? 0;
    const protocol = textAt(port, "protocol") ?? "";
    const appProtocol = textAt(port, "appProtocol");
    return [
      ...(name === "" && ports.length > 1 ? [required(`${path}.name`)] : []),
      ...(name === "" ? [] : hold(checkLabel, name, `${path}.name`)),
      ...(name !== "" && isTaken ? [duplicate(`${path}.name`, name)] : []),
      ...checkPortNumber(number).map((text) => invalid(`${path}.port`, number, text)),
      ...(protocols.includes(protocol) ? [] : [notSupported(`${path}.protocol`, protocol, protocols)]),
      ...validatePort(port["targetPort"], `${path}.targetPort`),
      ...(appProtocol === undefined ? [] : hold(checkQualifiedName, appProtocol, `${path}.appProtocol`)),
    ];
  });
}

function validateAffinity(spec: JsonObject): FieldError[] {
  const affinity = textAt(spec, "sessionAffinity") ?? "";
  if (!affinities.includes(affinity)) return [notSupported("spec.sessionAffinity", affinity, affinities)];
  if (affinity !== "ClientIP") return [];
  const seconds = numberAt(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") ?? 0;
  if (seconds > 0 && seconds <= longestAffinitySeconds) return [];
  const text = `must be greater than 0 and less than ${longestAffinitySeconds}`;
  return [invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds, text)];
}

function validateTypeIsKnown(spec: JsonObject): FieldError[] {
  const type = textAt(spec, "type") ?? "";
  return types.includes(type) ? [] : [notSupported("spec.type", type, types)];
}

function validatePortNumbers(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const ports = objectsAt(spec, "ports");
  const nodePorts = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const number = numberAt(port, "nodePort") ?? 0;
    const path = `${indexPath("spec.ports", index)}.nodePort`;
    if (number === 0) continue;
    if (textAt(spec, "type") === "ClusterIP")
      errors.push(forbidden(path, "may not be used when `type` is 'ClusterIP'"));
    const key = `${textAt(port, "protocol") ?? ""}/${number}`;
    if (nodePorts.has(key)) errors.push(duplicate(path, number));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const protocol = textAt(port, "protocol") ?? "";
    const number = numberAt(port, "port") ?? 0;
    const key = `${protocol}/${number}`;
    if (seen.has(key)) errors.push(duplicatePort(indexPath("spec.ports", index), protocol, number));
    seen.add(key);
  }
  return errors;
}

/** kube-apiserver prints the whole port, of which only these fields are set. */
function duplicatePort(path: string, protocol: string, port: number): FieldError {
  const printed = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
  const { message } = invalidStruct(path, printed, "");
  return { field: path, reason: "FieldValueDuplicate", message: message.replace("Invalid", "Duplicate") };
}

function validateLoadBalancer(spec: JsonObject, oldSpec: JsonObject | undefined): FieldError[] {
  const isLoadBalancer = textAt(spec, "type") === "LoadBalancer";
  const ranges = textsAt(spec, "loadBalancerSourceRanges");
  const rangesPath = "spec.LoadBalancerSourceRanges";
  const balancerClass = textAt(spec, "loadBalancerClass");
  const classPath = "spec.loadBalancerClass";
  const oldClass = textAt(oldSpec, "loadBalancerClass");
  const errors: FieldError[] = [];
  const onlyHere = (path: string) => errors.push(forbidden(path, "may only be used when `type` is 'LoadBalancer'"));
  if (ranges.length > 0 && !isLoadBalancer) onlyHere(rangesPath);
  appendAll(
    errors,
    eachOf(ranges, rangesPath, (range, path) => hold(checkCidr, range.trim(), path)),
  );
  if (spec["allocateLoadBalancerNodePorts"] !== undefined && !isLoadBalancer) {
    onlyHere("spec.allocateLoadBalancerNodePorts");
  }
  if (isLoadBalancer && textAt(oldSpec, "type") === "LoadBalancer" && balancerClass !== oldClass) {
    errors.push(invalid(classPath, balancerClass ?? null, "may not change once set"));
  }
  if (balancerClass !== undefined && !isLoadBalancer) onlyHere(classPath);
  if (balancerClass !== undefined && isLoadBalancer) {
    appendAll(errors, hold(checkQualifiedName, balancerClass, classPath));
  }
  return errors;
}

/** Reached from outside of the cluster. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const type = textAt(spec, "type") ?? "";
  if (type === "ClusterIP") return textsAt(spec, "externalIPs").length > 0;
  return type === "LoadBalancer" || type === "NodePort";
}

function validateTraffic(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const external = textAt(spec, "externalTrafficPolicy") ?? "";
  if (external !== "" && !isExternallyAccessible(spec)) {
    const text = "may only be set for externally-accessible services";
    errors.push(invalid("spec.externalTrafficPolicy", external, text));
  } else if (external !== "" && !trafficPolicies.includes(external)) {
    errors.push(notSupported("spec.externalTrafficPolicy", external, trafficPolicies));
  }
  const internal = textAt(spec, "internalTrafficPolicy");
  if (internal !== undefined && !trafficPolicies.includes(internal)) {
    errors.push(notSupported("spec.internalTrafficPolicy", internal, trafficPolicies));
  }
  const healthPort = numberAt(spec, "healthCheckNodePort") ?? 0;
  if (healthPort !== 0 && !needsHealthCheck(spec)) {
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid("spec.healthCheckNodePort", healthPort, text));
  }
  const distribution = textAt(spec, "trafficDistribution");
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.push(notSupported("spec.trafficDistribution", distribution, distributions));
  }
  return errors;
}

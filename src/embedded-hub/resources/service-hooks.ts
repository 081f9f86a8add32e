import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { warnOfBalancer } from "./warn-of-kinds.ts";
import { warnOfService } from "../validation/service-warnings.ts";
import { validateServiceStatus } from "../validation/validate-balancer-status.ts";
import { policyOf } from "../validation/validate-service-addresses.ts";
import {
  isExternallyAccessible,
  needsAddress,
  needsHealthCheck,
  needsNodePorts,
  validateService,
} from "../validation/validate-service.ts";

/** What an address and ports of a Service are kept or dropped by. Source: Kubernetes, registry/core/service. */
export const serviceHooks: ResourceHooks = {
  nameRule: "service",
  canCreateOnUpdate: true,
  returnsDeletedObject: true,
  selectableFields: {
    "spec.clusterIP": (service) => textAt(service, "spec", "clusterIP") ?? "",
    "spec.type": (service) => textAt(service, "spec", "type") ?? "",
  },
  prepareForCreate: (service) => withSpec(service, withBothForms(objectAt(service, "spec") ?? {}, undefined)),
  prepareForUpdate: (service, old, { subresource }) =>
    subresource === "status" ? withModes(service) : withSpec(service, keepAssigned(service, old)),
  validate: (service, old, { subresource, warnings }) => {
    const isStatus = subresource === "status";
    const errors = isStatus ? validateServiceStatus(service) : validateService(service, old);
    if (errors.length === 0) appendAll(warnings, isStatus ? warnOfBalancer(service) : warnOfService(service));
    return errors;
  },
};

function withSpec(service: KubeObject, spec: JsonObject): KubeObject {
  // A default, and of no use to a Service that is only a name.
  const { internalTrafficPolicy: _, ...ofName } = spec;
  return { ...service, spec: needsAddress(spec) ? spec : ofName };
}

/** An address of a load balancer is one of the kind VIP, unless its status names another. */
function withModes(service: KubeObject): KubeObject {
  const status = objectAt(service, "status");
  const loadBalancer = objectAt(status, "loadBalancer");
  if (loadBalancer === undefined || textAt(service, "spec", "type") !== "LoadBalancer") return service;
  const ingress = objectsAt(loadBalancer, "ingress").map((one) =>
    (textAt(one, "ip") ?? "") === "" ? one : { ipMode: "VIP", ...one },
  );
  return ingress.length === 0
    ? service
    : { ...service, status: { ...status, loadBalancer: { ...loadBalancer, ingress } } };
}

/** clusterIP is the first of clusterIPs: who sets or clears one means both. */
function withBothForms(spec: JsonObject, old: JsonObject | undefined): JsonObject {
  const address = textAt(spec, "clusterIP") ?? "";
  const addresses = textsAt(spec, "clusterIPs");
  const oldAddress = textAt(old, "clusterIP") ?? "";
  const oldAddresses = textsAt(old, "clusterIPs");
  if (old === undefined) return address !== "" && addresses.length === 0 ? { ...spec, clusterIPs: [address] } : spec;
  if (address === oldAddress || !isJsonEqual([...addresses], [...oldAddresses])) return spec;
  if (address !== "") return { ...spec, clusterIPs: [address, ...addresses.slice(1)] };
  const { clusterIPs: _, ...rest } = spec;
  return rest;
}

/** What the server chose once stays, unless it is named anew or the type has no use for it. */
function keepAssigned(service: KubeObject, old: KubeObject): JsonObject {
  const oldSpec = objectAt(old, "spec") ?? {};
  let spec = objectAt(service, "spec") ?? {};
  if (needsAddress(oldSpec) && needsAddress(spec)) {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = oldSpec;
    if ((textAt(spec, "clusterIP") ?? "") === "" && clusterIP !== undefined) spec = { ...spec, clusterIP };
    if (textsAt(spec, "clusterIPs").length === 0 && clusterIPs !== undefined) spec = { ...spec, clusterIPs };
    if (textsAt(spec, "ipFamilies").length === 0 && ipFamilies !== undefined) spec = { ...spec, ipFamilies };
    if (spec["ipFamilyPolicy"] === undefined && ipFamilyPolicy !== undefined) spec = { ...spec, ipFamilyPolicy };
  }
  spec = withBothForms(spec, oldSpec);
  if (needsAddress(oldSpec) && !needsAddress(spec)) {
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
      spec = withoutUnchanged(spec, oldSpec, field);
    }
  }
  if (textAt(oldSpec, "type") === "LoadBalancer" && textAt(spec, "type") !== "LoadBalancer") {
    for (const field of ["allocateLoadBalancerNodePorts", "loadBalancerClass"]) {
      spec = withoutUnchanged(spec, oldSpec, field);
    }
  }
  if (needsNodePorts(oldSpec) && !needsNodePorts(spec)) spec = withoutNodePorts(spec, oldSpec);
  if (isExternallyAccessible(oldSpec) && !isExternallyAccessible(spec)) {
    spec = withoutUnchanged(spec, oldSpec, "externalTrafficPolicy");
  }
  if (needsNodePorts(oldSpec) && needsNodePorts(spec)) spec = keepNodePorts(spec, oldSpec);
  return withoutSecondFamily(keepHealthPort(spec, oldSpec), oldSpec);
}

function keepHealthPort(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  if (!needsHealthCheck(oldSpec)) return spec;
  if (!needsHealthCheck(spec)) return withoutUnchanged(spec, oldSpec, "healthCheckNodePort");
  const { healthCheckNodePort } = oldSpec;
  const isUnset = (numberAt(spec, "healthCheckNodePort") ?? 0) === 0;
  return isUnset && healthCheckNodePort !== undefined ? { ...spec, healthCheckNodePort } : spec;
}

/** Who asks for one family, and leaves both where they are, means the first one. */
function withoutSecondFamily(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const [first, ...others] = textsAt(spec, "ipFamilies");
  const isMeant = first !== undefined && others.length > 0 && policyOf(spec, oldSpec) === "SingleStack";
  if (!isMeant || !needsAddress(spec) || !isJsonEqual(spec["ipFamilies"] ?? null, oldSpec["ipFamilies"] ?? null))
    return spec;
  return { ...spec, ipFamilies: [first] };
}

function withoutUnchanged(spec: JsonObject, oldSpec: JsonObject, field: string): JsonObject {
  if (!isJsonEqual(spec[field] ?? null, oldSpec[field] ?? null)) return spec;
  const { [field]: _, ...rest } = spec;
  return rest;
}

/** Ports may come and go meanwhile: only a number that the Service did not have is meant, and refused later. */
function withoutNodePorts(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const numbers = (holder: JsonObject): number[] =>
    objectsAt(holder, "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  const known = new Set([0, ...numbers(oldSpec)]);
  if (!numbers(spec).every((number) => known.has(number))) return spec;
  const ports = objectsAt(spec, "ports").map(({ nodePort: _, ...port }) => port);
  return { ...spec, ports };
}

/** A port without a number takes the one that its name had, unless another port has it now. */
function keepNodePorts(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  if (spec["ports"] === undefined) return spec;
  const named = new Map(
    objectsAt(oldSpec, "ports").map((port) => [textAt(port, "name") ?? "", numberAt(port, "nodePort") ?? 0]),
  );
  const taken = new Set(objectsAt(spec, "ports").map((port) => numberAt(port, "nodePort") ?? 0));
  const ports = objectsAt(spec, "ports").map((port): JsonObject => {
    const known = named.get(textAt(port, "name") ?? "") ?? 0;
    const isSet = (numberAt(port, "nodePort") ?? 0) !== 0;
    return isSet || known === 0 || taken.has(known) ? port : { ...port, nodePort: known };
  });
  return { ...spec, ports };
}

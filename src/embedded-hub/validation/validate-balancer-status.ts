import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkSubdomain } from "../../core/formats/kube-names.ts";
import { forbidden, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { checkAddress, eachOf } from "./checks-network.ts";
import { isAddress } from "./legacy-addresses.ts";

// Addresses that a status reports of a load balancer. Source: Kubernetes, pkg/apis/core/validation ValidateLoadBalancerStatus.

const path = "status.loadBalancer.ingress";
const modes = ["Proxy", "VIP"];

/** Of a Service. Only one of type LoadBalancer has them. */
export function validateServiceStatus(service: KubeObject): FieldError[] {
  const ingress = ingressOf(service);
  if (ingress.length > 0 && textAt(service, "spec", "type") !== "LoadBalancer") {
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return eachOf(ingress, path, (one, at) => [
    ...validateAddress(one, at),
    ...validateMode(one, at),
    ...validateHost(one, at),
  ]);
}

export function validateIngressStatus(object: KubeObject): FieldError[] {
  return eachOf(ingressOf(object), path, (one, at) => [...validateAddress(one, at), ...validateHost(one, at)]);
}

function ingressOf(object: KubeObject): readonly JsonObject[] {
  return objectsAt(object, "status", "loadBalancer", "ingress");
}

function validateAddress(ingress: JsonObject, at: string): FieldError[] {
  const ip = textAt(ingress, "ip") ?? "";
  return ip === "" ? [] : hold(checkAddress, ip, `${at}.ip`);
}

function validateMode(ingress: JsonObject, at: string): FieldError[] {
  const hasAddress = (textAt(ingress, "ip") ?? "") !== "";
  const mode = textAt(ingress, "ipMode");
  if (mode === undefined) return hasAddress ? [required(`${at}.ipMode`, "must be specified when `ip` is set")] : [];
  if (!hasAddress) return [forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set")];
  return modes.includes(mode) ? [] : [notSupported(`${at}.ipMode`, mode, modes)];
}

function validateHost(ingress: JsonObject, at: string): FieldError[] {
  const hostname = textAt(ingress, "hostname") ?? "";
  if (hostname === "") return [];
  const address = isAddress(hostname)
    ? [invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address")]
    : [];
  return [...hold(checkSubdomain, hostname, `${at}.hostname`), ...address];
}

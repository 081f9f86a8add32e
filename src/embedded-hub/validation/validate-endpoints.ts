import { isIP, isIPv4 } from "node:net";
import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkLabel, checkLabelValue, checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import { duplicate, indexPath, invalid, notSupported, required, tooMany } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { checkPortNumber, hold, immutable } from "./checks.ts";
import { checkAddress, eachOf, validateProtocol, validateTargetAddress } from "./checks-network.ts";
import { plainAddress } from "./legacy-addresses.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const addressTypes = ["FQDN", "IPv4", "IPv6"];
const most = { addresses: 100, ports: 20_000, endpoints: 1000, zones: 8, nodes: 8 };

/** What is wrong with an EndpointSlice. Source: Kubernetes, pkg/apis/discovery/validation. */
export function validateEndpointSlice(slice: KubeObject, old: KubeObject | undefined): FieldError[] {
  const type = textAt(slice, "addressType") ?? "";
  const endpoints = objectsAt(slice, "endpoints");
  const ports = objectsAt(slice, "ports");
  const isKnown = addressTypes.includes(type);
  // Endpoints that an earlier version of Kubernetes took stay.
  const isKept = old !== undefined && isJsonEqual(slice["endpoints"] ?? null, old["endpoints"] ?? null);
  return [
    ...(type === "" ? [required("addressType")] : isKnown ? [] : [notSupported("addressType", type, addressTypes)]),
    ...(isKept ? [] : validateListed(endpoints, type)),
    ...(ports.length > most.ports ? [tooMany("ports", ports.length, most.ports)] : validateSlicePorts(ports)),
    ...(old === undefined ? [] : immutable(type, textAt(old, "addressType") ?? "", "addressType")),
  ];
}

function validateListed(endpoints: readonly JsonObject[], type: string): FieldError[] {
  if (endpoints.length > most.endpoints) return [tooMany("endpoints", endpoints.length, most.endpoints)];
  return eachOf(endpoints, "endpoints", (endpoint, path) => validateEndpoint(endpoint, type, path));
}

function validateEndpoint(endpoint: JsonObject, type: string, path: string): FieldError[] {
  const addresses = textsAt(endpoint, "addresses");
  const node = textAt(endpoint, "nodeName");
  const hostname = textAt(endpoint, "hostname");
  return [
    ...(addresses.length === 0 ? [required(`${path}.addresses`, "must contain at least 1 address")] : []),
    ...(addresses.length > most.addresses ? [tooMany(`${path}.addresses`, addresses.length, most.addresses)] : []),
    ...addresses.flatMap((address, index) => validateTyped(address, type, `${path}.addresses`, index)),
    ...(node === undefined ? [] : hold(checkSubdomain, node, `${path}.nodeName`)),
    ...(hostname === undefined ? [] : hold(checkLabel, hostname, `${path}.hostname`)),
    ...validateHints(objectAt(endpoint, "hints"), `${path}.hints`),
  ];
}

/** An address of the other family is a fault of the whole list. */
function validateTyped(address: string, type: string, list: string, index: number): FieldError[] {
  const path = indexPath(list, index);
  switch (type) {
    case "IPv4": {
      if (checkAddress(address).length > 0) return hold(checkAddress, address, path);
      const family = isIpv4Form(address) ? [] : [invalid(list, address, "must be an IPv4 address")];
      return [...family, ...validateTargetAddress(address, path)];
    }
    case "IPv6": {
      if (checkAddress(address).length > 0) return hold(checkAddress, address, path);
      if (!isIP(address)) return [invalid(path, address, "must not have leading 0s")];
      const isMapped = !isIPv4(address) && isIpv4Form(address);
      if (isMapped) return [invalid(path, address, "must not be an IPv4-mapped IPv6 address")];
      const plain = plainAddress(address);
      if (plain !== address) return [invalid(path, address, `must be in canonical form (${JSON.stringify(plain)})`)];
      const family = isIPv4(address) ? [invalid(list, address, "must be an IPv6 address")] : [];
      return [...family, ...validateTargetAddress(address, path)];
    }
    case "FQDN":
      return validateDomainName(address, path);
    default:
      return [];
  }
}

/** Also as IPv6 writes an address of IPv4. Source: Go, net.IP.To4. */
function isIpv4Form(address: string): boolean {
  return isIPv4(plainAddress(address)) || /^::ffff:/iu.test(address);
}

/** With or without the dot at the end of a whole name. */
function validateDomainName(given: string, path: string): FieldError[] {
  if (given === "") return [required(path)];
  const name = given.replace(/\.$/u, "");
  const errors = hold(checkSubdomain, name, path);
  if (errors.length > 0) return errors;
  const labels = name.split(".");
  if (labels.length < 2) {
    return [invalid(path, name, "should be a domain with at least two segments separated by dots")];
  }
  const wrong = labels.find((label) => checkLabel(label).length > 0);
  return wrong === undefined ? [] : hold(checkLabel, wrong, path);
}

function validateHints(hints: JsonObject | undefined, path: string): FieldError[] {
  const zones = objectsAt(hints, "forZones");
  const nodes = objectsAt(hints, "forNodes");
  const names = (items: readonly JsonObject[], place: string, check: typeof checkSubdomain): FieldError[] => {
    const seen = new Set<string>();
    return eachOf(items, place, (item, itemPath) => {
      const name = textAt(item, "name") ?? "";
      const isTaken = seen.has(name);
      seen.add(name);
      return [...(isTaken ? [duplicate(`${itemPath}.name`, name)] : []), ...hold(check, name, `${itemPath}.name`)];
    });
  };
  return [
    ...(zones.length > most.zones ? [tooMany(`${path}.forZones`, zones.length, most.zones)] : []),
    ...names(zones, `${path}.forZones`, checkLabelValue),
    ...(nodes.length > most.nodes ? [tooMany(`${path}.forNodes`, nodes.length, most.nodes)] : []),
    ...names(nodes, `${path}.forNodes`, checkSubdomain),
  ];
}

function validateSlicePorts(ports: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return eachOf(ports, "ports", (port, path) => {
    const name = textAt(port, "name") ?? "";
    const isTaken = seen.has(name);
    seen.add(name);
    const appProtocol = textAt(port, "appProtocol");
    return [
      ...(name === "" ? [] : hold(checkLabel, name, `${path}.name`)),
      ...(isTaken ? [duplicate(`${path}.name`, name)] : []),
      ...validateProtocol(textAt(port, "protocol") ?? "", `${path}.protocol`, protocols),
      ...(appProtocol === undefined ? [] : hold(checkQualifiedName, appProtocol, `${path}.appProtocol`)),
    ];
  });
}

/** What is wrong with Endpoints. Source: Kubernetes, pkg/apis/core/validation. */
export function validateEndpoints(endpoints: KubeObject): FieldError[] {
  return eachOf(objectsAt(endpoints, "subsets"), "subsets", (subset, path) => {
    const ready = objectsAt(subset, "addresses");
    const others = objectsAt(subset, "notReadyAddresses");
    const ports = objectsAt(subset, "ports");
    return [
      ...(ready.length + others.length === 0
        ? [required(path, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...eachOf(ready, `${path}.addresses`, validateSubsetAddress),
      ...eachOf(others, `${path}.notReadyAddresses`, validateSubsetAddress),
      ...eachOf(ports, `${path}.ports`, (port, place) => validateSubsetPort(port, ports.length > 1, place)),
    ];
  });
}

function validateSubsetAddress(address: JsonObject, path: string): FieldError[] {
  const ip = textAt(address, "ip") ?? "";
  const hostname = textAt(address, "hostname") ?? "";
  const node = textAt(address, "nodeName");
  const badAddress = hold(checkAddress, ip, `${path}.ip`);
  return [
    ...badAddress,
    ...(hostname === "" ? [] : hold(checkLabel, hostname, `${path}.hostname`)),
    ...(node === undefined ? [] : hold(checkSubdomain, node, `${path}.nodeName`)),
    ...(badAddress.length > 0
      ? [invalid(`${path}.ip`, ip, "must be a valid IP address")]
      : validateTargetAddress(ip, `${path}.ip`)),
  ];
}

function validateSubsetPort(port: JsonObject, needsName: boolean, path: string): FieldError[] {
  const name = textAt(port, "name") ?? "";
  const number = numberAt(port, "port") ?? 0;
  const protocol = textAt(port, "protocol") ?? "";
  const appProtocol = textAt(port, "appProtocol");
  return [
    ...(needsName && name === "" ? [required(`${path}.name`)] : []),
    ...(name === "" ? [] : hold(checkLabel, name, `${path}.name`)),
    ...checkPortNumber(number).map((text) => invalid(`${path}.port`, number, text)),
    ...(protocol === "" ? [required(`${path}.protocol`)] : validateProtocol(protocol, `${path}.protocol`, protocols)),
    ...(appProtocol === undefined ? [] : hold(checkQualifiedName, appProtocol, `${path}.appProtocol`)),
  ];
}

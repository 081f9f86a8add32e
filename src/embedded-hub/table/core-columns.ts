import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, column, labelsText, nameColumn } from "./column.ts";
import { sinceText } from "../../core/human-duration.ts";

type Columns = readonly PrinterColumn[];

const none = "<none>";

export const configMapColumns: Columns = [
  nameColumn,
  column("Data", (object) => keyCount(object, "data") + keyCount(object, "binaryData")),
  ageColumn,
];

export const resourceQuotaColumns: Columns = [
  nameColumn,
  column("Request", (quota) => quotaText(quota, (name) => !name.startsWith("limits."))),
  column("Limit", (quota) => quotaText(quota, (name) => name.startsWith("limits."))),
  ageColumn,
];

export const secretColumns: Columns = [
  nameColumn,
  column("Type", (object) => textAt(object, "type") ?? ""),
  column("Data", (object) => keyCount(object, "data")),
  ageColumn,
];

export const serviceAccountColumns: Columns = [
  nameColumn,
  column("Secrets", (object) => objectsAt(object, "secrets").length),
  ageColumn,
];

export const namespaceColumns: Columns = [
  nameColumn,
  column("Status", (object) => textAt(object, "status", "phase") ?? ""),
  ageColumn,
];

export const nodeColumns: Columns = [
  nameColumn,
  column("Status", nodeStatus),
  column("Roles", (object) => nodeRoles(object).join(",") || none),
  ageColumn,
  column("Version", (object) => textAt(object, "status", "nodeInfo", "kubeletVersion") ?? ""),
  column("Internal-IP", (object) => nodeAddress(object, "InternalIP"), "wide"),
  column("External-IP", (object) => nodeAddress(object, "ExternalIP"), "wide"),
  column("OS-Image", (object) => nodeInfo(object, "osImage"), "wide"),
  column("Kernel-Version", (object) => nodeInfo(object, "kernelVersion"), "wide"),
  column("Container-Runtime", (object) => nodeInfo(object, "containerRuntimeVersion"), "wide"),
];

export const eventColumns: Columns = [
  column("Last Seen", lastSeen),
  column("Type", (object) => textAt(object, "type") ?? ""),
  column("Reason", (object) => textAt(object, "reason") ?? ""),
  column("Object", (object) => {
    const regarding = objectAt(object, "involvedObject") ?? objectAt(object, "regarding");
    const kind = (textAt(regarding, "kind") ?? "").toLowerCase();
    const name = textAt(regarding, "name") ?? "";
    return name === "" ? kind : `${kind}/${name}`;
  }),
  column(
    "Subobject",
    (object) => textAt(object, "involvedObject", "fieldPath") ?? textAt(object, "regarding", "fieldPath") ?? "",
    "wide",
  ),
  column("Source", eventSource, "wide"),
  column("Message", (object) => (textAt(object, "message") ?? textAt(object, "note") ?? "").trim()),
  column("First Seen", firstSeen, "wide"),
  column("Count", eventCount, "wide"),
  { ...nameColumn, priority: 1 },
];

export const serviceColumns: Columns = [
  nameColumn,
  column("Type", (object) => textAt(object, "spec", "type") ?? ""),
  column("Cluster-IP", (object) => textsAt(object, "spec", "clusterIPs")[0] ?? none),
  column("External-IP", externalAddress),
  column("Port(s)", (object) => objectsAt(object, "spec", "ports").map(portText).join(",") || none),
  ageColumn,
  column("Selector", (object) => labelsText(objectAt(object, "spec", "selector")), "wide"),
];

export const endpointsColumns: Columns = [nameColumn, column("Endpoints", endpointsText), ageColumn];

function keyCount(object: KubeObject, field: string): number {
  return Object.keys(objectAt(object, field) ?? {}).length;
}

function nodeStatus(object: KubeObject): string {
  const ready = objectsAt(object, "status", "conditions").find((one) => textAt(one, "type") === "Ready");
  const state = ready === undefined ? "Unknown" : textAt(ready, "status") === "True" ? "Ready" : "NotReady";
  return isTrueAt(object, "spec", "unschedulable") ? `${state},SchedulingDisabled` : state;
}

function nodeRoles({ metadata }: KubeObject): string[] {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.length > prefix.length ? [key.slice(prefix.length)] : [];
    return key === "kubernetes.io/role" && value !== "" ? [value] : [];
  });
  return [...new Set(roles)].sort();
}

function nodeAddress(object: KubeObject, type: string): string {
  const found = objectsAt(object, "status", "addresses").find((one) => textAt(one, "type") === type);
  return textAt(found, "address") ?? none;
}

function nodeInfo(object: KubeObject, field: string): string {
  const text = textAt(object, "status", "nodeInfo", field) ?? "";
  return text === "" ? "<unknown>" : text;
}

function firstSeen(object: KubeObject, nowMs: number): string {
  const first = textAt(object, "firstTimestamp") ?? textAt(object, "deprecatedFirstTimestamp");
  return sinceText(first ?? textAt(object, "eventTime"), nowMs);
}

function lastSeen(object: KubeObject, nowMs: number): string {
  const observed = textAt(object, "series", "lastObservedTime");
  const last = observed ?? textAt(object, "lastTimestamp") ?? textAt(object, "deprecatedLastTimestamp");
  return last === undefined ? firstSeen(object, nowMs) : sinceText(last, nowMs);
}

function eventCount(object: KubeObject): number {
  const count = numberAt(object, "series", "count") ?? numberAt(object, "count") ?? numberAt(object, "deprecatedCount");
  return count === undefined || count === 0 ? 1 : count;
}

function eventSource(object: KubeObject): string {
  const source = objectAt(object, "source") ?? objectAt(object, "deprecatedSource");
  const component =
    textAt(source, "component") ?? textAt(object, "reportingComponent") ?? textAt(object, "reportingController") ?? "";
  const host = textAt(source, "host") ?? textAt(object, "reportingInstance") ?? "";
  return host === "" ? component : `${component}, ${host}`;
}

function externalAddress(object: KubeObject): string {
  const external = textsAt(object, "spec", "externalIPs").join(",");
  switch (textAt(object, "spec", "type")) {
    case "LoadBalancer": {
      const balanced = objectsAt(object, "status", "loadBalancer", "ingress").map(
        (one) => textAt(one, "ip") ?? textAt(one, "hostname") ?? "",
      );
      const known = [...new Set(balanced.filter((one) => one !== ""))].sort();
      return [...known, ...(external === "" ? [] : [external])].join(",") || "<pending>";
    }
    case "ExternalName":
      return textAt(object, "spec", "externalName") ?? "";
    default:
      return external || none;
  }
}

/** `<name>: <used>/<hard>` of each amount. */
function quotaText(quota: KubeObject, isShown: (name: string) => boolean): string {
  const { hard = {}, used = {} } = objectAt(quota, "status") ?? {};
  const names = Object.keys(hard ?? {})
    .filter(isShown)
    .sort();
  return names.map((name) => `${name}: ${textAt(used, name) ?? "0"}/${textAt(hard, name) ?? "0"}`).join(", ");
}

function portText(port: object): string {
  const nodePort = numberAt(port, "nodePort") ?? 0;
  const number = `${numberAt(port, "port") ?? 0}${nodePort > 0 ? `:${nodePort}` : ""}`;
  return `${number}/${textAt(port, "protocol") ?? "TCP"}`;
}

function endpointsText(object: KubeObject): string {
  const subsets = objectsAt(object, "subsets");
  if (subsets.length === 0) return none;
  let count = 0;
  const texts = subsets.flatMap((subset) => {
    const addresses = objectsAt(subset, "addresses");
    const ports = objectsAt(subset, "ports");
    count += addresses.length * Math.max(1, ports.length);
    // Three are shown: all of them would be as many as the product of both.
    const ips = addresses.slice(0, 3).map((one) => textAt(one, "ip") ?? "");
    if (ports.length === 0) return ips;
    return ports
      .slice(0, 3)
      .flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberAt(port, "port") ?? 0}`));
  });
  const shown = texts.slice(0, 3).join(",");
  return count > 3 ? `${shown} + ${count - 3} more...` : shown;
}

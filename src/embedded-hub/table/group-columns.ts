import { humanDuration } from "../../core/human-duration.ts";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textMapAt, textsAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, column, firstThree, integerColumn, labelsText, nameColumn, selectorText } from "./column.ts";

type Columns = readonly PrinterColumn[];

function templateColumns(selectorCell: (object: KubeObject) => string): Columns {
  return [
    column("Containers", (object) => containerTexts(object, "name"), "wide"),
    column("Images", (object) => containerTexts(object, "image"), "wide"),
    column("Selector", selectorCell, "wide"),
  ];
}

const labelSelector = (object: KubeObject): string => selectorText(valueAt(object, "spec", "selector"));

export const deploymentColumns: Columns = [
  nameColumn,
  column("Ready", (object) => `${statusCount(object, "readyReplicas")}/${numberAt(object, "spec", "replicas") ?? 0}`),
  column("Up-to-date", (object) => statusCount(object, "updatedReplicas")),
  column("Available", (object) => statusCount(object, "availableReplicas")),
  ageColumn,
  ...templateColumns(labelSelector),
];

function replicaColumns(selectorCell: (object: KubeObject) => string): Columns {
  return [
    nameColumn,
    integerColumn("Desired", (object) => numberAt(object, "spec", "replicas") ?? 0),
    integerColumn("Current", (object) => statusCount(object, "replicas")),
    integerColumn("Ready", (object) => statusCount(object, "readyReplicas")),
    ageColumn,
    ...templateColumns(selectorCell),
  ];
}

export const replicaSetColumns: Columns = replicaColumns(labelSelector);
export const replicationControllerColumns: Columns = replicaColumns((object) =>
  labelsText(textMapAt(object, "spec", "selector")),
);

export const controllerRevisionColumns: Columns = [
  nameColumn,
  column("Controller", ({ metadata }) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined) return "<none>";
    const [group, version] = owner.apiVersion.split("/");
    return `${owner.kind}${version === undefined ? "" : `.${group}`}`.toLowerCase() + `/${owner.name}`;
  }),
  // It has 64 bits.
  column("Revision", ({ revision }) => (typeof revision === "bigint" ? revision : (numberAt(revision) ?? 0))),
  ageColumn,
];

export const leaseColumns: Columns = [
  nameColumn,
  column("Holder", (object) => textAt(object, "spec", "holderIdentity") ?? ""),
  ageColumn,
];

export const roleBindingColumns: Columns = [
  nameColumn,
  column("Role", (object) => `${textAt(object, "roleRef", "kind") ?? ""}/${textAt(object, "roleRef", "name") ?? ""}`),
  ageColumn,
  column("Users", (object) => subjectTexts(object, "User").join(", "), "wide"),
  column("Groups", (object) => subjectTexts(object, "Group").join(", "), "wide"),
  column("ServiceAccounts", (object) => subjectTexts(object, "ServiceAccount").join(", "), "wide"),
];

export const ingressColumns: Columns = [
  nameColumn,
  column("Class", (object) => textAt(object, "spec", "ingressClassName") ?? "<none>"),
  column("Hosts", ingressHosts),
  column("Address", ingressAddresses),
  column("Ports", (object) => (objectsAt(object, "spec", "tls").length > 0 ? "80, 443" : "80")),
  ageColumn,
];

export const ingressClassColumns: Columns = [
  nameColumn,
  column("Controller", (object) => textAt(object, "spec", "controller") ?? ""),
  column("Parameters", (object) => {
    const parameters = objectAt(object, "spec", "parameters");
    if (parameters === undefined) return "<none>";
    const group = textAt(parameters, "apiGroup");
    const kind = `${textAt(parameters, "kind") ?? ""}${group === undefined ? "" : `.${group}`}`;
    return `${kind}/${textAt(parameters, "name") ?? ""}`;
  }),
  ageColumn,
];

export const networkPolicyColumns: Columns = [
  nameColumn,
  column("Pod-Selector", (object) => selectorText(valueAt(object, "spec", "podSelector"))),
  ageColumn,
];

export const certificateRequestColumns: Columns = [
  nameColumn,
  ageColumn,
  column("SignerName", (object) => textAt(object, "spec", "signerName") ?? "<none>"),
  column("Requestor", (object) => textAt(object, "spec", "username") ?? ""),
  column("RequestedDuration", (object) => {
    const seconds = numberAt(object, "spec", "expirationSeconds");
    return seconds === undefined ? "<none>" : humanDuration(seconds * 1000);
  }),
  column("Condition", certificateState),
];

export const podDisruptionBudgetColumns: Columns = [
  nameColumn,
  column("Min Available", (object) => countText(valueAt(object, "spec", "minAvailable"))),
  column("Max Unavailable", (object) => countText(valueAt(object, "spec", "maxUnavailable"))),
  integerColumn("Allowed Disruptions", (object) => statusCount(object, "disruptionsAllowed")),
  ageColumn,
];

export const endpointSliceColumns: Columns = [
  nameColumn,
  column("AddressType", (object) => textAt(object, "addressType") ?? ""),
  column("Ports", (object) =>
    firstThree(objectsAt(object, "ports").map((port) => String(numberAt(port, "port") ?? textAt(port, "name") ?? "*"))),
  ),
  column("Endpoints", (object) =>
    firstThree(objectsAt(object, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses"))),
  ),
  ageColumn,
];

export const priorityClassColumns: Columns = [
  nameColumn,
  integerColumn("Value", (object) => numberAt(object, "value") ?? 0),
  { ...column("Global-Default", (object) => isTrueAt(object, "globalDefault")), type: "boolean" },
  ageColumn,
  column("PreemptionPolicy", (object) => textAt(object, "preemptionPolicy") ?? ""),
];

export const runtimeClassColumns: Columns = [
  nameColumn,
  column("Handler", (object) => textAt(object, "handler") ?? ""),
  ageColumn,
];

export const admissionPolicyColumns: Columns = [
  nameColumn,
  integerColumn("Validations", (object) => objectsAt(object, "spec", "validations").length),
  column("ParamKind", (object) => {
    const kind = objectAt(object, "spec", "paramKind");
    return kind === undefined ? "<unset>" : `${textAt(kind, "apiVersion") ?? ""}/${textAt(kind, "kind") ?? ""}`;
  }),
  ageColumn,
];

export const admissionPolicyBindingColumns: Columns = [
  nameColumn,
  column("PolicyName", (object) => textAt(object, "spec", "policyName") ?? ""),
  column("ParamRef", (object) => {
    const reference = objectAt(object, "spec", "paramRef");
    const name = textAt(reference, "name");
    if (name === undefined) return "<unset>";
    return `${textAt(reference, "namespace") ?? "*"}/${name}`;
  }),
  ageColumn,
];

/** Of both kinds of webhook configurations. */
export const webhookColumns: Columns = [
  nameColumn,
  integerColumn("Webhooks", (object) => objectsAt(object, "webhooks").length),
  ageColumn,
];

/** CustomResourceDefinitions themselves. */
export const crdColumns: Columns = [
  nameColumn,
  {
    name: "Created At",
    type: "date",
    priority: 0,
    cell: (object) => object.metadata.creationTimestamp ?? null,
  },
];

export const apiServiceColumns: Columns = [
  nameColumn,
  column("Service", () => "Local"),
  column("Available", (object) => {
    const available = objectsAt(object, "status", "conditions").find(({ type }) => type === "Available");
    const [status = "Unknown", reason = ""] = [textAt(available, "status"), textAt(available, "reason")];
    return status === "True" || reason === "" ? status : `${status} (${reason})`;
  }),
  ageColumn,
];

export const podTemplateColumns: Columns = [
  nameColumn,
  column("Containers", (object) => textsOfContainers(objectsAt(object, "template", "spec", "containers"), "name")),
  column("Images", (object) => textsOfContainers(objectsAt(object, "template", "spec", "containers"), "image")),
  column("Pod Labels", (object) => labelsText(textMapAt(object, "template", "metadata", "labels"))),
];

function statusCount(object: KubeObject, field: string): number {
  return numberAt(object, "status", field) ?? 0;
}

function containerTexts(object: KubeObject, field: "name" | "image"): string {
  return textsOfContainers(objectsAt(object, "spec", "template", "spec", "containers"), field);
}

function textsOfContainers(containers: readonly JsonObject[], field: "name" | "image"): string {
  return containers.map((container) => textAt(container, field) ?? "").join(",");
}

function subjectTexts(object: KubeObject, kind: string): string[] {
  return objectsAt(object, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) => {
      const name = textAt(subject, "name") ?? "";
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace") ?? ""}/${name}` : name;
    });
}

function ingressHosts(object: KubeObject): string {
  const rules = objectsAt(object, "spec", "rules");
  const hosts = rules.map((rule) => textAt(rule, "host") ?? "").filter((host) => host !== "");
  if (hosts.length === 0) return "*";
  const shown = hosts.slice(0, 3).join(",");
  return hosts.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown;
}

function ingressAddresses(object: KubeObject): string {
  const addresses = objectsAt(object, "status", "loadBalancer", "ingress").map(
    (one) => textAt(one, "ip") ?? textAt(one, "hostname") ?? "",
  );
  return [...new Set(addresses.filter((one) => one !== ""))].sort().join(",");
}

function countText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "N/A";
}

function certificateState(request: KubeObject): string {
  const types = new Set(objectsAt(request, "status", "conditions").map((condition) => condition["type"]));
  const decision = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  const isIssued = (textAt(request, "status", "certificate") ?? "") !== "";
  return [decision, ...(types.has("Failed") ? ["Failed"] : []), ...(isIssued ? ["Issued"] : [])].join(",");
}

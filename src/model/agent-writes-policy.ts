import { resourceTypes } from "./resource-types.ts";
import { validatingPolicy } from "./validating-policy.ts";
import { labelKeys } from "./well-known.ts";
import { workspaceSelector } from "./workspace-selector.ts";

/** Bounds of an object that an agent writes: entries of each list or map, and characters of each text. */
const most = { entries: 32, managers: 64, text: 1024 };

/** What an object of `metadata` had before the request; `none` when it did not exist. */
const before = (field: string, none: string): string =>
  `(request.operation == 'CREATE' || !has(oldObject.metadata.${field}) ? ${none} : oldObject.metadata.${field})`;
const now = (field: string, none: string): string =>
  `(has(object.metadata.${field}) ? object.metadata.${field} : ${none})`;

function isUnchangedOr(field: string, none: string, bounded: string): string {
  return `variables.${field} == ${before(field, none)} || (${bounded})`;
}

const metadataVariables = [
  { name: "labels", expression: now("labels", "{}") },
  { name: "annotations", expression: now("annotations", "{}") },
  { name: "finalizers", expression: now("finalizers", "[]") },
  { name: "ownerReferences", expression: now("ownerReferences", "[]") },
];

const annotationsRule = {
  expression: isUnchangedOr(
    "annotations",
    "{}",
    `size(variables.annotations) <= ${most.entries} && ` +
      `variables.annotations.all(key, size(variables.annotations[key]) <= ${most.text})`,
  ),
  message: `an agent's object may have ${most.entries} annotations of ${most.text} characters each`,
  reason: "Forbidden",
};

const leaseTexts = ["holderIdentity", "strategy", "preferredHolder"]
  .map((field) => `(!has(object.spec.${field}) || size(object.spec.${field}) <= ${most.text})`)
  .join(" && ");

/**
 * Bounds what the accounts of a workspace, which are those of its agents and tokens, write to Leases, reports and requests. The
 * API server itself bounds neither the number of labels nor the text of a Lease, so an agent could fill the hub's database with
 * objects of 1.5 MiB, each of which the daemon reads. The schemas of reports and requests bound the rest.
 *
 * What another user wrote there is not checked again with each heartbeat.
 */
const workspaceWritesPolicy = validatingPolicy("rollcall-agent-writes", {
  matchConstraints: {
    namespaceSelector: workspaceSelector,
    resourceRules: [
      {
        apiGroups: ["coordination.k8s.io"],
        apiVersions: ["*"],
        operations: ["CREATE", "UPDATE"],
        resources: ["leases"],
      },
      {
        apiGroups: ["rollcall.dev"],
        apiVersions: ["*"],
        operations: ["CREATE", "UPDATE"],
        resources: ["clusterreports", "clusterregistrations"],
      },
    ],
  },
  matchConditions: [
    {
      name: "by-an-account-of-the-workspace",
      expression: "request.userInfo.username.startsWith('system:serviceaccount:' + request.namespace + ':')",
    },
  ],
  variables: [
    ...metadataVariables,
    {
      name: "managers",
      expression: `has(object.metadata.managedFields) ? size(object.metadata.managedFields) : 0`,
    },
  ],
  validations: [
    {
      expression: isUnchangedOr("labels", "{}", `size(variables.labels) <= ${most.entries}`),
      message: `an agent's object may have ${most.entries} labels`,
      reason: "Forbidden",
    },
    annotationsRule,
    {
      expression: isUnchangedOr("finalizers", "[]", `size(variables.finalizers) == 0`),
      message: "an agent may set no finalizers",
      reason: "Forbidden",
    },
    {
      expression: isUnchangedOr("ownerReferences", "[]", `size(variables.ownerReferences) == 0`),
      message: "an agent may set no owners",
      reason: "Forbidden",
    },
    {
      expression: `variables.managers <= ${most.managers} || (request.operation == 'UPDATE' && has(oldObject.metadata.managedFields) && variables.managers <= size(oldObject.metadata.managedFields))`,
      message: `an agent's object may have ${most.managers} entries of managed fields`,
      reason: "Forbidden",
    },
    {
      expression: `request.resource.resource != 'leases' || !has(object.spec) || (${leaseTexts})`,
      message: `a text of an agent's Lease may have ${most.text} characters`,
      reason: "Forbidden",
    },
  ],
});

/** Texts of an Event that its sender chooses, by the place in the Event; empty: the Event itself. */
const eventTexts: Readonly<Record<string, readonly string[]>> = {
  "": ["message", "reason", "type", "action", "reportingComponent", "reportingInstance"],
  ".source": ["component", "host"],
  ".involvedObject": ["kind", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"],
  ".related": ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"],
};
const hasShortTexts = Object.entries(eventTexts)
  .map(([place, fields]) => {
    const texts = fields.map((field) => {
      const text = `object${place}.${field}`;
      return `(!has(${text}) || size(${text}) <= ${most.text})`;
    });
    return place === "" ? texts.join(" && ") : `(!has(object${place}) || (${texts.join(" && ")}))`;
  })
  .join(" && ");

/**
 * The same for the namespaces of clusters of other projects: a KubeFleet agent makes Events in its own, and updates its Works
 * there. Events stay on the hub for an hour, and have no bound of their own. A Work may have the finalizer of its agent.
 */
const homeWritesPolicy = validatingPolicy("rollcall-agent-writes-home", {
  matchConstraints: {
    namespaceSelector: { matchExpressions: [{ key: labelKeys.ownerWorkspace, operator: "Exists" }] },
    resourceRules: [
      { apiGroups: [""], apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources: ["events"] },
      { apiGroups: [resourceTypes.work.group], apiVersions: ["*"], operations: ["UPDATE"], resources: ["works"] },
    ],
  },
  matchConditions: [
    {
      name: "by-an-account",
      // The controllers of Kubernetes itself have accounts, too.
      expression:
        "request.userInfo.username.startsWith('system:serviceaccount:') && " +
        "!request.userInfo.username.startsWith('system:serviceaccount:kube-system:')",
    },
  ],
  variables: metadataVariables,
  validations: [
    ...["labels", "finalizers", "ownerReferences"].map((field) => ({
      expression: isUnchangedOr(field, field === "labels" ? "{}" : "[]", `size(variables.${field}) <= ${most.entries}`),
      message: `an agent's object may have ${most.entries} ${field}`,
      reason: "Forbidden",
    })),
    annotationsRule,
    {
      expression:
        "request.resource.resource != 'events' || " +
        `((${isUnchangedOr("finalizers", "[]", "size(variables.finalizers) == 0")}) && ` +
        `(${isUnchangedOr("ownerReferences", "[]", "size(variables.ownerReferences) == 0")}))`,
      message: "an agent's Event may have no finalizers and no owners",
      reason: "Forbidden",
    },
    {
      expression: `request.resource.resource != 'events' || (${hasShortTexts})`,
      message: `a text of an agent's Event may have ${most.text} characters`,
      reason: "Forbidden",
    },
  ],
});

export const agentWritesPolicy = [...workspaceWritesPolicy, ...homeWritesPolicy];

import { validatingPolicy } from "./validating-policy.ts";
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
export const agentWritesPolicy = validatingPolicy("rollcall-agent-writes", {
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
    { name: "labels", expression: now("labels", "{}") },
    { name: "annotations", expression: now("annotations", "{}") },
    { name: "finalizers", expression: now("finalizers", "[]") },
    { name: "ownerReferences", expression: now("ownerReferences", "[]") },
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
    {
      expression: isUnchangedOr(
        "annotations",
        "{}",
        `size(variables.annotations) <= ${most.entries} && ` +
          `variables.annotations.all(key, size(variables.annotations[key]) <= ${most.text})`,
      ),
      message: `an agent's object may have ${most.entries} annotations of ${most.text} characters each`,
      reason: "Forbidden",
    },
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

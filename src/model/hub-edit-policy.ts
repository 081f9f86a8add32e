import type { Json } from "../core/json.ts";
import { validatingPolicy } from "./validating-policy.ts";
import { annotationKeys, fieldManagers, labelKeys } from "./well-known.ts";
import { workspaceSelector } from "./workspace-selector.ts";

/** Kinds that files declare, by group; `memberclusters` has no namespace. */
const declaredKinds: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ["rollcall.dev", ["clusters", "clusterregistrationtokens", "clustergroups"]],
  ["fleet.cattle.io", ["clusters", "clusterregistrationtokens", "clustergroups"]],
  ["cluster.kubernetes-fleet.io", ["memberclusters"]],
  ["clusters.clusternet.io", ["managedclusters"]],
];

/** The rules of an admission policy for writes of the kinds that files declare; not for writes of their statuses. */
export function declaredResourceRules(...operations: readonly ("CREATE" | "UPDATE" | "DELETE")[]): readonly Json[] {
  return declaredKinds.map(([group, resources]) => ({
    apiGroups: [group],
    apiVersions: ["*"],
    operations: [...operations],
    resources: [...resources],
  }));
}

/** Kubernetes itself, agents (their accounts live in the object's namespace), and whatever writes as Rollcall. */
const isPerson = [
  "!request.userInfo.username.startsWith('system:serviceaccount:kube-system:')",
  "!(request.userInfo.username in ['system:kube-controller-manager', 'system:apiserver'])",
  // A request for an object without a namespace has no such field.
  "!has(request.namespace) || !request.userInfo.username.startsWith('system:serviceaccount:' + request.namespace + ':')",
  `!(has(request.options) && has(request.options.fieldManager) && request.options.fieldManager in [${Object.values(
    fieldManagers,
  )
    .map((manager) => `'${manager}'`)
    .join(", ")}])`,
]
  .map((condition) => `(${condition})`)
  .join(" && ");

/** Labels of `object` or `oldObject`. */
const labelsOf = (object: string): string => `(has(${object}.metadata.labels) ? ${object}.metadata.labels : {})`;
/** A file declares it, or a Cluster or token of a file owns it. */
const isDeclared = [labelKeys.repository, labelKeys.cluster, labelKeys.token]
  .map((key) => `'${key}' in variables.labelsBefore`)
  .join(" || ");

const source = `variables.annotations['${annotationKeys.sourceFile}']`;
const inGit =
  `variables.object + ' is declared in git' + ` +
  `('${annotationKeys.sourceFile}' in variables.annotations ? ' (' + ${source} + ')' : '')`;

/** The policy cannot read the Repository, so its message names the Repository. Its `policy` is for no deletions. */
const orByPolicy = " (a Repository with spec.onHubObjects does this itself)";
const orByDeletions = " (a Repository with spec.onHubObjects[].deletions does this itself)";

/**
 * Warns a user who writes a declared kind of a workspace manually, at the prompt: an object without a file is not
 * served, and an object with a file is created again or reverted. It never refuses. Writes of statuses and annotations
 * have no warning.
 *
 * The daemon's own deletions are warned of too, since a deletion has no field manager; no user reads these.
 */
export const hubEditPolicy = validatingPolicy(
  "rollcall-hub-edits",
  {
    matchConstraints: {
      namespaceSelector: workspaceSelector,
      resourceRules: declaredResourceRules("CREATE", "UPDATE", "DELETE"),
    },
    matchConditions: [{ name: "by-a-person", expression: isPerson }],
    variables: [
      { name: "seen", expression: "request.operation == 'DELETE' ? oldObject : object" },
      {
        name: "object",
        expression:
          "request.kind.kind + ' ' + (has(request.namespace) && request.namespace != '' ? request.namespace + '/' : '') + request.name",
      },
      {
        name: "labelsBefore",
        expression: `request.operation == 'CREATE' ? {} : ${labelsOf("oldObject")}`,
      },
      {
        name: "annotations",
        expression: "has(variables.seen.metadata.annotations) ? variables.seen.metadata.annotations : {}",
      },
      { name: "isDeclared", expression: isDeclared },
      {
        name: "isChanged",
        expression:
          `request.operation == 'UPDATE' && (${labelsOf("object")} != variables.labelsBefore || ` +
          "(has(object.spec) != has(oldObject.spec)) || (has(object.spec) && object.spec != oldObject.spec))",
      },
    ],
    validations: [
      {
        expression: "request.operation != 'CREATE'",
        messageExpression:
          "variables.object + ' is not in git: it is served only when a file declares it. Push one with the annotation " +
          `${annotationKeys.adopt}: "true"${orByPolicy}, or delete it.'`,
      },
      {
        expression: "!variables.isChanged || !variables.isDeclared",
        messageExpression: `${inGit} + ', which decides. Change the file and push${orByPolicy}.'`,
      },
      {
        expression: "!variables.isChanged || variables.isDeclared",
        messageExpression: "variables.object + ' is not in git: it is served only when a file declares it.'",
      },
      {
        expression: "request.operation != 'DELETE' || !variables.isDeclared",
        messageExpression: `${inGit} + ', so it is created again. To remove it, delete it there and push${orByDeletions}.'`,
      },
    ],
  },
  "Warn",
);

import type { KubeObject } from "../kubernetes.ts";
import { validatingPolicy } from "../validating-policy.ts";
import { labelKeys } from "../well-known.ts";
import { withinBounds, withoutHolds } from "./request-holds.ts";
import { fleetClusterRoles, fleetKeys, fleetRegistrationNamespace, fleetSystemNamespace } from "./fleet.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const labels = { "app.kubernetes.io/part-of": "rollcall" };

const tokenLabel = `object.metadata.labels['${fleetKeys.registrationToken}']`;
const hasTokenLabel =
  `(has(object.metadata.labels) && '${fleetKeys.registrationToken}' in object.metadata.labels && ` +
  `${tokenLabel} != '')`;
/** Agents of 0.15 have no label of their own for it: our values make them report it among those of their cluster. */
const proposed = "object.spec.clusterLabels";
const proposesToken = `(has(object.spec) && has(${proposed}) && '${labelKeys.token}' in ${proposed})`;
const accounts = "('system:serviceaccount:' + request.namespace + ':')";

/** A dash and a uid. A longer token's name continues in another way, and may be as long with its digest. */
const wholeUid = "^-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
/** A dash and the beginning of a uid: a longer token's name that begins with the same text continues in another way. */
const startOfUid = "^-([0-9a-f]{0,8}|[0-9a-f]{8}(-[0-9a-f]{4}){0,3}-[0-9a-f]{0,12})$";

/**
 * An account may ask only by its own token: the name of a token's account is the token's, a dash and a uid, with a digest in
 * place of all after the first 56 characters where that is too long; that of the token made for one cluster alone is its name.
 * No request may hold itself.
 */
const registrationPolicy = validatingPolicy("rollcall-fleet-registrations", {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: ["fleet.cattle.io"],
        apiVersions: ["*"],
        operations: ["CREATE"],
        resources: ["clusterregistrations"],
      },
    ],
  },
  matchConditions: [
    { name: "by-an-account", expression: "request.userInfo.username.startsWith('system:serviceaccount:')" },
  ],
  variables: [
    { name: "token", expression: `${hasTokenLabel} ? ${tokenLabel} : ${proposed}['${labelKeys.token}']` },
    { name: "account", expression: "request.userInfo.username" },
    { name: "start", expression: `${accounts} + variables.token` },
  ],
  validations: [
    withoutHolds,
    withinBounds,
    {
      expression:
        `!(${hasTokenLabel} || ${proposesToken}) || variables.account == variables.start || ` +
        `(variables.account.startsWith(variables.start + '-') && variables.account.substring(variables.start.size()).matches('${wholeUid}')) || ` +
        `(variables.token.size() > 26 && variables.account.size() == ${accounts}.size() + 63 && ` +
        `variables.account.startsWith(${accounts} + (variables.token.size() > 56 ? variables.token.substring(0, 56) : variables.token)) && ` +
        `(variables.token.size() > 55 || variables.account.substring(variables.start.size(), ${accounts}.size() + 56).matches('${startOfUid}')))`,
      message: `${fleetKeys.registrationToken}, or ${labelKeys.token} of the cluster, must name the token that is asked by`,
      reason: "Forbidden",
    },
  ],
});

const namespaceIn = (object: string): string =>
  `has(${object}.status) && has(${object}.status.namespace) ? ${object}.status.namespace : ''`;

/**
 * An agent reports in the status of its Cluster. The namespace there is the hub's: what is to be deployed to the cluster is put
 * into it, so an agent that named another one would have its own content deployed to another cluster. Fleet's own controllers
 * read it like that, too, and grant an agent the same right.
 */
export const fleetClusterPolicy = validatingPolicy("rollcall-fleet-clusters", {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: ["fleet.cattle.io"],
        apiVersions: ["*"],
        operations: ["UPDATE"],
        resources: ["clusters/status"],
      },
    ],
  },
  matchConditions: [
    // Accounts of agents are named after their requests, those that Fleet's own controllers made, too.
    {
      name: "by-an-agent",
      expression: "request.userInfo.username.matches('^system:serviceaccount:[^:]+:request-')",
    },
  ],
  validations: [
    {
      expression: `(${namespaceIn("object")}) == (${namespaceIn("oldObject")})`,
      message: "an agent may not change the namespace of its cluster",
      reason: "Forbidden",
    },
  ],
});

/**
 * What a hub needs once to serve Fleet's agents: two namespaces, the rights that every agent is bound to, and the policies that
 * prove by which token an agent asks and hold it to its own namespace. A hub that has the first already, by Fleet's own
 * controllers, keeps its own.
 */
export const fleetHubObjects: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: fleetSystemNamespace, labels } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: fleetRegistrationNamespace, labels } },
  {
    apiVersion: rbac,
    kind: "ClusterRole",
    metadata: { name: fleetClusterRoles.bundleDeployment, labels },
    rules: [
      { apiGroups: ["fleet.cattle.io"], resources: ["bundledeployments"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["fleet.cattle.io"], resources: ["bundledeployments/status"], verbs: ["update", "patch"] },
      { apiGroups: [""], resources: ["secrets", "configmaps"], verbs: ["get"] },
    ],
  },
  {
    apiVersion: rbac,
    kind: "ClusterRole",
    metadata: { name: fleetClusterRoles.content, labels },
    rules: [{ apiGroups: ["fleet.cattle.io"], resources: ["contents"], verbs: ["get"] }],
  },
  ...registrationPolicy,
  ...fleetClusterPolicy,
];

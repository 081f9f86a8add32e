import type { KubeObject } from "../kubernetes.ts";
import { validatingPolicy } from "../validating-policy.ts";
import {
  clusternetAccountPrefixes,
  clusternetClusterRoles,
  clusternetTokenLabels,
  clusternetGroup,
  clusternetNodeLabelPrefix,
} from "./clusternet.ts";
import { withinBounds, withoutHolds } from "./request-holds.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const labels = { "app.kubernetes.io/part-of": "rollcall" };

const flags = (workspace: string): string => `--cluster-labels=${clusternetTokenLabels.workspace}=${workspace}`;
const accounts = "'system:serviceaccount:' + variables.workspace + ':'";
/** As Clusternet's approver names accounts, in a namespace of the cluster; ours have a dot. */
const formerAccounts = "^system:serviceaccount:[^:]+:clusternet-[a-z0-9]+$";
const tokenAccounts = "^system:serviceaccount:[^:.]+:clusternet[.][^:.]+[.][^:.]+$";
const tokenGroups = "system:bootstrappers:clusternet:";
const labelOrEmpty = (key: string): string =>
  `has(object.spec.clusterLabels) && '${key}' in object.spec.clusterLabels ? object.spec.clusterLabels['${key}'] : ''`;

/**
 * An account may ask only as the cluster that it was made for, in its own workspace, under the name that the request's id
 * gives it. The holder of one token's credential can neither ask as another cluster nor take the name of its request. An
 * agent that Clusternet's own approver admitted asks at each start with the account that it has from there, and names no
 * workspace: it finds its request answered already, and a request that it makes anew admits no cluster.
 */
const requestPolicy = validatingPolicy("rollcall-clusternet-requests", {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [clusternetGroup],
        apiVersions: ["*"],
        operations: ["CREATE"],
        resources: ["clusterregistrationrequests"],
      },
    ],
  },
  matchConditions: [
    {
      name: "by-an-agent",
      expression:
        "request.userInfo.username.startsWith('system:serviceaccount:') || " +
        "request.userInfo.username.startsWith('system:bootstrap:')",
    },
  ],
  variables: [
    { name: "account", expression: "request.userInfo.username" },
    { name: "workspace", expression: labelOrEmpty(clusternetTokenLabels.workspace) },
    { name: "token", expression: labelOrEmpty(clusternetTokenLabels.token) },
    { name: "cluster", expression: "has(object.spec.clusterName) ? object.spec.clusterName : ''" },
    { name: "dotted", expression: "variables.token == '' ? '' : variables.token + '.'" },
    {
      name: "tokenAccount",
      expression: `${accounts} + '${clusternetAccountPrefixes.token}' + variables.dotted + variables.cluster`,
    },
    { name: "agent", expression: `${accounts} + '${clusternetAccountPrefixes.agent}' + object.spec.clusterId` },
    { name: "former", expression: `variables.workspace == '' && variables.account.matches('${formerAccounts}')` },
    {
      name: "group",
      expression:
        "'system:bootstrappers:clusternet:' + variables.workspace + ':' + variables.token + ':' + variables.cluster",
    },
    // What the credential is for, as [workspace, token, cluster]; empty for others.
    {
      name: "tokenGroups",
      expression: `request.userInfo.groups.filter(group, group.startsWith('${tokenGroups}'))`,
    },
    {
      name: "own",
      expression:
        `variables.account.matches('${tokenAccounts}') ? ` +
        "variables.account.substring(22).replace(':clusternet.', ':').replace('.', ':').split(':') : " +
        `variables.tokenGroups.size() == 1 ? variables.tokenGroups[0].substring(${tokenGroups.length}).split(':') : []`,
    },
  ],
  validations: [
    withoutHolds,
    withinBounds,
    {
      expression: "object.metadata.name == 'clusternet-' + object.spec.clusterId",
      message: "the request must be named clusternet-<spec.clusterId>",
      reason: "Forbidden",
    },
    {
      expression: "variables.cluster.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
      message: "start the agent with --cluster-reg-name=<name of the cluster>",
      reason: "Forbidden",
    },
    {
      expression:
        "variables.account == variables.tokenAccount || variables.account == variables.agent || " +
        "variables.group in request.userInfo.groups || variables.former",
      messageExpression:
        "'this credential is not for cluster ' + variables.cluster + ' of workspace ' + variables.workspace + " +
        "': start the agent with ' + (variables.own.size() == 3 ? " +
        `'--cluster-reg-name=' + variables.own[2] + ' ${flags("' + variables.own[0] + '")},` +
        `${clusternetTokenLabels.token}=' + variables.own[1] + ' (extraArgs in the values of its token)' : ` +
        `'the flags that its token has, among them ${flags("<workspace>")}')`,
      reason: "Forbidden",
    },
  ],
});

/** Of a ManagedCluster, those of its nodes among them. An API server itself allows 1.5 MiB of them. */
const mostLabels = 256;
const isOfNodes = `key.startsWith('${clusternetNodeLabelPrefix}')`;
const keepsLabels = (one: string, other: string): string =>
  `${one}.all(key, ${isOfNodes} || (key in ${other} && ${other}[key] == ${one}[key]))`;
const labelsOf = (object: string): string =>
  `has(${object}.metadata.labels) ? ${object}.metadata.labels : {'${clusternetNodeLabelPrefix}none': ''}`;
const same = (field: string): string =>
  `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && ` +
  `(!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`;

/**
 * An agent must be able to patch its ManagedCluster to give it labels of its nodes. It may change nothing else: by other
 * labels Clusternet's scheduler selects what a cluster gets.
 */
const clusterPolicy = validatingPolicy("rollcall-clusternet-clusters", {
  matchConstraints: {
    resourceRules: [
      { apiGroups: [clusternetGroup], apiVersions: ["*"], operations: ["UPDATE"], resources: ["managedclusters"] },
    ],
  },
  matchConditions: [
    {
      name: "by-an-agent",
      expression:
        "request.userInfo.username.startsWith('system:serviceaccount:') && " +
        `request.userInfo.username.contains(':${clusternetAccountPrefixes.agent}')`,
    },
  ],
  variables: [
    { name: "now", expression: labelsOf("object") },
    { name: "before", expression: labelsOf("oldObject") },
  ],
  validations: [
    {
      expression: `object.spec == oldObject.spec && ${["annotations", "finalizers", "ownerReferences"].map(same).join(" && ")}`,
      message: "an agent may change the labels of its nodes at its ManagedCluster only",
      reason: "Forbidden",
    },
    {
      expression: `${keepsLabels("variables.now", "variables.before")} && ${keepsLabels("variables.before", "variables.now")}`,
      message: `labels without the prefix ${clusternetNodeLabelPrefix} are not the agent's to change`,
      reason: "Forbidden",
    },
    {
      expression: `variables.now.size() <= ${mostLabels} || variables.now.size() <= variables.before.size()`,
      message: `a ManagedCluster may have ${mostLabels} labels`,
      reason: "Forbidden",
    },
  ],
});

/**
 * What a hub needs once to serve Clusternet's agents: the rights that every agent and every token credential is bound to,
 * as an audit log shows that they use them, and the policies that hold each to its own cluster.
 */
export const clusternetHubObjects: readonly KubeObject[] = [
  {
    apiVersion: rbac,
    kind: "ClusterRole",
    metadata: { name: clusternetClusterRoles.agent, labels },
    rules: [
      { apiGroups: [clusternetGroup], resources: ["managedclusters"], verbs: ["get", "list", "patch"] },
      { apiGroups: [clusternetGroup], resources: ["managedclusters/status"], verbs: ["update"] },
    ],
  },
  {
    apiVersion: rbac,
    kind: "ClusterRole",
    metadata: { name: clusternetClusterRoles.request, labels },
    rules: [{ apiGroups: [clusternetGroup], resources: ["clusterregistrationrequests"], verbs: ["create"] }],
  },
  ...requestPolicy,
  ...clusterPolicy,
];

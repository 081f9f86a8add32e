import type { PolicyRule } from "../join/rollcall/manifests/agent-rights.ts";
import { clusterRights, namespaceRights } from "../join/rollcall/manifests/agent-rights.ts";
import { managedByLabels, renderManifest } from "../join/rollcall/manifests/agent-manifest.ts";
import { agentNames } from "../model/dialects/rollcall.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";

/** Namespace, account and Secret that the hub's kubeconfig of a cluster is made of. */
export const installerName = "rollcall-installer";

const rbac = "rbac.authorization.k8s.io";
const labels = { ...managedByLabels, "app.kubernetes.io/name": installerName };

/**
 * The least objects in a cluster that let the hub install and remove the agent: rights on each object of the
 * installation by name, and the agent's own rights, since an API server refuses a grant of rights that the granting
 * user does not hold. The agent's namespace is among them: rights in it cannot be given before it exists. It is deleted
 * with the agent, together with these rights.
 */
export function installerObjects(agentNamespace: string): KubeObject[] {
  const account = { name: installerName, namespace: installerName };
  const clusterName = `${installerName}.${agentNamespace}`;
  const agentSpace = { name: installerName, namespace: agentNamespace };
  const subjects = [{ kind: "ServiceAccount", ...account }];
  const rules = installRules(agentNamespace);
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: installerName, labels } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: agentNamespace, labels: { ...managedByLabels } } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...account, labels } },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: clusterName, labels },
      rules: [...rules.cluster, ...clusterRights(agentNamespace).map(withoutReason)],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: clusterName, labels },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: clusterName },
      subjects,
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { ...agentSpace, labels },
      rules: [...rules.namespaced, ...namespaceRights().map(withoutReason)],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { ...agentSpace, labels },
      roleRef: { apiGroup: rbac, kind: "Role", name: installerName },
      subjects,
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...account, labels, annotations: { "kubernetes.io/service-account.name": installerName } },
      type: "kubernetes.io/service-account-token",
    },
  ];
}

/** The objects of an installation by name; apply is `patch`, and `create` where there is none. */
function installRules(agentNamespace: string): { readonly cluster: PolicyRule[]; readonly namespaced: PolicyRule[] } {
  const manifest = renderManifest({ namespace: agentNamespace, image: "any", settings: {}, deadlineSeconds: 1 });
  const refs = [
    ...manifest.objects.flatMap((object) => {
      const type = resourceTypeOf(object);
      return type ? [refOf(type, object)] : [];
    }),
    { type: resourceTypes.secret, namespace: agentNamespace, name: agentNames.values },
  ];
  const rule = ({ type, name }: { readonly type: ResourceType; readonly name: string }): PolicyRule => ({
    apiGroups: [type.group],
    resources: [type.plural],
    resourceNames: [name],
    verbs: ["get", "create", "patch", "delete"],
  });
  return {
    cluster: refs.filter(({ type }) => !type.isNamespaced).map(rule),
    namespaced: refs.filter(({ type }) => type.isNamespaced).map(rule),
  };
}

function withoutReason({ why: _, ...rule }: PolicyRule & { readonly why: string }): PolicyRule {
  return rule;
}

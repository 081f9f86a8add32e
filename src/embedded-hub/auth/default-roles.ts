import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { defaultClusterRoles } from "./default-cluster-roles.ts";
import { defaultControllerRoles } from "./default-controller-roles.ts";
import type { DefaultRole } from "./default-role.ts";

/** `<name> <role> <subjects>`; a subject is `user:<name>`, `group:<name>` or `account:<name>` (in kube-system). */
const clusterRoleBindings: readonly string[] = [
  "cluster-admin cluster-admin group:system:masters",
  "system:basic-user system:basic-user group:system:authenticated",
  "system:discovery system:discovery group:system:authenticated",
  "system:kube-controller-manager system:kube-controller-manager user:system:kube-controller-manager",
  "system:kube-dns system:kube-dns account:kube-dns",
  "system:kube-scheduler system:kube-scheduler user:system:kube-scheduler",
  "system:monitoring system:monitoring group:system:monitoring",
  "system:node system:node",
  "system:node-proxier system:node-proxier user:system:kube-proxy",
  "system:public-info-viewer system:public-info-viewer group:system:authenticated group:system:unauthenticated",
  "system:service-account-issuer-discovery system:service-account-issuer-discovery group:system:serviceaccounts",
  "system:volume-scheduler system:volume-scheduler user:system:kube-scheduler",
];

const namespacedRoles: readonly (DefaultRole & { readonly namespace: string })[] = [
  {
    namespace: "kube-public",
    name: "system:controller:bootstrap-signer",
    rules: [
      "get,list,watch core configmaps",
      "update core configmaps cluster-info",
      "create,patch,update core,events.k8s.io events",
    ],
  },
  {
    namespace: "kube-system",
    name: "extension-apiserver-authentication-reader",
    rules: ["get,list,watch core configmaps extension-apiserver-authentication"],
  },
  ...["kube-controller-manager", "kube-scheduler"].map((component) => ({
    namespace: "kube-system",
    name: `system::leader-locking-${component}`,
    rules: [
      "watch core configmaps",
      `get,update core configmaps ${component}`,
      "create,get,list,update,watch coordination.k8s.io leases",
      "create,get,list,update,watch coordination.k8s.io leasecandidates",
    ],
  })),
  { namespace: "kube-system", name: "system:controller:bootstrap-signer", rules: ["get,list,watch core secrets"] },
  {
    namespace: "kube-system",
    name: "system:controller:cloud-provider",
    rules: ["create,get,list,watch core configmaps"],
  },
  {
    namespace: "kube-system",
    name: "system:controller:token-cleaner",
    rules: ["delete,get,list,watch core secrets", "create,patch,update core,events.k8s.io events"],
  },
];

const roleBindings: readonly (readonly [namespace: string, binding: string])[] = [
  ["kube-public", "system:controller:bootstrap-signer system:controller:bootstrap-signer account:bootstrap-signer"],
  [
    "kube-system",
    "system::extension-apiserver-authentication-reader extension-apiserver-authentication-reader " +
      "user:system:kube-controller-manager user:system:kube-scheduler",
  ],
  [
    "kube-system",
    "system::leader-locking-kube-controller-manager system::leader-locking-kube-controller-manager " +
      "user:system:kube-controller-manager account:kube-controller-manager account:leader-election-controller",
  ],
  [
    "kube-system",
    "system::leader-locking-kube-scheduler system::leader-locking-kube-scheduler " +
      "user:system:kube-scheduler account:kube-scheduler",
  ],
  ["kube-system", "system:controller:bootstrap-signer system:controller:bootstrap-signer account:bootstrap-signer"],
  ["kube-system", "system:controller:cloud-provider system:controller:cloud-provider account:cloud-provider"],
  ["kube-system", "system:controller:token-cleaner system:controller:token-cleaner account:token-cleaner"],
];

const rbacGroup = "rbac.authorization.k8s.io";

/**
 * The roles and bindings of a new hub, with what aggregation gives admin, edit and view. Missing ones are created;
 * changed ones are never reverted. Their namespaces kube-system and kube-public must exist.
 */
export function defaultRbacObjects(): KubeObject[] {
  const clusterRoles = [...defaultClusterRoles, ...defaultControllerRoles];
  const controllerBindings = defaultControllerRoles.map(({ name }) => {
    return `${name} ${name} account:${name.slice("system:controller:".length)}`;
  });
  return [
    ...clusterRoles.map((role) => clusterRole(role, clusterRoles)),
    ...[...clusterRoleBindings, ...controllerBindings].map((text) => binding("ClusterRole", text)),
    ...namespacedRoles.map((role) => ({
      apiVersion: `${rbacGroup}/v1`,
      kind: "Role",
      metadata: { ...metadata(role), namespace: role.namespace },
      rules: role.rules.map(parseRule),
    })),
    ...roleBindings.map(([namespace, text]) => binding("Role", text, namespace)),
  ];
}

function clusterRole(role: DefaultRole, all: readonly DefaultRole[]): KubeObject {
  const { aggregates } = role;
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: "ClusterRole",
    metadata: metadata(role),
    ...(aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: aggregates.map((matchLabels) => ({ matchLabels })) } }),
    rules: rulesWithAggregated(role, all).map(parseRule),
  };
}

/** Sources in the order of their names, each rule once: what the aggregation controller would write. */
function rulesWithAggregated(role: DefaultRole, all: readonly DefaultRole[]): string[] {
  const { aggregates } = role;
  if (aggregates === undefined) return [...role.rules];
  const gathered = aggregates.flatMap((labels) =>
    all
      .filter((source) => Object.entries(labels).every(([key, value]) => source.labels?.[key] === value))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((source) => rulesWithAggregated(source, all)),
  );
  return [...new Set(gathered)];
}

function binding(roleKind: "Role" | "ClusterRole", text: string, namespace?: string): KubeObject {
  const [name = "", role = "", ...subjects] = text.split(" ");
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: `${roleKind}Binding`,
    metadata: { ...metadata({ name, rules: [] }), ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: rbacGroup, kind: roleKind, name: role },
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(parseSubject) }),
  };
}

function metadata({ name, labels = {} }: DefaultRole): KubeObject["metadata"] {
  return {
    name,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function parseRule(text: string): JsonObject {
  const [verbs = [], first = [], resources, resourceNames] = text.split(" ").map((part) => part.split(","));
  if (resources === undefined) return { verbs, nonResourceURLs: first };
  const apiGroups = first.map((group) => (group === "core" ? "" : group));
  return { verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}

function parseSubject(text: string): JsonObject {
  const split = text.indexOf(":");
  const name = text.slice(split + 1);
  const kind = text.slice(0, split);
  if (kind === "account") return { kind: "ServiceAccount", name, namespace: "kube-system" };
  return { apiGroup: rbacGroup, kind: kind === "user" ? "User" : "Group", name };
}

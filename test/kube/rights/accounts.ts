/** An account of the matrix: a rule at the cluster or in the namespace. */
interface Account {
  readonly name: string;
  readonly isNamespaced?: boolean;
  readonly rules: readonly object[];
}

const all = { apiGroups: ["*"], resources: ["*"] };

/** Without these: `none`, which is authenticated and nothing else, `anonymous`, and `admin`. */
const accounts: readonly Account[] = [
  { name: "reader", rules: [{ ...all, verbs: ["get", "list", "watch"] }] },
  { name: "watcher", rules: [{ ...all, verbs: ["watch"] }] },
  { name: "maker", rules: [{ ...all, verbs: ["create"] }] },
  { name: "remover", rules: [{ ...all, verbs: ["deletecollection", "delete"] }] },
  { name: "root", rules: [{ ...all, verbs: ["*"] }] },
  { name: "proxy", rules: [{ ...all, verbs: ["proxy"] }] },
  {
    name: "editor",
    isNamespaced: true,
    rules: [{ apiGroups: ["", "GROUP"], resources: ["configmaps", "widgets", "namespaces"], verbs: ["*"] }],
  },
  {
    name: "namer",
    isNamespaced: true,
    rules: [
      {
        apiGroups: ["*"],
        resources: ["configmaps", "widgets"],
        resourceNames: ["alpha"],
        verbs: ["get", "list", "watch", "delete"],
      },
    ],
  },
  { name: "cluster-namer", rules: [{ ...all, resourceNames: ["alpha", "NS"], verbs: ["*"] }] },
  {
    name: "parts",
    rules: [
      {
        apiGroups: ["*"],
        resources: ["pods/status", "serviceaccounts/token", "*/scale", "widgets/status"],
        verbs: ["*"],
      },
    ],
  },
  { name: "health", rules: [{ nonResourceURLs: ["/healthz", "/livez", "/readyz/*", "/openapi/*"], verbs: ["get"] }] },
  { name: "urls", rules: [{ nonResourceURLs: ["*"], verbs: ["*"] }] },
];

export const accountNames = ["none", "anonymous", "admin", ...accounts.map(({ name }) => name)];

interface Posted {
  readonly path: string;
  readonly body: object;
}

/** What the matrix needs, in order. Accounts are users `ACCOUNT-<name>`. */
export function matrixObjects(): readonly Posted[] {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const group = "rbac.authorization.k8s.io";
  const rights = accounts.flatMap(({ name, isNamespaced = false, rules }): Posted[] => {
    const metadata = { name: `ACCOUNT-${name}` };
    const place = isNamespaced ? `${rbac}/namespaces/NS` : rbac;
    const kind = isNamespaced ? "Role" : "ClusterRole";
    return [
      { path: `${place}/${kind.toLowerCase()}s`, body: { metadata, rules } },
      {
        path: `${place}/${kind.toLowerCase()}bindings`,
        body: {
          metadata,
          roleRef: { apiGroup: group, kind, name: metadata.name },
          subjects: [{ apiGroup: group, kind: "User", name: metadata.name }],
        },
      },
    ];
  });
  const alpha = { metadata: { name: "alpha" } };
  return [
    { path: "/api/v1/namespaces", body: { metadata: { name: "NS" } } },
    { path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: definition("Widget", "Namespaced") },
    { path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: definition("Gadget", "Cluster") },
    { path: "/api/v1/namespaces/NS/configmaps", body: alpha },
    { path: "/api/v1/namespaces/NS/secrets", body: alpha },
    { path: "/api/v1/namespaces/NS/serviceaccounts", body: alpha },
    ...rights,
  ];
}

function definition(kind: string, scope: string): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const version = { name: "v1", served: true, storage: true, schema, subresources: { status: {} } };
  return {
    metadata: { name: `${plural}.GROUP` },
    spec: { group: "GROUP", scope, names: { kind, plural }, versions: [version] },
  };
}

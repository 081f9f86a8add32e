import type { KubeObject } from "../../../model/kubernetes.ts";

export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Access {
  /** Of the ServiceAccount, its Role and its binding. */
  readonly name: string;
  readonly workspace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly AccessRule[];
}

/** A ServiceAccount on the hub with exactly these rights in its workspace. Its tokens are never mounted anywhere. */
export function renderAccess({ name, workspace, labels, rules }: Access): KubeObject[] {
  const metadata = { name, namespace: workspace, labels: { ...labels } };
  const rbacGroup = "rbac.authorization.k8s.io";
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata }, automountServiceAccountToken: false },
    { apiVersion: `${rbacGroup}/v1`, kind: "Role", metadata: { ...metadata }, rules },
    {
      apiVersion: `${rbacGroup}/v1`,
      kind: "RoleBinding",
      metadata: { ...metadata },
      roleRef: { apiGroup: rbacGroup, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: workspace }],
    },
  ];
}

/** A Secret that the hub's API server fills with a token of this account; it lives until it is deleted. */
export function renderTokenSecret(access: Omit<Access, "rules">, secretName: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: secretName,
      namespace: access.workspace,
      labels: { ...access.labels },
      annotations: { "kubernetes.io/service-account.name": access.name },
    },
    type: "kubernetes.io/service-account-token",
  };
}

/** A Secret without content, for tokens to be bound to: deleting it kills them. */
export function renderBoundSecret(
  name: string,
  {
    workspace,
    labels,
    annotations,
  }: Pick<Access, "workspace" | "labels"> & { readonly annotations?: Readonly<Record<string, string>> },
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace: workspace,
      labels: { ...labels },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    type: "Opaque",
  };
}

import type { KubeObject } from "../model/kubernetes.ts";

const rbacGroup = "rbac.authorization.k8s.io";

export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Place {
  readonly name: string;
  /** Absent for what is cluster-scoped. */
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Subject =
  | { readonly kind: "ServiceAccount"; readonly name: string; readonly namespace: string }
  | { readonly kind: "User" | "Group"; readonly name: string; readonly apiGroup: string };

/** An account and the Secret that the hub's API server fills with its token; the token lives until that is deleted. */
export function renderAccount(place: Place): KubeObject[] {
  const { annotations = {} } = place;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: metadataOf(place), automountServiceAccountToken: false },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: metadataOf({
        ...place,
        name: accountTokenName(place.name),
        annotations: { ...annotations, "kubernetes.io/service-account.name": place.name },
      }),
      type: "kubernetes.io/service-account-token",
    },
  ];
}

export function accountTokenName(account: string): string {
  return `${account}-token`;
}

/** A Role with these rules, and its binding of the same name. */
export function renderRole(place: Place, rules: readonly AccessRule[], subject: Subject): KubeObject[] {
  return [
    { apiVersion: `${rbacGroup}/v1`, kind: "Role", metadata: metadataOf(place), rules },
    renderBinding(place, { kind: "Role", name: place.name }, subject),
  ];
}

/** A binding in its namespace, or for the whole hub where it names none. */
export function renderBinding(
  place: Place,
  role: { readonly kind: "Role" | "ClusterRole"; readonly name: string },
  subject: Subject,
): KubeObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: place.namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: metadataOf(place),
    roleRef: { apiGroup: rbacGroup, ...role },
    subjects: [subject],
  };
}

function metadataOf({ name, namespace, labels, annotations }: Place): KubeObject["metadata"] {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labels },
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  };
}

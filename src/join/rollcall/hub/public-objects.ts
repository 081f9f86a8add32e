import { hubInfoName, publicNamespace } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts } from "../../../model/member.ts";
import { signedHubInfo } from "./hub-info.ts";

/** The public objects of the hub, and the right to read them: the chart makes the latter. */
export function publicObjects(hub: HubFacts): KubeObject[] {
  return [...publicAccess(), hubInfoObject(hub)];
}

/**
 * What clients without a credential may get from the hub, by name alone: its signed info, for agents that meet a CA
 * they do not know.
 */
export function hubInfoObject(hub: HubFacts): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: hubInfoName, namespace: publicNamespace },
    data: { signed: JSON.stringify(signedHubInfo(hub)) },
  };
}

/** The namespace, and the right to get ConfigMaps of it by name, as kubeadm gives it for its cluster-info. */
export function publicAccess(): KubeObject[] {
  const rbacGroup = "rbac.authorization.k8s.io";
  const metadata = { name: "rollcall-public-reader", namespace: publicNamespace };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: publicNamespace } },
    {
      apiVersion: `${rbacGroup}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
    },
    {
      apiVersion: `${rbacGroup}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbacGroup, kind: "Role", name: metadata.name },
      subjects: [{ apiGroup: rbacGroup, kind: "Group", name: "system:unauthenticated" }],
    },
  ];
}

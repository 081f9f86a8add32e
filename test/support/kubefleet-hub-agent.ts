import type { KubeApi } from "../../src/kube/kube.ts";
import { memberNamespaceName } from "../../src/model/dialects/kubefleet.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { KubefleetAgentClient } from "./kubefleet-agent-client.ts";

const rbac = "rbac.authorization.k8s.io";
const group = "cluster.kubernetes-fleet.io";
const manager = { fieldManager: "member-cluster-controller" };

const memberFinalizer = "kubernetes-fleet.io/membercluster-finalizer";

export interface KubefleetHub {
  readonly api: KubeApi;
  readonly endpoint: { readonly url: string; readonly caBundle: string };
  /** Where its join script makes accounts; `fleet-system` elsewhere. */
  readonly accountNamespace: string;
}

/** What KubeFleet's hub agent and its join script leave on a hub for a member that has joined, and that member's agent. */
export async function letInByKubefleet(
  { api, endpoint, accountNamespace }: KubefleetHub,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<KubefleetAgentClient> {
  const home = memberNamespaceName(name);
  const create = (object: KubeObject): Promise<KubeObject> => api.create(object, manager);
  const account = { kind: "ServiceAccount", name: `${name}-hub-cluster-access`, namespace: accountNamespace };
  await create({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: account.name, namespace: accountNamespace },
  });
  const member = await create({
    apiVersion: `${group}/v1beta1`,
    kind: "MemberCluster",
    metadata: { name, labels: { ...labels, "kubernetes-fleet.io/member-name": name }, finalizers: [memberFinalizer] },
    spec: { identity: account, heartbeatPeriodSeconds: 15 },
  });
  const owner = { apiVersion: `${group}/v1beta1`, kind: "MemberCluster", name, uid: member.metadata.uid ?? "" };
  const ownerReferences = [{ ...owner, controller: true }];
  await create({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: home, labels: { "kubernetes-fleet.io/is-fleet-resource": "true" }, ownerReferences },
  });
  const every = (apiGroup: string) => ({ apiGroups: [apiGroup], resources: ["*"], verbs: ["*"] });
  const events = {
    apiGroups: [""],
    resources: ["events"],
    verbs: ["get", "list", "update", "patch", "watch", "create"],
  };
  await create({
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata: { name: `fleet-role-${name}`, namespace: home, ownerReferences },
    rules: [every(group), every("placement.kubernetes-fleet.io"), every("networking.fleet.azure.com"), events],
  });
  await create({
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { name: `fleet-rolebinding-${name}`, namespace: home, ownerReferences },
    roleRef: { apiGroup: rbac, kind: "Role", name: `fleet-role-${name}` },
    subjects: [account],
  });
  await create({
    apiVersion: `${group}/v1beta1`,
    kind: "InternalMemberCluster",
    metadata: { name, namespace: home, ownerReferences },
    spec: { state: "Join", heartbeatPeriodSeconds: 15 },
  });
  const asked = { namespace: accountNamespace, serviceAccount: account.name, expirationSeconds: 3600 };
  const { token } = await api.requestToken(asked);
  return new KubefleetAgentClient({ server: endpoint.url, ca: endpoint.caBundle, token, clusterName: name });
}

/** Takes away what a test made, with the finalizers that no controller would remove. */
export async function forgetMember(api: KubeApi, name: string): Promise<void> {
  const ref = { type: resourceTypes.memberCluster, name };
  if (await api.get(ref)) await api.mergePatch(ref, { metadata: { finalizers: null } }, manager);
  await api.delete(ref);
  await api.delete({ type: resourceTypes.namespace, name: memberNamespaceName(name) });
}

import { randomUUID } from "node:crypto";
import type { KubeApi } from "../../src/kube/kube.ts";
import { clusternetGroup } from "../../src/model/dialects/clusternet.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "./clusternet-agent-client.ts";

const rbac = "rbac.authorization.k8s.io";
const manager = { fieldManager: "clusternet-controller-manager" };

export interface ClusternetControllersHub {
  readonly api: KubeApi;
  readonly endpoint: { readonly url: string; readonly caBundle: string };
}

export interface LetInByClusternet {
  readonly agent: ClusternetAgentClient;
  readonly clusterId: string;
  /** The namespace that the API server named. */
  readonly home: string;
  readonly account: string;
}

/** What Clusternet's approver leaves on a hub for an agent that it admitted, and that agent, which has its answer. */
export async function letInByClusternet(
  hub: ClusternetControllersHub,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<LetInByClusternet> {
  const clusterId = randomUUID();
  await hub.api.create(
    {
      apiVersion: `${clusternetGroup}/v1beta1`,
      kind: "ClusterRegistrationRequest",
      metadata: {
        name: `clusternet-${clusterId}`,
        labels: { ...systemLabels(clusterId, name), "clusters.clusternet.io/registered-by": "clusternet-agent" },
      },
      spec: { clusterId, clusterType: "StandardCluster", syncMode: "Dual", clusterName: name, clusterLabels: labels },
    },
    manager,
  );
  const { token, ...answered } = await answerAsClusternet(hub, { clusterId, name, syncMode: "Dual", labels });
  const { url: server, caBundle: ca } = hub.endpoint;
  const agent = new ClusternetAgentClient({ server, ca, token, clusterId, clusterName: name, labels });
  if (!(await agent.look())) throw new Error("the request was not approved");
  return { agent, ...answered };
}

function systemLabels(clusterId: string, name: string): Record<string, string> {
  return {
    "clusternet.io/created-by": "clusternet-agent",
    "clusters.clusternet.io/cluster-id": clusterId,
    "clusters.clusternet.io/cluster-name": name,
  };
}

/** Approves a request that is there, with all that Clusternet's approver makes for it. */
export async function answerAsClusternet(
  { api, endpoint }: ClusternetControllersHub,
  asked: {
    readonly clusterId: string;
    readonly name: string;
    readonly syncMode: string;
    readonly labels?: Readonly<Record<string, string>>;
    /** As the agent's flag --cluster-reg-namespace asks for. Default: named as the API server does it. */
    readonly home?: string;
  },
): Promise<Omit<LetInByClusternet, "agent"> & { readonly token: string }> {
  const { clusterId, name, syncMode, labels = {}, home = `clusternet-${clusterId.slice(0, 5)}` } = asked;
  const create = (object: KubeObject): Promise<KubeObject> => api.create(object, manager);
  const account = `clusternet-${clusterId.slice(-5)}`;
  const system = systemLabels(clusterId, name);
  const request = `clusternet-${clusterId}`;
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: home, labels: system } });
  await create({
    apiVersion: `${clusternetGroup}/v1beta1`,
    kind: "ManagedCluster",
    metadata: { name, namespace: home, labels: { ...system, ...labels } },
    spec: { clusterId, clusterType: "StandardCluster", syncMode },
  });
  const metadata = { name: account, namespace: home, labels: system };
  await create({ apiVersion: "v1", kind: "ServiceAccount", metadata });
  const subjects = [{ kind: "ServiceAccount", name: account, namespace: home }];
  const bind = async (kind: "Role" | "ClusterRole", place: KubeObject["metadata"], rules: readonly object[]) => {
    await create({ apiVersion: `${rbac}/v1`, kind, metadata: place, rules });
    const roleRef = { apiGroup: rbac, kind, name: place.name };
    await create({ apiVersion: `${rbac}/v1`, kind: `${kind}Binding`, metadata: place, roleRef, subjects });
  };
  await bind("ClusterRole", { name: request }, [
    { apiGroups: [clusternetGroup], resources: ["clusterregistrationrequests"], verbs: ["create", "get"] },
    { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  ]);
  const every = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  await bind("Role", { name: "clusternet-managedcluster-role", namespace: home }, [every]);
  const { token } = await api.requestToken({ namespace: home, serviceAccount: account, expirationSeconds: 3600 });
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  const status = {
    result: "Approved",
    dedicatedNamespace: home,
    managedClusterName: name,
    token: encode(token),
    caCertificate: encode(endpoint.caBundle),
  };
  await api.mergePatch(
    { type: resourceTypes.registrationRequest, name: request },
    { status },
    { ...manager, subresource: "status" },
  );
  return { token, clusterId, home, account };
}

/** Takes away what a test made outside its workspace. */
export async function forgetClusternet(
  api: KubeApi,
  { clusterId, home }: Pick<LetInByClusternet, "clusterId" | "home">,
): Promise<void> {
  const name = `clusternet-${clusterId}`;
  const { clusterRole, clusterRoleBinding, namespace, registrationRequest } = resourceTypes;
  for (const type of [registrationRequest, clusterRole, clusterRoleBinding]) await api.delete({ type, name });
  await api.delete({ type: namespace, name: home });
}

/** An account by which Clusternet's agents may ask, as its users make one. */
export function clusternetDoor(name: string, namespace: string): KubeObject[] {
  const rules = [
    {
      apiGroups: [clusternetGroup],
      resources: ["clusterregistrationrequests"],
      verbs: ["create", "get"],
    },
  ];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

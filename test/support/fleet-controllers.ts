import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { clusterNamespaceName } from "../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { FleetAgentClient } from "./fleet-agent-client.ts";
import { until } from "./until.ts";

const { fleetCluster, fleetRegistration, secret } = resourceTypes;
const rbac = "rbac.authorization.k8s.io";
const notOurs = "fleet.cattle.io/cluster-management";
const manager = { fieldManager: "fleetcontroller" };

export interface FleetControllersHub {
  readonly api: KubeApi;
  readonly endpoint: { readonly url: string; readonly caBundle: string };
  readonly workspace: string;
}

/** What Fleet's controllers leave on a hub for an agent that they admitted, and that agent. */
export async function letInByFleet(
  { api, endpoint, workspace }: FleetControllersHub,
  name: string,
  clientID: string,
): Promise<FleetAgentClient> {
  const home = clusterNamespaceName(workspace, name);
  const managed = { "fleet.cattle.io/managed": "true" };
  const group = "fleet.cattle.io";
  const create = (object: KubeObject): Promise<KubeObject> => api.create(object, manager);
  await create({
    apiVersion: `${group}/v1alpha1`,
    kind: "Cluster",
    metadata: {
      name,
      namespace: workspace,
      labels: { kept: "yes" },
      finalizers: ["fleet.cattle.io/cluster-finalizer"],
    },
    spec: { clientID },
  });
  const status = { namespace: home, agent: { lastSeen: "2026-01-01T00:00:00Z", namespace: "cattle-fleet-system" } };
  await api.mergePatch(
    { type: fleetCluster, namespace: workspace, name },
    { status },
    { ...manager, subresource: "status" },
  );
  const annotations = { "fleet.cattle.io/cluster": name, "fleet.cattle.io/cluster-namespace": workspace };
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: home, labels: managed, annotations } });
  const registration = { name: "request-old", namespace: workspace };
  await create({
    apiVersion: `${group}/v1alpha1`,
    kind: "ClusterRegistration",
    // It is none of the hub's business before it is granted.
    metadata: { ...registration, labels: { [notOurs]: "yes" } },
    spec: { clientID, clientRandom: "r".repeat(54), clusterLabels: {} },
  });
  await api.mergePatch(
    { type: fleetRegistration, ...registration },
    { status: { granted: true, clusterName: name } },
    { ...manager, subresource: "status" },
  );
  await api.mergePatch(
    { type: fleetRegistration, ...registration },
    { metadata: { labels: { [notOurs]: null } } },
    manager,
  );
  const account = { name: "request-old-account", namespace: home };
  const subjects = [{ kind: "ServiceAccount", ...account }];
  await create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { ...account, labels: managed } });
  await create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "request-old-account-token",
      namespace: home,
      annotations: { "kubernetes.io/service-account.name": account.name },
    },
    type: "kubernetes.io/service-account-token",
  });
  await create({
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata: registration,
    rules: [{ apiGroups: [group], resources: ["clusters/status"], resourceNames: [name], verbs: ["patch"] }],
  });
  for (const [namespace, kind, role] of [
    [workspace, "Role", registration.name],
    [home, "ClusterRole", "fleet-bundle-deployment"],
  ] as const)
    await create({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: registration.name, namespace },
      roleRef: { apiGroup: rbac, kind, name: role },
      subjects,
    });
  const token = await until(
    async () =>
      textAt(await api.get({ type: secret, namespace: home, name: "request-old-account-token" }), "data", "token") ??
      "",
    (text) => text !== "",
  );
  const bootstrap = {
    apiServerURL: endpoint.url,
    apiServerCA: endpoint.caBundle,
    clusterNamespace: workspace,
    systemRegistrationNamespace: "cattle-fleet-clusters-system",
    token: "used up",
    tokenName: "gone",
  };
  const agent = new FleetAgentClient(bootstrap, { clientID });
  agent.credential = {
    token: Buffer.from(token, "base64").toString("utf8"),
    deploymentNamespace: home,
    clusterNamespace: workspace,
    clusterName: name,
  };
  return agent;
}

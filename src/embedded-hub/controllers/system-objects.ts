import { isJsonEqual } from "../../core/json.ts";
import { objectAt, objectsAt } from "../../core/read-json.ts";
import { apiServerAddress } from "../admission/service-addresses.ts";
import { defaultRbacObjects } from "../auth/default-roles.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Operations } from "../operations/operations.ts";
import { hubWriter } from "./hub-writer.ts";

/** The namespaces that every Kubernetes cluster has. */
const systemNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"] as const;

const priorityClasses: readonly KubeObject[] = [
  priorityClass(
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ),
  priorityClass(
    "system-node-critical",
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  ),
];

/**
 * Creates the missing objects that every hub needs: the system namespaces, the default roles and bindings, and the
 * system priority classes. Changed ones are not reverted. A complete hub is not written to.
 */
export async function createSystemObjects(operations: Operations): Promise<void> {
  const writer = hubWriter(operations, "kube-apiserver", "kube-apiserver");
  const missingNamespaces = systemNamespaces.filter((name) => writer.get("", "namespaces", { name }) === undefined);
  await Promise.all(
    missingNamespaces.map((name) =>
      writer.createIfMissing({
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      }),
    ),
  );
  const missingClasses = priorityClasses.filter(
    ({ metadata }) => writer.get("scheduling.k8s.io", "priorityclasses", { name: metadata.name }) === undefined,
  );
  const missingRoles = defaultRbacObjects().filter(({ kind, metadata }) => {
    const { name, namespace } = metadata;
    const place = namespace === undefined ? { name } : { name, namespace };
    return writer.get("rbac.authorization.k8s.io", `${kind.toLowerCase()}s`, place) === undefined;
  });
  await Promise.all([...missingClasses, ...missingRoles].map((object) => writer.createIfMissing(object)));
}

/**
 * Makes the Service `default/kubernetes`, by which programs in the cluster know their API server, and keeps its port
 * right: that may be another one after every start. Source: Kubernetes, controlplane/controller/kubernetesservice.
 */
export async function keepKubernetesService(operations: Operations, port: number): Promise<void> {
  const writer = hubWriter(operations, "kube-apiserver", "kube-apiserver");
  const ports = [{ name: "https", port: 443, protocol: "TCP", targetPort: port }];
  const live = writer.get("", "services", { namespace: "default", name: "kubernetes" });
  if (live === undefined) {
    await writer.createIfMissing({
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: "kubernetes",
        namespace: "default",
        labels: { component: "apiserver", provider: "kubernetes" },
      },
      spec: {
        clusterIP: apiServerAddress,
        clusterIPs: [apiServerAddress],
        ipFamilyPolicy: "SingleStack",
        ports,
        sessionAffinity: "None",
        type: "ClusterIP",
      },
    });
  } else if (!isJsonEqual([...objectsAt(live, "spec", "ports")], ports)) {
    await writer.update({ ...live, spec: { ...objectAt(live, "spec"), ports } });
  }
}

function priorityClass(name: string, value: number, description: string): KubeObject {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    description,
    preemptionPolicy: "PreemptLowerPriority",
    value,
  };
}

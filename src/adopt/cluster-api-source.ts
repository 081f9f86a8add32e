import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { AdoptSource } from "./adopt-source.ts";

/**
 * A management cluster of Cluster API: for each of its Clusters a Cluster of our own, which the hub joins by the
 * kubeconfig that Cluster API keeps. Cluster API's objects are not taken over; it still creates and deletes the
 * clusters themselves. Source: cluster-api, the contract of control plane providers: Secret `<cluster>-kubeconfig`, key
 * `value`.
 */
export const clusterApiSource: AdoptSource = {
  title: "Cluster API",
  mainTypes: [clusterApiType("v1beta2"), clusterApiType("v1beta1")],
  otherTypes: [],
  unserved: [],
  conflictsWith: resourceTypes.cluster,
  evaluate: (live) => ({ kind: "file", folder: "clusters", object: memberOf(live) }),
};

function memberOf({ metadata: { name, namespace, labels = {} } }: KubeObject): KubeObject {
  const kept = Object.entries(labels).filter(([key]) => !isOfTheirTools(key));
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(kept.length === 0 ? {} : { labels: Object.fromEntries(kept) }),
    },
    spec: { kubeConfigSecretRef: { name: `${name}-kubeconfig` } },
  };
}

/** What applied Cluster API's object would take ours for its own, and prune it. */
function isOfTheirTools(key: string): boolean {
  const prefix = key.slice(0, Math.max(0, key.indexOf("/")));
  return (
    key === "app.kubernetes.io/instance" ||
    key === "app.kubernetes.io/managed-by" ||
    ["x-k8s.io", "argoproj.io", "fluxcd.io", "cattle.io"].some(
      (domain) => prefix === domain || prefix.endsWith(`.${domain}`),
    )
  );
}

function clusterApiType(version: string): ResourceType {
  return { group: "cluster.x-k8s.io", version, kind: "Cluster", plural: "clusters", isNamespaced: true };
}

// What differs between protocols, as data for the invariants: where each keeps what the hub has for a cluster.
import { textAt, objectsAt } from "../../../src/core/read-json.ts";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import { dedicatedNamespaceName } from "../../../src/model/dialects/clusternet.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { workspace } from "../daemon-process.ts";
import { clientIdOf, foreignOf } from "./foreign-names.ts";
import type { ForeignName } from "./foreign-names.ts";

export interface ForeignFacts {
  /** The namespace of the hub that one cluster has to itself. */
  homeOf(cluster: string): string;
  /** The key of the object that carries its heartbeats, and what each heartbeat changes in it. */
  beatKeyOf(cluster: string): string;
  beatIn(object: KubeObject | undefined): string | undefined;
  /** What the hub has for a cluster that has joined, besides its home. */
  objectsOf(cluster: string): readonly string[];
  /** The request by which its agent was admitted, where that stays. It is deleted with the Cluster, and only an agent that starts asks again. */
  requestKeyOf?(cluster: string): string;
  /** What its working credential may do: a method and a path without its query. */
  reachOf(cluster: string): RegExp;
  /** The object by which the other project's readers know the cluster, with the labels of its file. */
  readonly shownKeyOf: (cluster: string) => string;
  /** Whether that has the taints of the file, too. */
  readonly showsTaints: boolean;
  /** What people may delete of it: the hub makes it again, and the agent continues. */
  deletableOf(cluster: string): readonly ObjectRef[];
  /** How long a removal waits for an agent that does not answer. */
  readonly offboardingWaitMs: number;
}

const fleetApi = "/apis/fleet\\.cattle\\.io/v1alpha1";
const clusternetApi = "/apis/clusters\\.clusternet\\.io/v1beta1";
const rbac = "/rbac.authorization.k8s.io";

export const foreignFacts: Readonly<Record<ForeignName, ForeignFacts>> = {
  fleet: {
    homeOf: (cluster) => clusterNamespaceName(workspace, cluster),
    beatKeyOf: (cluster) => `/fleet.cattle.io/clusters/${workspace}/${cluster}`,
    beatIn: (object) => textAt(object, "status", "agent", "lastSeen"),
    objectsOf: (cluster) => [`/fleet.cattle.io/clusters/${workspace}/${cluster}`],
    reachOf: (cluster) => {
      const home = clusterNamespaceName(workspace, cluster);
      const own = `PATCH ${fleetApi}/namespaces/${workspace}/clusters/${cluster}/status`;
      const read = `GET (?:${fleetApi}/(?:namespaces/${home}/bundledeployments.*|contents/.*)|/api/v1/namespaces/${home}/(?:secrets|configmaps)/.*)`;
      return new RegExp(`^(?:${own}|${read})$`, "u");
    },
    deletableOf: (cluster) => [{ type: resourceTypes.fleetCluster, namespace: workspace, name: cluster }],
    shownKeyOf: (cluster) => `/fleet.cattle.io/clusters/${workspace}/${cluster}`,
    showsTaints: false,
    offboardingWaitMs: 0,
  },
  kubefleet: {
    homeOf: homeOfMember,
    beatKeyOf: internalKey,
    beatIn: (object) => {
      const agents = objectsAt(object, "status", "agentStatus");
      return textAt(
        agents.find(({ type }) => type === "MemberAgent"),
        "lastReceivedHeartbeat",
      );
    },
    objectsOf: (cluster) => [
      `/cluster.kubernetes-fleet.io/memberclusters//${cluster}`,
      internalKey(cluster),
      `//serviceaccounts/${workspace}/${cluster}-hub-cluster-access`,
      `//secrets/${workspace}/${cluster}-hub-cluster-access-token`,
      `${rbac}/roles/${homeOfMember(cluster)}/fleet-role-${cluster}`,
      `${rbac}/rolebindings/${homeOfMember(cluster)}/fleet-rolebinding-${cluster}`,
    ],
    reachOf: (cluster) => {
      const place = `namespaces/${homeOfMember(cluster)}`;
      const internal = `/apis/cluster\\.kubernetes-fleet\\.io/v1beta1/${place}/internalmemberclusters`;
      const works = `/apis/placement\\.kubernetes-fleet\\.io/v1beta1/${place}/works`;
      const calls = [
        "GET /apis/(?:cluster|placement)\\.kubernetes-fleet\\.io/v1beta1",
        `GET ${internal}(?:/${cluster})?`,
        `PUT ${internal}/${cluster}/status`,
        `(?:GET|PUT) ${works}.*`,
        `(?:POST|PATCH) /api/v1/${place}/events.*`,
      ];
      return new RegExp(`^(?:${calls.join("|")})$`, "u");
    },
    deletableOf: (cluster) => [
      { type: resourceTypes.role, namespace: homeOfMember(cluster), name: `fleet-role-${cluster}` },
      { type: resourceTypes.roleBinding, namespace: homeOfMember(cluster), name: `fleet-rolebinding-${cluster}` },
      { type: resourceTypes.internalMemberCluster, namespace: homeOfMember(cluster), name: cluster },
    ],
    shownKeyOf: (cluster) => `/cluster.kubernetes-fleet.io/memberclusters//${cluster}`,
    showsTaints: true,
    offboardingWaitMs: 15 * 60_000,
  },
  clusternet: {
    homeOf: dedicatedHome,
    beatKeyOf: managedKey,
    beatIn: (object) => textAt(object, "status", "lastObservedTime"),
    objectsOf: (cluster) => [
      managedKey(cluster),
      `//serviceaccounts/${workspace}/clusternet-agent.${clientIdOf(cluster)}`,
      `${rbac}/clusterroles//rollcall-clusternet.${workspace}.${cluster}`,
      `${rbac}/clusterrolebindings//rollcall-clusternet.${workspace}.${cluster}`,
      `${rbac}/rolebindings/${dedicatedHome(cluster)}/rollcall-clusternet-agent`,
    ],
    requestKeyOf: (cluster) => `/clusters.clusternet.io/clusterregistrationrequests//clusternet-${clientIdOf(cluster)}`,
    reachOf: (cluster) => {
      const requests = `${clusternetApi}/clusterregistrationrequests`;
      const managed = `${clusternetApi}/namespaces/${dedicatedHome(cluster)}/managedclusters`;
      const calls = [
        `POST ${requests}`,
        `GET ${requests}/clusternet-${clientIdOf(cluster)}`,
        `GET ${managed}(?:/${cluster})?`,
        `PATCH ${managed}/${cluster}`,
        `PUT ${managed}/${cluster}/status`,
      ];
      return new RegExp(`^(?:${calls.join("|")})$`, "u");
    },
    deletableOf: (cluster) => [
      { type: resourceTypes.managedCluster, namespace: dedicatedHome(cluster), name: cluster },
      { type: resourceTypes.clusterRoleBinding, name: `rollcall-clusternet.${workspace}.${cluster}` },
      { type: resourceTypes.roleBinding, namespace: dedicatedHome(cluster), name: "rollcall-clusternet-agent" },
    ],
    shownKeyOf: managedKey,
    showsTaints: true,
    offboardingWaitMs: 0,
  },
};

/** Of a cluster with an agent of another project; undefined of ours. */
export function foreignFactsOf(cluster: string): ForeignFacts | undefined {
  const protocol = foreignOf(cluster);
  return protocol && foreignFacts[protocol];
}

function homeOfMember(cluster: string): string {
  return `fleet-member-${cluster}`;
}

function internalKey(cluster: string): string {
  return `/cluster.kubernetes-fleet.io/internalmemberclusters/${homeOfMember(cluster)}/${cluster}`;
}

function dedicatedHome(cluster: string): string {
  return dedicatedNamespaceName(workspace, cluster);
}

function managedKey(cluster: string): string {
  return `/clusters.clusternet.io/managedclusters/${dedicatedHome(cluster)}/${cluster}`;
}

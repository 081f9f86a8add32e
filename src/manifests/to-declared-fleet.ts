import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { ClusterDefaults } from "../model/generated/cluster-defaults.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import type { ClusterLabels } from "../model/generated/cluster-labels.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Policy } from "../model/generated/policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { clusterOfFleet, groupOfFleet, tokenOfFleet } from "./convert-fleet.ts";
import { clusterOfMemberCluster } from "./convert-kubefleet.ts";
import type { FleetDocument, FleetRole } from "./fleet-document.ts";

/**
 * Puts documents that passed every check into their lists, workspaces filled in. Foreign kinds become Clusters, tokens
 * and groups of their protocol; every foreign object is handed on as it is too, in `foreignObjects`. This is the border where
 * the types of the schemas are given to what the schemas have accepted.
 */
export function toDeclaredFleet(documents: readonly FleetDocument[]): DeclaredFleet {
  const own = documents.filter(({ isForeign }) => !isForeign);
  const foreign = documents.filter(({ isForeign }) => isForeign);
  return {
    clusters: [
      ...listOf<Cluster>(own, "Cluster"),
      ...convert(foreign, "Cluster", clusterOfFleet),
      ...foreign.flatMap((item) => (item.object.kind === "MemberCluster" ? [memberCluster(item)] : [])),
    ],
    tokens: [
      ...listOf<ClusterRegistrationToken>(own, "ClusterRegistrationToken"),
      ...convert(foreign, "ClusterRegistrationToken", tokenOfFleet),
    ],
    groups: [...listOf<ClusterGroup>(own, "ClusterGroup"), ...convert(foreign, "ClusterGroup", groupOfFleet)],
    labelRules: listOf<ClusterLabels>(own, "ClusterLabels"),
    defaultRules: listOf<ClusterDefaults>(own, "ClusterDefaults"),
    policies: listOf<Policy>(own, "Policy"),
    secrets: listOf<KubeObject>(own, "Secret"),
    foreignObjects: foreign.map((item) => declared<KubeObject>(item)),
  };
}

function convert<T>(
  foreign: readonly FleetDocument[],
  role: FleetRole,
  read: (object: KubeObject) => T,
): Declared<T>[] {
  return foreign
    .filter((item) => item.role === role && item.object.apiVersion.startsWith("fleet.cattle.io/"))
    .map((item) => declared<KubeObject>(item))
    .map(({ object, ...place }) => ({ ...place, object: read(object) }));
}

/** It has no namespace itself; what it stands for is in the default workspace. */
function memberCluster(item: FleetDocument): Declared<Cluster> {
  const { object, ...place } = declared<KubeObject>(item);
  const { metadata, ...rest } = clusterOfMemberCluster(object);
  const { workspace } = item;
  const namespaced = { ...metadata, ...(workspace === undefined ? {} : { namespace: workspace }) };
  return { ...place, object: { ...rest, metadata: namespaced } };
}

function listOf<T>(documents: readonly FleetDocument[], role: FleetRole): Declared<T>[] {
  return documents.filter((item) => item.role === role).map((item) => declared<T>(item));
}

function declared<T>({ document, object, workspace, isForeign, role }: FleetDocument): Declared<T> {
  const { position, blobId } = document;
  const { namespace } = object.metadata;
  // Cluster-scoped foreign kinds live in the default workspace only as what they stand for.
  const isFilledIn =
    workspace !== undefined && namespace === undefined && !(isForeign && isClusterScoped(object, role));
  const complete = isFilledIn ? { ...object, metadata: { ...object.metadata, namespace: workspace } } : object;
  return { object: complete as T, position, blobId };
}

function isClusterScoped(object: KubeObject, role: FleetRole): boolean {
  return role === "approval" || object.kind === "MemberCluster";
}

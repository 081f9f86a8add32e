import { ownValue } from "../core/own-value.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import type { Declared, DeclaredFleet } from "../model/declared-fleet.ts";
import type { ClusterDefaults } from "../model/generated/cluster-defaults.ts";
import type { ClusterGroup } from "../model/generated/cluster-group.ts";
import type { ClusterLabels } from "../model/generated/cluster-labels.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { Policy } from "../model/generated/policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { SourceDocument } from "../model/source.ts";
import { clusterOfFleet, groupOfFleet, tokenOfFleet } from "./convert-fleet.ts";
import { approveClusters } from "./approvals.ts";
import { clusterOfManagedCluster } from "./convert-clusternet.ts";
import { clusterOfMemberCluster } from "./convert-kubefleet.ts";
import type { FleetDocument, FleetRole } from "./fleet-document.ts";

/**
 * Puts documents that passed every check into their lists, workspaces filled in. Foreign kinds become Clusters, tokens
 * and groups of their protocol; every foreign object is also passed on as it is, in `foreignObjects`. This is the border where
 * the types of the schemas are given to what the schemas have accepted. The same document gives the same object each time,
 * so that what follows from it need not be computed again.
 */
export function toDeclaredFleet(documents: readonly FleetDocument[]): DeclaredFleet {
  const own = documents.filter(({ isForeign }) => !isForeign);
  const foreign = documents.filter(({ isForeign }) => isForeign);
  const clusters = [
    ...listOf<Cluster>(own, "Cluster"),
    ...convert(foreign, "Cluster", fleetCluster),
    ...foreign.flatMap((item) => {
      const read = item.role === "Cluster" ? ownValue(placedElsewhere, item.object.kind) : undefined;
      return read === undefined || item.object.apiVersion.startsWith("fleet.cattle.io/")
        ? []
        : [read(declared(item), item.workspace)];
    }),
  ];
  const approvals = foreign.filter(({ role }) => role === "approval");
  return {
    clusters: approveClusters(
      clusters,
      approvals.map((item) => ({ approval: declared<KubeObject>(item), workspace: item.workspace })),
    ),
    tokens: [
      ...listOf<ClusterRegistrationToken>(own, "ClusterRegistrationToken"),
      ...convert(foreign, "ClusterRegistrationToken", fleetToken),
    ],
    groups: [...listOf<ClusterGroup>(own, "ClusterGroup"), ...convert(foreign, "ClusterGroup", fleetGroup)],
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
  read: (declared: Declared<KubeObject>) => Declared<T>,
): Declared<T>[] {
  return foreign
    .filter((item) => item.role === role && item.object.apiVersion.startsWith("fleet.cattle.io/"))
    .map((item) => read(declared<KubeObject>(item)));
}

const fleetCluster = memoizeWeak(converted(clusterOfFleet));
const fleetToken = memoizeWeak(converted(tokenOfFleet));
const fleetGroup = memoizeWeak(converted(groupOfFleet));

function converted<T>(read: (object: KubeObject) => T): (from: Declared<KubeObject>) => Declared<T> {
  return ({ object, ...place }) => ({ ...place, object: read(object) });
}

/** Kinds that have no namespace, or one that is no workspace; what they map to is in the default workspace. */
const placedElsewhere: Readonly<Record<string, ReturnType<typeof placed>>> = {
  MemberCluster: memoizeWeak(placed(clusterOfMemberCluster)),
  ManagedCluster: memoizeWeak(placed(clusterOfManagedCluster)),
};

function placed(read: (object: KubeObject) => Cluster) {
  return ({ object, ...place }: Declared<KubeObject>, workspace: string | undefined): Declared<Cluster> => {
    const { metadata, ...rest } = read(object);
    const namespaced = { ...metadata, ...(workspace === undefined ? {} : { namespace: workspace }) };
    return { ...place, object: { ...rest, metadata: namespaced } };
  };
}

function listOf<T>(documents: readonly FleetDocument[], role: FleetRole): Declared<T>[] {
  return documents.filter((item) => item.role === role).map((item) => declared<T>(item));
}

function declared<T>({ document, object, workspace, isForeign, role }: FleetDocument): Declared<T> {
  // Cluster-scoped foreign kinds are in the default workspace only as what they map to.
  const isFilledIn = object.metadata.namespace === undefined && !(isForeign && isClusterScoped(object, role));
  return inWorkspace(document, isFilledIn ? workspace : undefined) as Declared<T>;
}

const inWorkspace = memoizeWeak(
  ({ object, position, blobId }: SourceDocument, namespace: string | undefined): Declared<KubeObject> => {
    const complete = namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
    return { object: complete, position, blobId };
  },
);

function isClusterScoped(object: KubeObject, role: FleetRole): boolean {
  return role === "approval" || Object.hasOwn(placedElsewhere, object.kind);
}

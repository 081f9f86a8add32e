// publish: tells other systems on the hub of each Cluster: the Cluster Inventory API, Argo CD, Flux.
import { objectsAt } from "../core/read-json.ts";
import type { KubeApi, KubeCache } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import type { ClusterAccess, SecretPlace } from "./published-objects.ts";
import { argoClusterSecret, argoSecretName, clusterProfile } from "./published-objects.ts";
import { fluxKubeconfigSecret, fluxSecretName, namesakes, publishedNames } from "./published-objects.ts";

/** Where to publish; what is undefined or false is not published, and what is there of it is removed. */
export interface PublishTargets {
  readonly clusterProfiles: boolean;
  /** Namespace of Argo CD's cluster Secrets. */
  readonly argocd?: string;
  /** Namespace of kubeconfig Secrets for Flux. */
  readonly flux?: string;
}

export interface PublishContext {
  readonly hubApi: KubeApi;
  readonly targets: PublishTargets;
  readonly clusterOf: (workspace: string, name: string) => Cluster | undefined;
  /** The kubeconfig that the Cluster names, while its Secret is there. */
  readonly kubeconfigOf: (cluster: Cluster) => string | undefined;
  /**
   * Reads a kubeconfig.
   * @throws E_KUBECONFIG
   */
  readonly readAccess: (kubeconfig: string) => Promise<ClusterAccess>;
  /** What is published, by watch; each of them filtered by {@link publishedSelector}. */
  readonly published: readonly KubeCache[];
}

/** The label that every published object has. */
export const publishedSelector = labelKeys.publishedCluster;

/** The kinds to watch, and where. */
export function publishedKinds({
  clusterProfiles,
  argocd,
  flux,
}: PublishTargets): readonly { readonly type: ResourceType; readonly namespace?: string }[] {
  return [
    ...(clusterProfiles ? [{ type: resourceTypes.clusterProfile }] : []),
    ...[...new Set([argocd, flux])].flatMap((namespace) =>
      namespace === undefined ? [] : [{ type: resourceTypes.secret, namespace }],
    ),
  ];
}

/** The Cluster that a published object tells of, as `workspace/name`. */
export function publishedKey({ metadata }: KubeObject): string {
  return `${metadata.labels?.[labelKeys.publishedWorkspace]}/${metadata.labels?.[labelKeys.publishedCluster]}`;
}

/**
 * Makes what is published of one Cluster what it should be; all of it is removed with the Cluster, or when it leaves. Only objects
 * with our labels that this program applied are ever removed, each as it was seen: controllers of other tools copy labels.
 */
export async function publishCluster(
  context: PublishContext,
  { workspace, name }: { readonly workspace: string; readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  const cluster = context.clusterOf(workspace, name);
  const isLeaving = cluster?.metadata.annotations?.[annotationKeys.leave] !== undefined;
  const wanted = cluster === undefined || isLeaving ? [] : await wantedObjects(context, cluster);
  const live = context.published.flatMap((cache) =>
    cache
      .list()
      .filter((object) => publishedKey(object) === `${workspace}/${name}`)
      .map((object) => ({ ref: refOf(cache.type, object), object })),
  );
  const liveByRef = new Map(live.map(({ ref, object }) => [describeRef(ref), object]));
  const kept = new Set<string>();
  for (const { ref, object, status } of wanted) {
    kept.add(describeRef(ref));
    await writeObject(context, { object, status, live: liveByRef.get(describeRef(ref)), signal });
  }
  for (const { ref, object } of live) {
    if (kept.has(describeRef(ref)) || !isApplied(object)) continue;
    const { uid = "", resourceVersion = "" } = object.metadata;
    await context.hubApi.delete(ref, { uid, resourceVersion, signal });
  }
}

/** True for what this program applied. Argo CD's controller for ClusterProfiles copies labels, ours too, to its Secrets. */
function isApplied({ metadata }: KubeObject): boolean {
  return objectsAt(metadata, "managedFields").some(
    ({ manager, operation }) => manager === fieldManagers.hub && operation === "Apply",
  );
}

/**
 * Where a Secret is published. The short name stays as long as the Secret has it: other tools hold it. A new Secret gets
 * the long name where another Cluster has, or could have, the short one.
 */
function placeOf(
  { published, clusterOf }: PublishContext,
  cluster: Cluster,
  { namespace, nameOf }: { readonly namespace: string; readonly nameOf: (publishedName: string) => string },
): SecretPlace {
  const { short, long } = publishedNames(cluster);
  const ownKey = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
  const keyAt = (publishedName: string): string | undefined => {
    const found = published
      .filter(({ type }) => type.kind === resourceTypes.secret.kind)
      .map((cache) => cache.get(namespace, nameOf(publishedName)))
      .find((object) => object !== undefined);
    return found && publishedKey(found);
  };
  const holder = keyAt(short);
  if (holder === ownKey) return { namespace, publishedName: short };
  const isAmbiguous =
    holder !== undefined || namesakes(cluster).some(({ workspace, name }) => clusterOf(workspace, name));
  return { namespace, publishedName: isAmbiguous || keyAt(long) === ownKey ? long : short };
}

interface Wanted {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  readonly status?: unknown;
}

async function wantedObjects(context: PublishContext, cluster: Cluster): Promise<Wanted[]> {
  const { clusterProfiles, argocd, flux } = context.targets;
  const wanted: Wanted[] = [];
  if (clusterProfiles) {
    const { object, status } = clusterProfile(cluster);
    wanted.push({ ref: refOf(resourceTypes.clusterProfile, object), object, status });
  }
  const kubeconfig = argocd === undefined && flux === undefined ? undefined : context.kubeconfigOf(cluster);
  if (kubeconfig === undefined) return wanted;
  // One that is refused for the agent's installation is refused here, too: nobody gets it from us.
  const access = await context.readAccess(kubeconfig);
  const secrets = [
    ...(argocd === undefined
      ? []
      : [argoClusterSecret(cluster, placeOf(context, cluster, { namespace: argocd, nameOf: argoSecretName }), access)]),
    ...(flux === undefined
      ? []
      : [
          fluxKubeconfigSecret(
            cluster,
            placeOf(context, cluster, { namespace: flux, nameOf: fluxSecretName }),
            kubeconfig,
          ),
        ]),
  ];
  return [...wanted, ...secrets.map((object) => ({ ref: refOf(resourceTypes.secret, object), object }))];
}

async function writeObject(
  { hubApi }: PublishContext,
  options: {
    readonly object: KubeObject;
    readonly status: unknown;
    readonly live: KubeObject | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { object, status, live, signal } = options;
  const manager = fieldManagers.hub;
  if (!live || diffOwnedFields(object, live, { manager }).length > 0) {
    await hubApi.apply(object, { fieldManager: manager, signal });
  }
  if (status === undefined) return;
  const { apiVersion, kind, metadata } = object;
  const told: KubeObject = { apiVersion, kind, metadata: nameOf(metadata), status };
  if (live && diffOwnedFields(told, live, { manager, subresource: "status" }).length === 0) return;
  await hubApi.apply(told, { fieldManager: manager, subresource: "status", signal });
}

function nameOf({ name, namespace }: KubeObject["metadata"]): KubeObject["metadata"] {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

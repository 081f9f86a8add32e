// publish: publishes each Cluster to other systems on the hub: the Cluster Inventory API, Argo CD, Flux.
import { isAppError } from "../core/errors.ts";
import type { KubeCache } from "../kube/kube.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterAccess } from "../model/inline-kubeconfig.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef, refOf, withUidOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import { graceEndMs } from "../planning/cluster-settings.ts";
import { findCondition, toConditions } from "../planning/conditions.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import type { AddressClaims } from "./published-address.ts";
import { claimAddress } from "./published-address.ts";
import type { PublishedIndex } from "./published-index.ts";
import { publishedKey } from "./published-index.ts";
import type { PublishedState } from "./published-condition.ts";
import { describeSecrets, publishedResult } from "./published-condition.ts";
import type { SecretPlace } from "./published-objects.ts";
import { argoClusterSecret, argoOwnName, argoSecretName, clusterProfile } from "./published-objects.ts";
import { fluxKubeconfigSecret, fluxSecretName, namesakes, publishedNames } from "./published-objects.ts";
import type { RetireContext, Retirement } from "./retire-secret.ts";
import { keepSecret, requeueAfterMs, retireSecret } from "./retire-secret.ts";

/** Where to publish. Of what is undefined or false nothing is published; what is there of it stays as it is. */
export interface PublishTargets {
  readonly clusterProfiles: boolean;
  /** Namespace of Argo CD's cluster Secrets. */
  readonly argocd?: string;
  /** Namespace of kubeconfig Secrets for Flux. */
  readonly flux?: string;
}

/** The kubeconfig that a Cluster names. */
export interface NamedKubeconfig {
  readonly text: string;
  /** Cluster API made it for itself. */
  readonly isClusterApis: boolean;
}

export interface PublishContext extends RetireContext {
  readonly targets: PublishTargets;
  readonly clusterOf: (workspace: string, name: string) => Cluster | undefined;
  /** The kubeconfig that the Cluster names, while its Secret is there. */
  readonly kubeconfigOf: (cluster: Cluster) => NamedKubeconfig | undefined;
  /**
   * Reads a kubeconfig.
   * @throws E_KUBECONFIG
   */
  readonly readAccess: (kubeconfig: string) => Promise<ClusterAccess>;
  /** What is published, by watch; each of them filtered by {@link publishedSelector}. */
  readonly published: readonly KubeCache[];
  /** The same, of one Cluster or with one address. */
  readonly publishedIndex: Pick<PublishedIndex, "of" | "at">;
  readonly claims: AddressClaims;
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

/** Another program's object of the name, or another Cluster's of the address, may be deleted by then. */
const takenRetryMs = 60_000;

/** True while a Secret of the Cluster is there for other tools. */
export function hasPublishedSecret(published: PublishedIndex, key: string): boolean {
  return published.of(key).some(({ ref }) => ref.type === resourceTypes.secret);
}

/**
 * Applies the desired published objects of one Cluster. Undesired ones are removed: a ClusterProfile at once, a Secret
 * when nothing uses it. Only objects that this program applied are ever removed, each in its observed version. Resolves
 * with milliseconds after which to requeue, if at all.
 */
export async function publishCluster(
  context: PublishContext,
  { workspace, name }: { readonly workspace: string; readonly name: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  const cluster = context.clusterOf(workspace, name);
  const nowMs = context.nowMs();
  const endMs = cluster === undefined ? 0 : publishedUntilMs(cluster);
  const isWanted = cluster !== undefined && nowMs < endMs;
  const { wanted, isClusterApis, refusal, isAddressRefused } = isWanted
    ? await wantedObjects(context, cluster)
    : nothingWanted;
  if (!wanted.some(({ ref }) => ref.type === resourceTypes.secret))
    context.claims.set(`${workspace}/${name}`, undefined);
  // Without a kubeconfig to publish, what was made of the one before stays: workloads depend on it.
  const areSecretsKept = isClusterApis || refusal !== undefined;
  const live = context.publishedIndex.of(`${workspace}/${name}`);
  const liveByRef = new Map(live.map((one) => [describeRef(one.ref), one]));
  const kept = new Set(wanted.map(({ ref }) => describeRef(ref)));
  const taken: string[] = [];
  for (const { ref, object, status } of wanted) {
    const held = liveByRef.get(describeRef(ref));
    if (held) await keepSecret(context, held, signal);
    try {
      await writeObject(context, { object, status, live: held?.object, signal });
    } catch (error) {
      if (held || !isAppError(error, "E_KUBE_CONFLICT")) throw error;
      taken.push(describeRef(ref));
    }
  }
  const isForced = cluster?.metadata.annotations?.[annotationKeys.revoked] !== undefined;
  const retiring: Retirement[] = [];
  for (const { ref, object } of live) {
    if (kept.has(describeRef(ref))) continue;
    if (areSecretsKept && ref.type === resourceTypes.secret) {
      await keepSecret(context, { ref, object }, signal);
      continue;
    }
    const { uid = "", resourceVersion = "" } = object.metadata;
    if (ref.type !== resourceTypes.secret) await context.hubApi.delete(ref, { uid, resourceVersion, signal });
    else {
      const waiting = await retireSecret(context, { ref, object, isForced }, signal);
      if (waiting !== undefined) retiring.push(waiting);
    }
  }
  // What was done may have taken long; another Cluster of the name has a pass of its own.
  const current = context.clusterOf(workspace, name);
  if (cluster !== undefined && current !== undefined && current.metadata.uid === cluster.metadata.uid) {
    const there = areSecretsKept ? live : wanted.filter(({ ref }) => !taken.includes(describeRef(ref)));
    const published = describeSecrets(there);
    const { unselects } = context.removal;
    const state = { published, taken, retiring, isClusterApis, refusal, unselects };
    await reportPublished(context, current, { state, signal });
  }
  if (taken.length > 0 || isAddressRefused === true) return takenRetryMs;
  if (retiring.length > 0) return requeueAfterMs(context.removal);
  return isWanted && Number.isFinite(endMs) ? endMs - nowMs : undefined;
}

/** Epoch ms until which a Cluster is published: the end of its grace period once it leaves. */
function publishedUntilMs(cluster: Cluster): number {
  if (cluster.metadata.annotations?.[annotationKeys.leave] === undefined) return Infinity;
  const since = cluster.status?.leave?.since;
  // A moment later the hub has written since when it leaves; without a grace period that is of no matter.
  if (since === undefined) return cluster.spec?.deletionGracePeriod === undefined ? 0 : Infinity;
  return graceEndMs(cluster, since);
}

/** Writes the condition Published of a Cluster, unless it is there already. E_KUBE_CONFLICT when it has changed since. */
async function reportPublished(
  { hubApi, nowMs }: PublishContext,
  cluster: Cluster,
  { state, signal }: { readonly state: PublishedState; readonly signal: AbortSignal },
): Promise<void> {
  const { metadata, status } = cluster;
  const result = publishedResult(state);
  const before = status?.conditions;
  if (result === undefined && findCondition(before, "Published") === undefined) return;
  const { generation, resourceVersion } = metadata;
  const conditions = toConditions(result === undefined ? [] : [result], before, {
    nowMs: nowMs(),
    ...(generation === undefined ? {} : { generation }),
  });
  const manager = fieldManagers.publisher;
  const withStatus: KubeObject = {
    apiVersion: apiVersionOf(resourceTypes.cluster),
    kind: resourceTypes.cluster.kind,
    metadata: nameOf(metadata),
    status: conditions.length === 0 ? {} : { conditions },
  };
  if (diffOwnedFields(withStatus, cluster, { manager, subresource: "status" }).length === 0) return;
  if (resourceVersion !== undefined) withStatus.metadata.resourceVersion = resourceVersion;
  await hubApi.apply(withUidOf(cluster, withStatus), { fieldManager: manager, subresource: "status", signal });
}

/**
 * Where a Secret is published. The short name stays as long as the Secret has it: other tools hold it. A new Secret gets
 * the long name where another Cluster has, or could have, the short one.
 */
function placeOf(
  { published, clusterOf }: PublishContext,
  cluster: Cluster,
  { namespace, secretName }: { readonly namespace: string; readonly secretName: (publishedName: string) => string },
): SecretPlace {
  const { short, long } = publishedNames(cluster);
  const ownKey = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
  const keyAt = (publishedName: string): string | undefined => {
    const found = published
      .filter(({ type }) => type.kind === resourceTypes.secret.kind)
      .map((cache) => cache.get(namespace, secretName(publishedName)))
      .find((object) => object !== undefined);
    return found && publishedKey(found);
  };
  const holder = keyAt(short);
  if (holder === ownKey) return { namespace, publishedName: short };
  const isAmbiguous =
    short === argoOwnName ||
    holder !== undefined ||
    namesakes(cluster).some(({ workspace, name }) => clusterOf(workspace, name));
  return { namespace, publishedName: isAmbiguous || keyAt(long) === ownKey ? long : short };
}

interface Wanted {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  readonly status?: unknown;
}

interface WantedObjects {
  readonly wanted: readonly Wanted[];
  /** The kubeconfig is Cluster API's own: no Secret is made of it. */
  readonly isClusterApis: boolean;
  /** Why no Secret can be made of the kubeconfig. */
  readonly refusal?: string;
  /** The reason is its address, which another Cluster may hold: that one may go. */
  readonly isAddressRefused?: boolean;
}

const nothingWanted: WantedObjects = { wanted: [], isClusterApis: false };

async function wantedObjects(context: PublishContext, cluster: Cluster): Promise<WantedObjects> {
  const { clusterProfiles, argocd, flux } = context.targets;
  const wanted: Wanted[] = [];
  if (clusterProfiles) {
    const { object, status } = clusterProfile(cluster);
    wanted.push({ ref: refOf(resourceTypes.clusterProfile, object), object, status });
  }
  const kubeconfig = argocd === undefined && flux === undefined ? undefined : context.kubeconfigOf(cluster);
  if (kubeconfig === undefined) return { wanted, isClusterApis: false };
  // The contract of Cluster API: its kubeconfig must not be shared with other users or applications.
  const isAllowed = cluster.metadata.annotations?.[annotationKeys.publishClusterApi] === "true";
  if (kubeconfig.isClusterApis && !isAllowed) return { wanted, isClusterApis: true };
  // A kubeconfig that is refused for the agent's installation is not published either.
  let access: ClusterAccess;
  try {
    access = await context.readAccess(kubeconfig.text);
  } catch (error) {
    // Tried again when the Secret changes: its content stays refused.
    if (isAppError(error, "E_KUBECONFIG")) return { wanted, isClusterApis: false, refusal: error.message };
    throw error;
  }
  const refusal = argocd === undefined ? undefined : claimAddress(cluster, access.server, context);
  if (refusal !== undefined) return { wanted, isClusterApis: false, refusal, isAddressRefused: true };
  const secrets: KubeObject[] = [];
  if (argocd !== undefined) {
    const place = placeOf(context, cluster, { namespace: argocd, secretName: argoSecretName });
    secrets.push(argoClusterSecret(cluster, place, access));
  }
  if (flux !== undefined) {
    const place = placeOf(context, cluster, { namespace: flux, secretName: fluxSecretName });
    secrets.push(fluxKubeconfigSecret(cluster, place, access));
  }
  const ofSecrets = secrets.map((object) => ({ ref: refOf(resourceTypes.secret, object), object }));
  return { wanted: [...wanted, ...ofSecrets], isClusterApis: false };
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
    // What is not seen as ours may be another program's object of this name: that one is not taken over.
    await hubApi.apply(withUidOf(live, object), { fieldManager: manager, isForced: live !== undefined, signal });
  }
  if (status === undefined) return;
  const { apiVersion, kind, metadata } = object;
  const withStatus: KubeObject = { apiVersion, kind, metadata: nameOf(metadata), status };
  if (live && diffOwnedFields(withStatus, live, { manager, subresource: "status" }).length === 0) return;
  await hubApi.apply(withUidOf(live, withStatus), { fieldManager: manager, subresource: "status", signal });
}

function nameOf({ name, namespace }: KubeObject["metadata"]): KubeObject["metadata"] {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

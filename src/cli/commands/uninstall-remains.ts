import { AppError, isAppError } from "../../core/errors.ts";
import { trustKeySecretName } from "../../hub/trust-key.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { watchRecordName } from "../../hub/watch-record.ts";
import { clusternetHubObjects } from "../../model/dialects/clusternet-hub-objects.ts";
import { fleetHubObjects } from "../../model/dialects/fleet-hub-objects.ts";
import { hubInfoName, publicNamespace } from "../../model/dialects/rollcall.ts";
import { crds } from "../../model/generated/crds.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import { refOf } from "../../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../../model/well-known.ts";
import { isAppliedBy } from "../../planning/owned-fields.ts";
import { hubWideObjects } from "../../install/install-hub.ts";
import { isMadeForHub } from "../../install/install-objects.ts";
import { leaseNames, leaseOfRepository } from "../../daemon/leadership.ts";
import { realClock } from "../../system/real-clock.ts";

/** How long the deletion of a definition may take. */
const deletedTimeoutMs = 30_000;

/** Kinds of our own, in the order of their removal. */
const ownKinds: readonly ResourceType[] = [
  resourceTypes.clusterRegistration,
  resourceTypes.clusterReport,
  resourceTypes.clusterRegistrationToken,
  resourceTypes.clusterGroup,
  resourceTypes.cluster,
  resourceTypes.repository,
];

/** Other kinds that belong to a cluster, a token or a repository, by label. Rights are deleted before what they allow to use. */
const childKinds: readonly ResourceType[] = [
  resourceTypes.roleBinding,
  resourceTypes.role,
  resourceTypes.serviceAccount,
  resourceTypes.secret,
  resourceTypes.configMap,
  resourceTypes.lease,
];

/** Kinds outside the workspaces that credentials and rights of foreign agents are of; each carries its workspace as a label. */
const outsideKinds: readonly ResourceType[] = [
  resourceTypes.clusterRoleBinding,
  resourceTypes.roleBinding,
  resourceTypes.clusterRole,
  resourceTypes.role,
  resourceTypes.serviceAccount,
  resourceTypes.secret,
];

/**
 * Removes the remains of the fleet: objects with our labels in the workspaces, in namespaces that were workspaces and still have
 * clusters or tokens, and outside of them; then all objects of our kinds, the objects that a hub needs as a whole and to serve
 * foreign agents (except definitions and namespaces), and those of the daemon in its own namespace. A user's kubeconfig Secret
 * has none of our labels, and stays.
 */
export async function removeRemains(
  hubApi: KubeApi,
  {
    namespace,
    workspaces,
    signal,
  }: { readonly namespace: string; readonly workspaces: readonly string[]; readonly signal: AbortSignal },
): Promise<number> {
  const own = await Promise.all(
    ownKinds.map(async (type) => ({ type, items: await listIfServed(hubApi, type, { signal }) })),
  );
  const used = own.filter(({ type }) => type !== resourceTypes.repository).flatMap(({ items }) => items);
  const places = new Set([...workspaces, ...used.flatMap(({ metadata }) => metadata.namespace ?? [])]);
  const lists = [
    ...childKinds.flatMap((type) =>
      [...places].flatMap((place) =>
        [labelKeys.cluster, labelKeys.token, labelKeys.repository].map(async (labelSelector) => {
          const { items } = await hubApi.list(type, { namespace: place, labelSelector, signal });
          return { type, items };
        }),
      ),
    ),
    ...outsideKinds.map((type) =>
      hubApi.list(type, { labelSelector: labelKeys.ownerWorkspace, signal }).then(({ items }) => ({ type, items })),
    ),
  ];
  const found = [
    // A run that is stopped finds by the objects of our kinds where it was.
    ...[...(await Promise.all(lists)), ...own].flatMap(({ type, items }) => items.map((item) => foundOf(type, item))),
    ...(await listHubWide(hubApi, signal)),
    ...(await listPublished(hubApi, resourceTypes.secret, signal)),
    ...(await listPublished(hubApi, resourceTypes.clusterProfile, signal)),
  ];
  const leases = await hubApi.list(resourceTypes.lease, { namespace, signal });
  const kept: Found[] = [
    { type: resourceTypes.secret, namespace, name: trustKeySecretName },
    ...leases.items.filter(isOfDaemon).map((lease) => foundOf(resourceTypes.lease, lease)),
  ];
  for (const one of [...found, ...kept]) await deleteIfThere(hubApi, one, signal);
  return found.length + kept.length;
}

/** What was found under a name: another object of that name is not deleted. */
type Found = ObjectRef & { readonly uid?: string };

function foundOf(type: ResourceType, object: KubeObject): Found {
  const { uid } = object.metadata;
  return { ...refOf(type, object), ...(uid === undefined ? {} : { uid }) };
}

/** A hub that has it has something of Rollcall: of all that an uninstall removes, it is the last. */
export const lastDefinition = "clusters.rollcall.dev";

/** Removes the definitions that Rollcall made; resolves with how many there were. */
export async function removeDefinitions(hubApi: KubeApi, signal: AbortSignal): Promise<number> {
  const type = resourceTypes.customResourceDefinition;
  const label = "app.kubernetes.io/part-of";
  const isLast = (crd: KubeObject): boolean => crd.metadata.name === lastDefinition;
  let count = 0;
  for (const crd of [...crds.filter((each) => !isLast(each)), ...crds.filter(isLast)]) {
    const live = await hubApi.get({ type, name: crd.metadata.name }, { signal });
    if (!live || live.metadata.labels?.[label] !== crd.metadata.labels?.[label]) continue;
    await deleteIfThere(hubApi, foundOf(type, live), signal);
    await untilDeleted(hubApi, crd.metadata.name, signal);
    count++;
  }
  return count;
}

/** An API server removes a definition after its objects. */
async function untilDeleted(hubApi: KubeApi, name: string, signal: AbortSignal): Promise<void> {
  const deadlineMs = realClock.monotonicMs() + deletedTimeoutMs;
  while ((await hubApi.get({ type: resourceTypes.customResourceDefinition, name }, { signal })) !== undefined) {
    if (realClock.monotonicMs() > deadlineMs) {
      throw new AppError(
        "E_KUBE_SERVER",
        `CustomResourceDefinition/${name} is still there after 30 s: an object of it is not deleted`,
        { remedy: `\`kubectl get ${name} -A\` lists the objects. Remove their finalizers, and run the command again.` },
      );
    }
    await realClock.sleep(100, signal);
  }
}

function isOfDaemon({ metadata: { name } }: KubeObject): boolean {
  const { hub, repository } = leaseNames;
  return [hub, repository, watchRecordName].includes(name) || name.startsWith(leaseOfRepository(""));
}

/**
 * Rights and policies that Rollcall made for the hub as a whole and to serve foreign agents, and the hub's public info; what is
 * bound after what binds it.
 */
async function listHubWide(hubApi: KubeApi, signal: AbortSignal): Promise<Found[]> {
  const refs = [...hubWideObjects(), ...fleetHubObjects, ...clusternetHubObjects].reverse().flatMap((object) => {
    const type = resourceTypeOf(object);
    return type === undefined || type === resourceTypes.namespace ? [] : [refOf(type, object)];
  });
  refs.push({ type: resourceTypes.configMap, namespace: publicNamespace, name: hubInfoName });
  const live = await Promise.all(refs.map((ref) => getIfServed(hubApi, ref, signal)));
  return refs.flatMap(({ type }, index) => {
    const object = live[index];
    const isOurs = object !== undefined && (isMadeForHub(object) || isAppliedBy(object, fieldManagers.hub));
    return isOurs ? [foundOf(type, object)] : [];
  });
}

/** Undefined also where the hub does not know the kind, or this version of it. */
async function getIfServed(hubApi: KubeApi, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await hubApi.get(ref, { signal });
  } catch (error) {
    if (isAppError(error, "E_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** What was published for other systems, wherever it is; nothing of a kind that the hub does not know. */
async function listPublished(hubApi: KubeApi, type: ResourceType, signal: AbortSignal): Promise<Found[]> {
  const items = await listIfServed(hubApi, type, { labelSelector: labelKeys.publishedCluster, signal });
  // Controllers of other tools copy labels of a ClusterProfile to Secrets of their own.
  return items.filter((item) => isAppliedBy(item, fieldManagers.hub)).map((item) => foundOf(type, item));
}

/** The objects of a kind; none of one that the hub does not know, such as ours after an uninstall that was stopped. */
export async function listIfServed(
  hubApi: KubeApi,
  type: ResourceType,
  options: Parameters<KubeApi["list"]>[1],
): Promise<readonly KubeObject[]> {
  try {
    return (await hubApi.list(type, options)).items;
  } catch (error) {
    if (isAppError(error, "E_KUBE_NOT_FOUND")) return [];
    throw error;
  }
}

/** A kind without definition has no objects. */
async function deleteIfThere(hubApi: KubeApi, { uid, ...ref }: Found, signal: AbortSignal): Promise<void> {
  try {
    await hubApi.delete(ref, { ...(uid === undefined ? {} : { uid }), signal });
  } catch (error) {
    // Another object has the name now.
    if (!isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_CONFLICT")) throw error;
  }
}

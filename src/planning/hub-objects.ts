import { compareText } from "../core/compare-text.ts";
import type { ClusterStatus } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import type { EditByHand } from "./edits-by-hand.ts";
import { describeEdits, describeNotInGit, isFromGit, refusalNotInGit } from "./edits-by-hand.ts";
import { findCondition } from "./conditions.ts";

/** An object on the hub, or fields of a declared one, that no file declares. */
export interface HubObject {
  /** `Cluster/fleet/eu-1`; a kind of another project with its group. */
  readonly object: string;
  readonly reason: "NotInGit" | "EditedOnHub";
  readonly message: string;
}

/** Marks of others who keep an object: Argo CD, Flux, Helm, Rancher. What they made, no person made. */
const otherDeployers = {
  labels: [
    "app.kubernetes.io/managed-by",
    "kustomize.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/name",
    "management.cattle.io/cluster-name",
  ],
  annotations: ["argocd.argoproj.io/tracking-id", "meta.helm.sh/release-name"],
};
const ownGroup = resourceTypes.cluster.group;

/**
 * The object or fields of a declared kind that a user wrote on the hub and no file declares; undefined when there are
 * none, or when an allowed manager wrote them. Statuses and annotations do not count.
 */
export function hubObjectOf(live: KubeObject): HubObject | undefined {
  const type = resourceTypeOf(live);
  if (type === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
  const finding = type.group === ownGroup ? findingOfOwn(live) : findingOfForeign(live);
  return finding && { object: describeRef(refOf(type, live)), ...finding };
}

/** All of them, by name. */
export function hubObjects(objects: readonly KubeObject[]): readonly HubObject[] {
  return objects.flatMap((live) => hubObjectOf(live) ?? []).sort((a, b) => compareText(a.object, b.object));
}

type Finding = Omit<HubObject, "object">;

function findingOfOwn(live: KubeObject): Finding | undefined {
  if (live.kind === resourceTypes.cluster.kind) {
    const { conditions } = (live["status"] ?? {}) as ClusterStatus;
    const accepted = findCondition(conditions, "Accepted");
    if (accepted?.reason === "NotInGit") return { reason: "NotInGit", message: accepted.message };
    const declared = findCondition(conditions, "Declared");
    return declared && { reason: "EditedOnHub", message: declared.message };
  }
  return isFromGit(live) ? editsOf(live) : { reason: "NotInGit", message: refusalNotInGit(live).message };
}

function findingOfForeign(live: KubeObject): Finding | undefined {
  // Agents and other controllers write to these kinds as well.
  if (isOwned(live)) return editsOf(live, ({ manager }) => manager.startsWith("kubectl"));
  if (isKeptByOthers(live)) return undefined;
  const isGroup = resourceTypeOf(live) === resourceTypes.fleetGroup;
  return { reason: "NotInGit", message: isGroup ? describeGroup(live) : describeNotInGit(live, "nothing serves it") };
}

/** A file of this kind becomes a ClusterGroup of our own: the object of the same name belongs to Fleet's controllers alone. */
function describeGroup({ metadata: { namespace = "", name } }: KubeObject): string {
  return (
    `Nothing serves Fleet's ClusterGroup ${namespace}/${name} on the hub, since files declare groups. If no file declares it, ` +
    "write it to one and push. Delete it on the hub when Fleet's controllers no longer need it."
  );
}

function editsOf(live: KubeObject, isMeant?: (edit: EditByHand) => boolean): Finding | undefined {
  const message = describeEdits(live, isMeant);
  return message === undefined ? undefined : { reason: "EditedOnHub", message };
}

/** It was rendered from a Cluster or token, whose file declares it. */
export function isOwned({ metadata: { labels = {} } }: KubeObject): boolean {
  return Object.hasOwn(labels, labelKeys.cluster) || Object.hasOwn(labels, labelKeys.token);
}

/** Whether another program keeps the object: then no person made it. */
export function isKeptByOthers({
  metadata: { labels = {}, annotations = {}, ownerReferences = [] },
}: KubeObject): boolean {
  return (
    ownerReferences.some(({ controller }) => controller === true) ||
    otherDeployers.labels.some((key) => Object.hasOwn(labels, key)) ||
    otherDeployers.annotations.some((key) => Object.hasOwn(annotations, key))
  );
}

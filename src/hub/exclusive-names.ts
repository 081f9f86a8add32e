import { memoizeWeak } from "../core/memoize-weak.ts";
import type { JoinProtocol } from "../join/join.ts";
import type { ExclusiveName } from "../model/exclusive-name.ts";
import { labelsMissing } from "../model/exclusive-name.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { isAdopting } from "../model/is-adopting.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import { isSameCluster } from "../model/previous-name.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import type { Refusal } from "../planning/cluster-status-inputs.ts";
import { isMadeByHand } from "../planning/edits-by-hand.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { ChildOwner } from "./child-owners.ts";
import { ownerKey } from "./child-owners.ts";
import { viewIndex } from "./view-index.ts";

type NamePorts = Pick<HubPorts, "view">;
type Naming = Pick<JoinProtocol, "name" | "exclusiveNames">;

/**
 * Why a member may not have its exclusive names: another member has one, or another manager made the object and no file
 * adopts it. If two members want a free name, the older Cluster gets it.
 */
export function refusalByName(ports: NamePorts, protocol: Naming, member: Member): Refusal | undefined {
  for (const ref of protocol.exclusiveNames(member)) {
    const live = ports.view.get(ref);
    const refusal =
      live && !hasLostLabels(ports, ref, live)
        ? refusalByHolder(ports, member, { ref, live })
        : refusalByElder(ports, protocol, { member, ref });
    if (refusal) return refusal;
  }
  return undefined;
}

/** The hub made it, and a person took the labels off: it is free, and the pass of the member or token puts them back. */
function hasLostLabels({ view }: NamePorts, ref: ObjectRef, live: KubeObject): boolean {
  return view.ownersOf(ref, live).length === 0 && isAppliedBy(live, fieldManagers.hub);
}

function refusalByHolder(
  { view }: NamePorts,
  member: Member,
  { ref, live }: { readonly ref: ExclusiveName; readonly live: KubeObject },
): Refusal | undefined {
  const holder = view.ownersOf(ref, live).find(({ label }) => label === labelKeys.cluster);
  if (holder === undefined)
    return refusalOfLabels(ref, live) ?? (isAdopting(member.cluster) ? undefined : refusalToTakeOver(ref));
  return isSameCluster(holder, member) ? undefined : taken(ref, `${holder.workspace}/${holder.name}`);
}

/**
 * Why a token may not have the objects that it needs: a cluster or another token has one, or another manager made one and no
 * file adopts it.
 */
export function refusalOfToken(
  { view }: NamePorts,
  { workspace, name, token }: TokenSubject,
  wanted: readonly ObjectRef[],
): Refusal | undefined {
  const own = ownerKey({ label: labelKeys.token, workspace, name });
  for (const ref of wanted) {
    const live = view.get(ref);
    if (live === undefined || hasLostLabels({ view }, ref, live)) continue;
    const owners = view.ownersOf(ref, live);
    const [other] = owners;
    if (other === undefined && !isAdopting(token)) return refusalToTakeOver(ref);
    if (other !== undefined && !owners.some((owner) => ownerKey(owner) === own)) return takenFromToken(ref, other);
  }
  return undefined;
}

/** What a file may name freely could be any object of the hub, such as the namespace of another team. */
function refusalOfLabels(ref: ExclusiveName, live: KubeObject): Refusal | undefined {
  const missing = labelsMissing(live, ref.labelsToAdopt ?? {});
  if (missing.length === 0) return undefined;
  return {
    reason: "NameExists",
    message: `${describeRef(ref)} exists and was not made for this cluster: it lacks ${missing.join(", ")}, and no file can take it over. Name another one.`,
  };
}

function refusalToTakeOver(ref: ObjectRef): Refusal {
  return {
    reason: "NameExists",
    message: `${describeRef(ref)} exists and was not made by Rollcall. Annotate the file ${annotationKeys.adopt}: "true" to take it over.`,
  };
}

function refusalByElder(
  { view }: NamePorts,
  protocol: Naming,
  { member, ref }: { readonly member: Member; readonly ref: ObjectRef },
): Refusal | undefined {
  if (ref.namespace === member.workspace) return undefined; // a Cluster's own name: no other member has it there
  const wanted = describeRef(ref);
  const mine = ageOf(member.cluster);
  for (const other of wantersOf(protocol)(view, wanted)) {
    const { namespace = "", name } = other.metadata;
    if (ageOf(other) >= mine || !isServedUnder(wanted, protocol, view.memberOf(namespace, name))) continue;
    return taken(ref, `${namespace}/${name}`);
  }
  return undefined;
}

/** What a person wrote on the hub is not served, so it takes no name from a cluster of another workspace. */
function isServedUnder(wanted: string, protocol: Naming, member: Member | undefined): boolean {
  if (member === undefined || isMadeByHand(member)) return false;
  const { cluster } = member;
  return (cluster.spec?.protocol ?? "rollcall") === protocol.name && wantedNamesOf(cluster, protocol).includes(wanted);
}

/** Names that a Cluster must have for itself, as text. */
export const wantedNamesOf = memoizeWeak((cluster: Cluster, protocol: Naming): readonly string[] => {
  const { namespace: workspace = "", name } = cluster.metadata;
  return protocol.exclusiveNames({ workspace, name, cluster }).map(describeRef);
});

/** Clusters by these names: each new member asks for those of its own. */
const wantersOf = memoizeWeak((protocol: Naming) =>
  viewIndex(resourceTypes.cluster, (object) => {
    const cluster = object as Cluster;
    return (cluster.spec?.protocol ?? "rollcall") === protocol.name ? wantedNamesOf(cluster, protocol) : [];
  }),
);

function taken(ref: ObjectRef, holder: string): Refusal {
  const message = `${describeRef(ref)} belongs to cluster ${holder}: two clusters cannot have this name. Rename one of them.`;
  return { reason: "NameTaken", message };
}

function takenFromToken(ref: ObjectRef, { label, workspace, name }: ChildOwner): Refusal {
  const holder = `${label === labelKeys.cluster ? "cluster" : "token"} ${workspace}/${name}`;
  return { reason: "NameTaken", message: `${describeRef(ref)} belongs to ${holder}. Rename the token.` };
}

/** Older ones come first; of equal ones the workspace decides. */
function ageOf({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.namespace ?? ""}/${metadata.name}`;
}

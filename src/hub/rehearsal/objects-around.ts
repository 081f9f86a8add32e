import type { JoinProtocol } from "../../join/join.ts";
import type { ClusterName } from "../../model/member-state.ts";
import { memberStateName } from "../../model/member-state.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterRegistrationToken } from "../../model/generated/cluster-registration-token.ts";
import type { ProtocolName } from "../../model/generated/protocol.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../model/member.ts";
import type { PlannedChange } from "../../model/plan.ts";
import { readPreviousName } from "../../model/previous-name.ts";
import { resourceTypeOf, resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../model/well-known.ts";
import type { HubView } from "../hub-view.ts";
import { wantedNamesOf } from "../exclusive-names.ts";

/** What is on the hub, by name and by owner: a view of it, or what is on record. */
export interface AroundView extends Pick<HubView, "get" | "childrenOf" | "memberStateOf"> {
  list(type: ResourceType): readonly KubeObject[];
  memberOf(workspace: string, name: string): Pick<Member, "cluster" | "children" | "kubeconfigSecret"> | undefined;
}

export interface AroundInputs {
  readonly view: AroundView;
  readonly changes: readonly PlannedChange[];
  /** Those that the daemon serves. */
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  readonly hubFacts: HubFacts;
}

type Take = (object: KubeObject | undefined) => void;

/**
 * The objects that the controllers read for these changes: the changed clusters and tokens with all that belongs to
 * them, predecessors and successors, named Secrets, and the owners of names that they want. The number of objects
 * depends on the changes, not on the fleet.
 */
export function objectsAround(inputs: AroundInputs): readonly KubeObject[] {
  const { view, changes } = inputs;
  const found = new Map<string, KubeObject>();
  const take: Take = (object) => {
    const type = object && resourceTypeOf(object);
    if (object && type) found.set(describeRef(refOf(type, object)), object);
  };
  const takeMember = memberTaker(view, take);
  const wanted = new Map<ProtocolName, Set<string>>();
  const secrets = new Set<string>();
  for (const change of changes) {
    const { ref } = change;
    const { namespace: workspace = "", name } = ref;
    take(view.get(ref));
    if (ref.type === resourceTypes.cluster) {
      takeMember({ workspace, name });
      if ("object" in change) takeNamed(inputs, change.object as Cluster, { take, wanted });
      if ("former" in change && change.former) takeMember(nameOf(change.former.ref));
      const previous = "object" in change ? (change.object as Cluster).spec?.previousName : undefined;
      if (previous !== undefined) takeMember(readPreviousName(previous, workspace));
    }
    if (ref.type === resourceTypes.clusterRegistrationToken) {
      for (const child of view.childrenOf(labelKeys.token, workspace, name)) take(child);
      if ("object" in change) takeTokenObjects(inputs, change.object as ClusterRegistrationToken, take);
    }
    if (ref.type === resourceTypes.secret) secrets.add(`${workspace}/${name}`);
  }
  takeAcrossFleet(inputs, { take, takeMember, wanted, secrets });
  return [...found.values()];
}

/** Clusters that name a Secret for their kubeconfig. */
export function usersOf(view: AroundView, { workspace, name }: ClusterName): ClusterName[] {
  return (view.list(resourceTypes.cluster) as readonly Cluster[])
    .filter(({ metadata, spec }) => metadata.namespace === workspace && spec?.kubeConfigSecretRef?.name === name)
    .map(({ metadata }) => ({ workspace, name: metadata.name }));
}

/** Takes a member with all that belongs to it, and those whose place it takes or that take its place; each once. */
function memberTaker(view: AroundView, take: Take): (member: ClusterName) => void {
  const seen = new Set<string>();
  const takeMember = ({ workspace, name }: ClusterName): void => {
    const key = `${workspace}/${name}`;
    if (seen.has(key)) return;
    seen.add(key);
    const member = view.memberOf(workspace, name);
    take(member?.cluster);
    take(member?.kubeconfigSecret);
    take(view.get({ type: resourceTypes.configMap, namespace: workspace, name: memberStateName(name) }));
    for (const child of member?.children ?? []) take(child);
    for (const child of view.childrenOf(labelKeys.cluster, workspace, name)) take(child);
    const state = view.memberStateOf(workspace, name);
    if (state?.movedFrom) takeMember(state.movedFrom);
    const { metadata, spec } = member?.cluster ?? {};
    const to = metadata?.annotations?.[annotationKeys.movedTo];
    if (to !== undefined) takeMember(readPreviousName(to, ""));
    if (spec?.previousName !== undefined) takeMember(readPreviousName(spec.previousName, workspace));
    if (member === undefined && state !== undefined)
      for (const successor of successorsOf(view, key)) takeMember(successor);
  };
  return takeMember;
}

/** Clusters that took over from a cluster that is not there any more. */
function successorsOf(view: AroundView, key: string): ClusterName[] {
  return view
    .list(resourceTypes.cluster)
    .map(({ metadata: { namespace: workspace = "", name } }) => ({ workspace, name }))
    .filter(({ workspace, name }) => {
      const from = view.memberStateOf(workspace, name)?.movedFrom;
      return from !== undefined && `${from.workspace}/${from.name}` === key;
    });
}

/**
 * Secrets that the changed cluster names, and the owners of its exclusive names; those of the whole hub are recorded.
 */
function takeNamed(
  { view, protocols }: AroundInputs,
  cluster: Cluster,
  { take, wanted }: { readonly take: Take; readonly wanted: Map<ProtocolName, Set<string>> },
): void {
  const { namespace: workspace = "", name } = cluster.metadata;
  const { protocol: protocolName = "rollcall", kubeConfigSecretRef } = cluster.spec ?? {};
  const protocol = protocols.get(protocolName);
  const named = protocol?.namedSecrets(cluster) ?? [];
  for (const secret of kubeConfigSecretRef === undefined ? named : [...named, kubeConfigSecretRef.name])
    take(view.get({ type: resourceTypes.secret, namespace: workspace, name: secret }));
  for (const ref of protocol?.exclusiveNames({ workspace, name, cluster }) ?? []) {
    takeHolder(view, ref, take);
    if (ref.namespace === workspace) continue;
    wanted.set(protocolName, (wanted.get(protocolName) ?? new Set()).add(describeRef(ref)));
  }
}

/** In one pass over all clusters: who wants one of these names too, and who uses one of these Secrets. */
function takeAcrossFleet(
  { view, protocols }: AroundInputs,
  {
    take,
    takeMember,
    wanted,
    secrets,
  }: {
    readonly take: Take;
    readonly takeMember: (member: ClusterName) => void;
    readonly wanted: ReadonlyMap<ProtocolName, ReadonlySet<string>>;
    readonly secrets: ReadonlySet<string>;
  },
): void {
  if (wanted.size === 0 && secrets.size === 0) return;
  for (const cluster of view.list(resourceTypes.cluster) as readonly Cluster[]) {
    const { namespace: workspace = "", name } = cluster.metadata;
    const { protocol: protocolName = "rollcall", kubeConfigSecretRef } = cluster.spec ?? {};
    if (secrets.has(`${workspace}/${kubeConfigSecretRef?.name ?? ""}`)) takeMember({ workspace, name });
    const names = wanted.get(protocolName);
    const protocol = names && protocols.get(protocolName);
    if (protocol && wantedNamesOf(cluster, protocol).some((one) => names.has(one))) take(cluster);
  }
}

/** Objects that exist where the changed token wants its own. */
function takeTokenObjects(
  { view, protocols, hubFacts }: AroundInputs,
  token: ClusterRegistrationToken,
  take: Take,
): void {
  const { namespace: workspace = "", name } = token.metadata;
  const subject = { workspace, name, token, children: [] };
  for (const object of protocols.get(token.spec?.protocol ?? "rollcall")?.desiredTokenObjects(subject, hubFacts) ??
    []) {
    const type = resourceTypeOf(object);
    if (type) takeHolder(view, refOf(type, object), take);
  }
  takeHolder(view, { type: resourceTypes.secret, namespace: workspace, name }, take);
}

/** An object, and the namespace by whose labels it belongs to a cluster. */
function takeHolder(view: AroundView, ref: ObjectRef, take: Take): void {
  take(view.get(ref));
  if (ref.namespace !== undefined) take(view.get({ type: resourceTypes.namespace, name: ref.namespace }));
}

function nameOf({ namespace: workspace = "", name }: ObjectRef): Pick<Member, "workspace" | "name"> {
  return { workspace, name };
}

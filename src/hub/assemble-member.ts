import type { Cluster } from "../model/generated/cluster.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import type { MemberState } from "../model/member-state.ts";
import type { Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import { withoutEditsByHand } from "../planning/edits-by-hand.ts";
import type { ChildOwner } from "./child-owners.ts";

/** What a protocol keeps of a member besides its labelled children. */
export interface ProtocolObjects {
  /** The kind of a member's registration, by its protocol. Default: that of rollcall.dev for all. */
  readonly registrationTypeOf?: (protocol: ProtocolName) => ResourceType | undefined;
  /** Secrets that a Cluster names for its protocol. Default none. */
  readonly namedSecretsOf?: (protocol: ProtocolName, cluster: Cluster) => readonly string[];
}

/** What a member is read from. */
export interface MemberParts {
  get(ref: ObjectRef): KubeObject | undefined;
  childrenOf(label: ChildOwner["label"], workspace: string, name: string): readonly KubeObject[];
  memberStateOf(workspace: string, name: string): MemberState | undefined;
}

/** A member with everything that belongs to it; undefined without its Cluster. Where it was moved from is left out. */
export function assembleMember(
  parts: MemberParts,
  { registrationTypeOf = () => resourceTypes.clusterRegistration, namedSecretsOf = () => [] }: ProtocolObjects,
  { workspace, name }: { readonly workspace: string; readonly name: string },
): Member | undefined {
  const inWorkspace = (type: ResourceType, object: string): KubeObject | undefined =>
    parts.get({ type, ...(type.isNamespaced ? { namespace: workspace } : {}), name: object });
  const live = inWorkspace(resourceTypes.cluster, name);
  if (!live) return undefined;
  const state = parts.memberStateOf(workspace, name);
  const cluster = withoutEditsByHand(live as Cluster, state?.origin?.spec);
  const children = parts.childrenOf(labelKeys.cluster, workspace, name);
  const { protocol = "rollcall" } = state?.formerProtocol?.spec ?? cluster.spec ?? {};
  const registrationType = registrationTypeOf(protocol);
  const registration =
    state?.join && registrationType ? inWorkspace(registrationType, state.join.registration) : undefined;
  const named = namedSecretsOf(protocol, cluster).flatMap((secret) => inWorkspace(resourceTypes.secret, secret) ?? []);
  const further = [...(registration === undefined ? [] : [registration]), ...named].filter(
    (object) => !children.includes(object),
  );
  const { kubeConfigSecretRef } = cluster.spec ?? {};
  const kubeconfigSecret = kubeConfigSecretRef && inWorkspace(resourceTypes.secret, kubeConfigSecretRef.name);
  return {
    workspace,
    name,
    cluster,
    state,
    children: further.length === 0 ? children : [...children, ...further],
    ...(kubeconfigSecret === undefined ? {} : { kubeconfigSecret }),
  };
}

import type { ExclusiveName } from "../model/exclusive-name.ts";
import { isAdopting } from "../model/is-adopting.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../model/member.ts";
import type { PlannedChange } from "../model/plan.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { diffOwnedFields } from "./owned-fields.ts";

export interface ChildrenInputs {
  /** What the join protocol wants, each with the owner label. */
  readonly desired: readonly KubeObject[];
  /** What is there with the owner label. */
  readonly children: readonly KubeObject[];
  /** Kinds whose undesired children go. */
  readonly ownedTypes: readonly ResourceType[];
  /** True when the owner's file takes over objects that another program made. Default false. */
  readonly isAdopting?: boolean;
  /** Of them, those that are taken over by their labels alone. Default none. */
  readonly exclusiveNames?: readonly ExclusiveName[];
  /** Names (by `describeRef`) that stay although they are not desired: issued credentials in use. */
  readonly kept?: ReadonlySet<string>;
}

export interface ChildrenPlan {
  readonly changes: readonly PlannedChange[];
  /** Desired objects of kinds that this program does not know; a defect of the protocol. */
  readonly unknown: readonly KubeObject[];
}

/** What decides on the children of members and tokens; each join protocol is one. */
export interface ChildrenProtocol {
  readonly ownedTypes: readonly ResourceType[];
  desiredObjects(member: Member, hub: HubFacts): readonly KubeObject[];
  desiredTokenObjects(subject: TokenSubject, hub: HubFacts): readonly KubeObject[];
  keptObjects(subject: ChildrenSubject, hub: HubFacts): readonly ObjectRef[];
  exclusiveNames(member: Member): readonly ExclusiveName[];
}

export type ChildrenSubject =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "token"; readonly subject: TokenSubject };

/** The same for one member or token, by its protocol. The hub's controllers and the planner both come through here. */
export function planChildrenOf(protocol: ChildrenProtocol, subject: ChildrenSubject, hub: HubFacts): ChildrenPlan {
  const kept = new Set(protocol.keptObjects(subject, hub).map(describeRef));
  const owner = subject.kind === "member" ? subject.member.cluster : subject.subject.token;
  const { ownedTypes } = protocol;
  return planChildren({ ...childrenOf(protocol, subject, hub), ownedTypes, kept, isAdopting: isAdopting(owner) });
}

function childrenOf(
  protocol: ChildrenProtocol,
  subject: ChildrenSubject,
  hub: HubFacts,
): Pick<ChildrenInputs, "desired" | "children" | "exclusiveNames"> {
  if (subject.kind === "token") {
    const { children } = subject.subject;
    return { desired: protocol.desiredTokenObjects(subject.subject, hub), children };
  }
  const { member } = subject;
  const exclusiveNames = protocol.exclusiveNames(member);
  return { desired: protocol.desiredObjects(member, hub), children: member.children, exclusiveNames };
}

/** The writes that make the children of a member (or token) on the hub what its protocol wants. */
export function planChildren(inputs: ChildrenInputs): ChildrenPlan {
  const changes: PlannedChange[] = [];
  const unknown: KubeObject[] = [];
  const manager = fieldManagers.hub;
  const existing = new Map<string, KubeObject>();
  for (const child of inputs.children) {
    const type = resourceTypeOf(child);
    if (type) existing.set(describeRef(refOf(type, child)), child);
  }
  const desiredNames = new Set<string>();
  for (const object of inputs.desired) {
    const type = resourceTypeOf(object);
    if (!type) {
      unknown.push(object);
      continue;
    }
    const ref = refOf(type, object);
    desiredNames.add(describeRef(ref));
    const live = existing.get(describeRef(ref));
    if (!live) {
      changes.push({ kind: "create", ref, object, manager, fields: [], ...adoptionOf(inputs, ref) });
      continue;
    }
    const fields = diffOwnedFields(object, live, { manager });
    if (fields.length > 0) changes.push({ kind: "update", ref, object, manager, fields });
  }
  for (const [name, child] of existing) {
    const type = resourceTypeOf(child);
    const isOwned = inputs.ownedTypes.some((owned) => owned === type);
    if (!type || !isOwned || desiredNames.has(name) || inputs.kept?.has(name) || child.metadata.deletionTimestamp)
      continue;
    if (isOfAnother(type, child)) continue;
    changes.push({
      kind: "delete",
      ref: refOf(type, child),
      uid: child.metadata.uid ?? "",
      resourceVersion: child.metadata.resourceVersion ?? "",
      reason: "its owner does not need it any more",
    });
  }
  return { changes, unknown };
}

/** The write checks it again: the object may appear after the names of the member were checked. */
function adoptionOf(
  inputs: ChildrenInputs,
  ref: ObjectRef,
): { readonly labelsToAdopt?: Readonly<Record<string, string>> } {
  const { exclusiveNames = [] } = inputs;
  if (inputs.isAdopting !== true) return {};
  const exclusive = exclusiveNames.find((name) => describeRef(name) === describeRef(ref));
  return { labelsToAdopt: exclusive?.labelsToAdopt ?? {} };
}

/**
 * A Secret or ConfigMap that a person labelled as the owner's, such as a kubeconfig: the hub never wrote it. Of kinds that agents
 * write, the managers prove nothing.
 */
function isOfAnother(type: ResourceType, { metadata: { managedFields = [] } }: KubeObject): boolean {
  if (type !== resourceTypes.secret && type !== resourceTypes.configMap) return false;
  return managedFields.length > 0 && managedFields.every(({ manager }) => manager !== fieldManagers.hub);
}

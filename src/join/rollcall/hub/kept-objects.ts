import { memberStateName } from "../../../model/member-state.ts";
import { bootstrapSecretName, tokenCredentialName } from "../../../model/dialects/rollcall.ts";
import type { ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../../model/resource-types.ts";
import { isTokenClosed } from "../../../planning/token-life.ts";
import { currentBootstrap, isIdentityLost } from "./bootstrap.ts";
import { credentialKinds, credentialRef, isRevoked, secretRef, usableCredentials } from "./member-facts.ts";
import { needsTokenSecret } from "./token-values.ts";

/** A member's state, and the Secrets that its usable credentials are bound to. */
export function keptMemberObjects(member: Member, hub: HubFacts): ObjectRef[] {
  const state = { type: resourceTypes.configMap, namespace: member.workspace, name: memberStateName(member.name) };
  // The identity is lost, not the member: its agent continues until a user declares the identity, or revokes the cluster.
  if (isIdentityLost(member)) {
    const kept = isRevoked(member)
      ? member.children.filter(({ kind }) => !credentialKinds.includes(kind))
      : member.children;
    return [state, ...kept.flatMap(ownRef)];
  }
  if (isRevoked(member)) return [state];
  const bootstrap = currentBootstrap(member, hub);
  return [
    state,
    ...usableCredentials(member).map((number) => credentialRef(member, number)),
    ...(bootstrap === undefined ? [] : [secretRef(member, bootstrapSecretName(member.name, bootstrap.number))]),
  ];
}

/** The Secret with the values of an open token, and the one that its credential is bound to. */
export function keptTokenObjects(subject: TokenSubject, hub: HubFacts): ObjectRef[] {
  if (isTokenClosed(subject, hub)) return [];
  const values = secretRef(subject, subject.name);
  return needsTokenSecret(subject, hub) ? [values] : [values, secretRef(subject, tokenCredentialName(subject.name))];
}

function ownRef(child: Member["children"][number]): ObjectRef[] {
  const type = resourceTypeOf(child);
  return type === undefined ? [] : [refOf(type, child)];
}

import { textAt } from "../core/read-json.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import type { MemberFacts } from "./join.ts";

/** A child by kind, namespace and name: an agent may label its own objects as it likes. */
export function childByRef(subject: Pick<Member | TokenSubject, "children">, ref: ObjectRef): KubeObject | undefined {
  const wanted = describeRef(ref);
  return subject.children.find((child) => {
    if (child.metadata.name !== ref.name) return false;
    const type = resourceTypeOf(child);
    return type === ref.type && describeRef(refOf(type, child)) === wanted;
  });
}

/** Where a child is; nothing for a kind that this program does not know. */
export function refOfChild(child: KubeObject): ObjectRef[] {
  const type = resourceTypeOf(child);
  return type === undefined ? [] : [refOf(type, child)];
}

/** A token that the hub's API server has filled into a Secret of the workspace. */
export function filledToken(subject: Member | TokenSubject, secretName: string): string | undefined {
  const ref = { type: resourceTypes.secret, namespace: subject.workspace, name: secretName };
  const encoded = textAt(childByRef(subject, ref), "data", "token");
  return encoded === undefined || encoded === "" ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

/** The hub installs the agent itself. */
export function isHubInitiated(member: Member): boolean {
  return member.cluster.spec?.kubeConfigSecretRef !== undefined;
}

export function isLeaving({ cluster: { metadata } }: Member): boolean {
  return metadata.annotations?.[annotationKeys.leave] !== undefined || metadata.deletionTimestamp !== undefined;
}

export function isRevoked(member: Member): boolean {
  return member.cluster.metadata.annotations?.[annotationKeys.revoked] !== undefined;
}

/** CredentialsValid of a revoked member, in every protocol: a change of the file alone gives no agent a credential. */
export const revokedCredentials: MemberFacts["credentials"] = {
  status: "False",
  reason: "Revoked",
  message:
    "The credentials are revoked. To admit the cluster again, change its file; an agent that does not return then must be installed again.",
};

/** Labels of a member's children outside its workspace. */
export function outsideLabels({ workspace, name }: Pick<Member, "workspace" | "name">): Record<string, string> {
  return { [labelKeys.cluster]: name, [labelKeys.ownerWorkspace]: workspace };
}

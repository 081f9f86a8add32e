import { textAt } from "../core/read-json.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { Member, TokenSubject } from "../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../model/well-known.ts";
import { isFromGit } from "../planning/edits-by-hand.ts";
import type { MemberFacts } from "./join.ts";
import { accountTokenName } from "./render-access.ts";

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

/**
 * The agent's objects downstream, in the order of `refsIn`: first those in the namespaces where the hub installed it last,
 * then those in the declared one. A file may have moved an agent that leaves before the hub could.
 */
export function refsWhereInstalled(member: Member, refsIn: (member: Member) => readonly ObjectRef[]): ObjectRef[] {
  const { cluster, state } = member;
  const namespaces = [state?.install?.namespace, state?.installing?.namespace].filter((one) => one !== undefined);
  const former = namespaces.flatMap((namespace) => {
    const spec = { ...cluster.spec, agent: { ...cluster.spec?.agent, namespace } };
    return refsIn({ ...member, cluster: { ...cluster, spec } });
  });
  return [...new Map([...former, ...refsIn(member)].map((ref) => [describeRef(ref), ref])).values()];
}

/** The hub has installed its agent, or has begun to: the process may have ended before it recorded the rest. */
export function hasInstallation({ state }: Pick<Member, "state">): boolean {
  return state?.install !== undefined || state?.installing !== undefined;
}

/** A token that the hub's API server has filled into a Secret of the workspace. */
export function filledToken(subject: Member | TokenSubject, secretName: string): string | undefined {
  const ref = { type: resourceTypes.secret, namespace: subject.workspace, name: secretName };
  const encoded = textAt(childByRef(subject, ref), "data", "token");
  return encoded === undefined || encoded === "" ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}

/**
 * The account that the hub installed an agent with has ended `lifeMs` after that, and is deleted with its token; another
 * one that was made since, for the next installation, may be in its place. The caller knows whether an agent joined.
 */
export function hasImportEnded(
  member: Member,
  { nowMs, lifeMs, account }: { readonly nowMs: number; readonly lifeMs: number; readonly account: string },
): boolean {
  const installedMs = Date.parse(member.state?.install?.time ?? "");
  if (Number.isNaN(installedMs) || nowMs < installedMs + lifeMs) return false;
  const ref = { type: resourceTypes.secret, namespace: member.workspace, name: accountTokenName(account) };
  const token = childByRef(member, ref);
  // The former one was made before the installation, this one a life later: clocks differ by less than half of that.
  return token === undefined || Date.parse(token.metadata.creationTimestamp ?? "") > installedMs + lifeMs / 2;
}

/**
 * Of the members with one clientID, those whose files declare it, where one does. A clientID is no secret: the holder of a
 * registration token may have joined with it before a file had it, and must not keep the declared cluster out.
 */
export function declaredOwners(owners: readonly Member[]): readonly Member[] {
  const declared = owners.filter(({ cluster }) => cluster.spec?.clientID !== undefined && isFromGit(cluster));
  return declared.length === 0 ? owners : declared;
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

import { digestJson } from "../../../core/digest.ts";
import { textAt } from "../../../core/read-json.ts";
import { clusternetClusterRoles, isClusternetName } from "../../../model/dialects/clusternet.ts";
import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../model/well-known.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { isTokenClosed } from "../../../planning/token-life.ts";
import { tokenStatus } from "../../../planning/token-status.ts";
import type { Delivery, CredentialDue, NewCredential, StatusWrite } from "../../join.ts";
import { childByRef } from "../../member-state.ts";
import { renderBinding } from "../../render-access.ts";
import { renderTokenValues } from "./token-values.ts";
import type { TokenCredentials } from "./token-credentials.ts";

const valuesPurpose = "values";

/** The clusters that may come in: each has a credential of its own, so that no holder of one can read another's answer. */
function namedClusters({ token }: TokenSubject): string[] {
  return [...new Set(token.spec?.clusterNames ?? [])].filter(isClusternetName).sort();
}

/** The credentials of an open token, one for each cluster that it names, and the right to ask with them. */
export function desiredTokenObjects(credentials: TokenCredentials, subject: TokenSubject, hub: HubFacts): KubeObject[] {
  if (isTokenClosed(subject, hub)) return [];
  const { workspace, name } = subject;
  const clusters = namedClusters(subject);
  const subjects = clusters.map((clusterName) => credentials.holderOf({ workspace, tokenName: name, clusterName }));
  const [first] = subjects;
  if (first === undefined) return [];
  const labels = { [labelKeys.token]: name, [labelKeys.ownerWorkspace]: workspace };
  const place = { name: `rollcall-clusternet-token.${workspace}.${name}`, labels };
  const role = { kind: "ClusterRole", name: clusternetClusterRoles.request } as const;
  return [
    ...clusters.flatMap((clusterName) => credentials.objectsFor(subject, clusterName)),
    { ...renderBinding(place, role, first), subjects },
  ];
}

export function keptTokenObjects(credentials: TokenCredentials, subject: TokenSubject, hub: HubFacts): ObjectRef[] {
  if (isTokenClosed(subject, hub)) return [];
  const { workspace: namespace, name } = subject;
  const credential = credentials.keptObjects(subject, namedClusters(subject), hub);
  return [{ type: resourceTypes.secret, namespace, name }, ...credential];
}

function valuesSecretOf(subject: TokenSubject): KubeObject | undefined {
  const { workspace: namespace, name } = subject;
  return childByRef(subject, { type: resourceTypes.secret, namespace, name });
}

/** Credentials, and then the values: these are missing, or are not of these clusters, credentials and this hub's address. */
export function tokenCredentialsDue(
  credentials: TokenCredentials,
  subject: TokenSubject,
  hub: HubFacts,
): CredentialDue[] {
  const clusters = namedClusters(subject);
  if (clusters.length === 0 || isTokenClosed(subject, hub)) return [];
  const missing = credentials.credentialsDue(subject, clusters, hub);
  if (missing.length > 0) return missing;
  if (clusters.some((cluster) => credentials.credentialOf(subject, cluster, hub) === undefined)) return [];
  const digest = contentDigest(credentials, subject, hub);
  if (valuesSecretOf(subject)?.metadata.annotations?.[annotationKeys.valuesDigest] === digest) return [];
  const { workspace } = subject;
  return [{ purpose: valuesPurpose, workspace, how: { kind: "random" }, reason: "the values are missing" }];
}

export function deliverToToken(
  credentials: TokenCredentials,
  subject: TokenSubject,
  credential: NewCredential,
  hub: HubFacts,
): Delivery {
  if (credential.due.purpose === valuesPurpose)
    return { objects: [valuesSecret(credentials, subject, hub)], statusWrites: [] };
  return credentials.deliver(subject, credential, hub);
}

/** A Secret named like the token, with a document for each cluster, named like that. */
function valuesSecret(credentials: TokenCredentials, subject: TokenSubject, hub: HubFacts): KubeObject {
  const { workspace, name } = subject;
  const values = namedClusters(subject).map((cluster): [string, string] => {
    const token = credentials.credentialOf(subject, cluster, hub)?.text ?? "";
    const text = renderTokenValues({ workspace, clusterName: cluster, tokenName: name, token, url: hub.endpoint.url });
    return [cluster, Buffer.from(text, "utf8").toString("base64")];
  });
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace: workspace,
      labels: { [labelKeys.token]: name },
      annotations: { [annotationKeys.valuesDigest]: contentDigest(credentials, subject, hub) },
    },
    type: "Opaque",
    data: Object.fromEntries(values),
  };
}

export function clusternetTokenStatuses(subject: TokenSubject, members: MemberIndex, hub: HubFacts): StatusWrite[] {
  const { workspace: namespace, name } = subject;
  const secret = valuesSecretOf(subject);
  const hasSecret = secret !== undefined;
  const isComplete = namedClusters(subject).every((cluster) => textAt(secret, "data", cluster) !== undefined);
  const values = { hasSecret, isComplete: hasSecret && isComplete };
  const ref = { type: resourceTypes.clusterRegistrationToken, namespace, name };
  return [{ ref, status: { ...tokenStatus({ subject, members, hub, values }) } }];
}

/** Which credential it is shows in its object's uid; no digest of a credential is written anywhere. */
function contentDigest(credentials: TokenCredentials, subject: TokenSubject, hub: HubFacts): string {
  const uids = namedClusters(subject).map((cluster) => [
    cluster,
    credentials.credentialOf(subject, cluster, hub)?.uid ?? "",
  ]);
  return digestJson({ credentials: uids, url: hub.endpoint.url });
}

import { digestJson } from "../../../core/digest.ts";
import { textAt } from "../../../core/read-json.ts";
import { clusternetClusterRoles, doorAccountName, isClusternetName } from "../../../model/dialects/clusternet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { isTokenClosed } from "../../../planning/token-life.ts";
import { tokenStatus } from "../../../planning/token-status.ts";
import type { Delivery, MintDue, StatusWrite } from "../../join.ts";
import { childByRef, filledToken } from "../../member-state.ts";
import { accountTokenName, renderAccount, renderBinding } from "../../render-access.ts";
import { renderDoorValues } from "./door-values.ts";

/** Digest of what the values are made of, but the credentials: when it changes, they are made again. */
const contentAnnotation = "rollcall.dev/values-digest";

/** The clusters that may come in: each has an account of its own, so that no holder of one can read another's answer. */
function namedClusters({ token }: TokenSubject): string[] {
  return [...new Set(token.spec?.clusterNames ?? [])].filter(isClusternetName).sort();
}

/** The accounts of an open token, one for each cluster that it names, each with a token that lives as long as it is open. */
export function desiredTokenObjects(subject: TokenSubject, hub: HubFacts): KubeObject[] {
  if (isTokenClosed(subject, hub)) return [];
  const { workspace, name } = subject;
  const accounts = namedClusters(subject).map((cluster) => doorAccountName(cluster, name));
  if (accounts.length === 0) return [];
  const labels = { [labelKeys.token]: name };
  const subjects = accounts.map(
    (account) => ({ kind: "ServiceAccount", name: account, namespace: workspace }) as const,
  );
  const [first] = subjects;
  const place = { name: bindingName(subject), labels: { ...labels, [labelKeys.ownerWorkspace]: workspace } };
  const role = { kind: "ClusterRole", name: clusternetClusterRoles.request } as const;
  return [
    ...accounts.flatMap((account) => renderAccount({ name: account, namespace: workspace, labels })),
    ...(first === undefined ? [] : [{ ...renderBinding(place, role, first), subjects }]),
  ];
}

function bindingName({ workspace, name }: TokenSubject): string {
  return `rollcall-clusternet-token.${workspace}.${name}`;
}

function valuesSecretOf(subject: TokenSubject): KubeObject | undefined {
  const { workspace: namespace, name } = subject;
  return childByRef(subject, { type: resourceTypes.secret, namespace, name });
}

/** The values are missing, or are not of these clusters, credentials and this hub's address. */
export function tokenMintsDue(subject: TokenSubject, hub: HubFacts): MintDue[] {
  const clusters = namedClusters(subject);
  const [first] = clusters;
  if (first === undefined || isTokenClosed(subject, hub)) return [];
  const tokens = clusters.map((cluster) => credentialOf(subject, cluster));
  if (tokens.includes(undefined)) return [];
  const secret = valuesSecretOf(subject);
  if (secret?.metadata.annotations?.[contentAnnotation] === contentDigest(subject, hub)) return [];
  const how = { kind: "token-secret", secret: accountTokenName(doorAccountName(first, subject.name)) } as const;
  return [{ purpose: "token", workspace: subject.workspace, how, reason: "the values are missing" }];
}

function credentialOf(subject: TokenSubject, cluster: string): string | undefined {
  return filledToken(subject, accountTokenName(doorAccountName(cluster, subject.name)));
}

/** A Secret named like the token, with a document for each cluster, named like that. */
export function deliverTokenValues(subject: TokenSubject, hub: HubFacts): Delivery {
  const { workspace, name } = subject;
  const values = namedClusters(subject).map((cluster): [string, string] => {
    const token = credentialOf(subject, cluster) ?? "";
    const text = renderDoorValues({ workspace, clusterName: cluster, tokenName: name, token, url: hub.endpoint.url });
    return [cluster, Buffer.from(text, "utf8").toString("base64")];
  });
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace: workspace,
      labels: { [labelKeys.token]: name },
      annotations: { [contentAnnotation]: contentDigest(subject, hub) },
    },
    type: "Opaque",
    data: Object.fromEntries(values),
  };
  return { objects: [secret], statusWrites: [] };
}

export function clusternetTokenStatuses(
  subject: TokenSubject,
  members: readonly Member[],
  hub: HubFacts,
): StatusWrite[] {
  const { workspace: namespace, name } = subject;
  const secret = valuesSecretOf(subject);
  const hasSecret = secret !== undefined;
  const isComplete = namedClusters(subject).every((cluster) => textAt(secret, "data", cluster) !== undefined);
  const values = { hasSecret, isComplete: hasSecret && isComplete };
  const ref = { type: resourceTypes.clusterRegistrationToken, namespace, name };
  return [{ ref, status: { ...tokenStatus({ subject, members, hub, values }) } }];
}

/** Which account a token is of shows in its Secret's uid; no digest of a credential is written anywhere. */
function contentDigest(subject: TokenSubject, { endpoint }: HubFacts): string {
  const { workspace: namespace, name } = subject;
  const accounts = namedClusters(subject).map((cluster) => {
    const secret = accountTokenName(doorAccountName(cluster, name));
    return [cluster, childByRef(subject, { type: resourceTypes.secret, namespace, name: secret })?.metadata.uid ?? ""];
  });
  return digestJson({ accounts, url: endpoint.url });
}

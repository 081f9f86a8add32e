import type { KubeObject, ObjectRef } from "../../../model/kubernetes.ts";
import { refOf } from "../../../model/kubernetes.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import {
  bootstrapGroup,
  bootstrapTokenForm,
  clusternetKeys,
  tokenAccountName,
} from "../../../model/dialects/clusternet.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { textAt } from "../../../core/read-json.ts";
import { toTime } from "../../../planning/conditions.ts";
import { tokenEndMs } from "../../../planning/token-life.ts";
import type { Delivery, CredentialDue, NewCredential, OutsideType } from "../../join.ts";
import { childByRef, filledToken } from "../../member-state.ts";
import type { Subject } from "../../render-access.ts";
import { accountTokenName, renderAccount } from "../../render-access.ts";

/** A credential that an agent asks with: its text is secret, its uid identifies its object. */
export interface TokenCredential {
  readonly text: string;
  readonly uid: string;
}

/** What the credentials that agents ask with are on the hub: one for each cluster that a token names. */
export interface TokenCredentials {
  readonly outsideTypes: readonly OutsideType[];
  /** The objects of the credential of one cluster. */
  objectsFor(subject: TokenSubject, clusterName: string): KubeObject[];
  /** Whom rights are given to that are meant for the holder of this credential. */
  holderOf(named: { readonly workspace: string; readonly tokenName: string; readonly clusterName: string }): Subject;
  credentialOf(subject: TokenSubject, clusterName: string, hub: HubFacts): TokenCredential | undefined;
  /** Credentials that the hub makes itself and that are missing. */
  credentialsDue(subject: TokenSubject, clusterNames: readonly string[], hub: HubFacts): CredentialDue[];
  deliver(subject: TokenSubject, credential: NewCredential, hub: HubFacts): Delivery;
  /** What was issued and stays. */
  keptObjects(subject: TokenSubject, clusterNames: readonly string[], hub: HubFacts): ObjectRef[];
}

/** An account in the workspace for each cluster, with a token that the API server makes and that lives as long as it. */
export const accountCredentials: TokenCredentials = {
  outsideTypes: [],
  objectsFor: ({ workspace, name }, clusterName) =>
    renderAccount({
      name: tokenAccountName(clusterName, name),
      namespace: workspace,
      labels: { [labelKeys.token]: name },
    }),
  holderOf: ({ workspace, tokenName, clusterName }) => ({
    kind: "ServiceAccount",
    name: tokenAccountName(clusterName, tokenName),
    namespace: workspace,
  }),
  credentialOf: (subject, clusterName) => {
    const secretName = accountTokenName(tokenAccountName(clusterName, subject.name));
    const ref = { type: resourceTypes.secret, namespace: subject.workspace, name: secretName };
    const text = filledToken(subject, secretName);
    return text === undefined ? undefined : { text, uid: childByRef(subject, ref)?.metadata.uid ?? "" };
  },
  credentialsDue: () => [],
  deliver: () => ({ objects: [], statusWrites: [] }),
  keptObjects: () => [],
};

const bootstrapNamespace = "kube-system";

/**
 * A bootstrap token of Kubernetes for each cluster, `<6>.<16>` as kubeadm writes them, in the group of that cluster. The API
 * server ends them by itself; it must accept them (`--enable-bootstrap-token-auth`).
 */
export const bootstrapCredentials: TokenCredentials = {
  outsideTypes: [{ type: resourceTypes.secret, namespace: bootstrapNamespace }],
  objectsFor: () => [],
  holderOf: ({ workspace, tokenName, clusterName }) => ({
    kind: "Group",
    name: bootstrapGroup(workspace, tokenName, clusterName),
    apiGroup: "rbac.authorization.k8s.io",
  }),
  credentialOf: (subject, clusterName, hub) => {
    const secret = bootstrapSecretOf(subject, clusterName, hub);
    return secret && { text: `${dataOf(secret, "token-id")}.${dataOf(secret, "token-secret")}`, uid: uidOf(secret) };
  },
  credentialsDue: (subject, clusterNames, hub) =>
    clusterNames
      .filter((clusterName) => bootstrapSecretOf(subject, clusterName, hub) === undefined)
      .map((clusterName) => ({
        purpose: `${purposePrefix}${clusterName}`,
        workspace: subject.workspace,
        how: { kind: "random" },
        randomBytes: 64,
        reason: "the bootstrap token is missing",
      })),
  deliver: (subject, { due, random }, hub) => {
    const clusterName = due.purpose.slice(purposePrefix.length);
    return { objects: [bootstrapSecret(subject, { clusterName, random }, hub)], statusWrites: [] };
  },
  keptObjects: (subject, clusterNames, hub) =>
    clusterNames.flatMap((clusterName) => {
      const secret = bootstrapSecretOf(subject, clusterName, hub);
      return secret === undefined ? [] : [refOf(resourceTypes.secret, secret)];
    }),
};

const purposePrefix = "bootstrap:";

/** The Secret of a cluster's bootstrap token, if it is as desired; any other is deleted. */
function bootstrapSecretOf(subject: TokenSubject, clusterName: string, hub: HubFacts): KubeObject | undefined {
  const { workspace, name } = subject;
  const found = subject.children.filter(
    (child) =>
      child.kind === "Secret" &&
      child.metadata.namespace === bootstrapNamespace &&
      dataOf(child, "auth-extra-groups") === bootstrapGroup(workspace, name, clusterName) &&
      dataOf(child, "expiration") === expirationOf(subject, hub),
  );
  return found.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

function bootstrapSecret(
  subject: TokenSubject,
  { clusterName, random }: { readonly clusterName: string; readonly random: Uint8Array },
  hub: HubFacts,
): KubeObject {
  const { workspace, name } = subject;
  const { id, secret } = bootstrapTokenForm(random);
  const expiration = expirationOf(subject, hub);
  const data = {
    "token-id": id,
    "token-secret": secret,
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": bootstrapGroup(workspace, name, clusterName),
    ...(expiration === "" ? {} : { expiration }),
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `bootstrap-token-${id}`,
      namespace: bootstrapNamespace,
      labels: {
        [labelKeys.token]: name,
        [labelKeys.ownerWorkspace]: workspace,
        [clusternetKeys.clusterName]: clusterName,
      },
    },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "utf8").toString("base64")]),
    ),
  };
}

/** Empty: it does not end by itself. */
function expirationOf(subject: TokenSubject, hub: HubFacts): string {
  const endMs = tokenEndMs(subject, hub);
  return endMs === undefined ? "" : toTime(endMs);
}

function dataOf(secret: KubeObject, key: string): string {
  return Buffer.from(textAt(secret, "data", key) ?? "", "base64").toString("utf8");
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? "";
}

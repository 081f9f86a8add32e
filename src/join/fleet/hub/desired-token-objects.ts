import { fleetKeys, fleetSecretTypes, safeConcatName, tokenAccountName } from "../../../model/dialects/fleet.ts";
import { digestJson } from "../../../core/digest.ts";
import { textAt } from "../../../core/read-json.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { toTime } from "../../../planning/conditions.ts";
import { isTokenClosed, tokenEndMs, ttlOf } from "../../../planning/token-life.ts";
import { tokenStatus } from "../../../planning/token-status.ts";
import type { Delivery, CredentialDue, NewCredential, StatusWrite } from "../../join.ts";
import { childByRef } from "../../member-state.ts";
import { bootstrapValues, renderValues, labelsOfToken } from "../manifests/bootstrap-values.ts";
import { accountTokenName, renderAccount, renderBinding } from "../../render-access.ts";

/** All that a token's account may. It never reads a registration: the answer comes under a name that it knows. */
export const registrarRule = {
  apiGroups: ["fleet.cattle.io"],
  resources: ["clusterregistrations"],
  verbs: ["create"],
};

/** Digest of address and CA in the values: when they change, the values are made again. */
const endpointAnnotation = "rollcall.dev/endpoint-digest";

/** The objects of an open token: Fleet's own, and once that has its uid, the account that is named by it. */
export function desiredTokenObjects(subject: TokenSubject, hub: HubFacts): KubeObject[] {
  if (isTokenClosed(subject, hub)) return [];
  const { workspace, name } = subject;
  const account = tokenAccountOf(subject);
  const labels = { [labelKeys.token]: name, [fleetKeys.managed]: "true" };
  if (account === undefined) return [fleetToken(subject)];
  const role = { name: safeConcatName(account, "role"), namespace: workspace, labels };
  return [
    fleetToken(subject),
    ...renderAccount({ name: account, namespace: workspace, labels }),
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: role.name, namespace: workspace, labels },
      rules: [registrarRule],
    },
    renderBinding(
      { ...role, name: safeConcatName(account, "to", "role") },
      { kind: "Role", name: role.name },
      { kind: "ServiceAccount", name: account, namespace: workspace },
    ),
  ];
}

/** Fleet's own object of a token. */
export function fleetToken({ workspace, name, token }: TokenSubject): KubeObject {
  const ttl = ttlOf(token);
  return {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name, namespace: workspace, labels: { [labelKeys.token]: name } },
    ...(ttl === undefined ? {} : { spec: { ttl } }),
  };
}

/**
 * The token's account. Its name comes from the uid of Fleet's object; it stays when that object is deleted on the hub and
 * made again, because the values that were handed out name it. Undefined until the hub has given the object a uid.
 */
export function tokenAccountOf(subject: TokenSubject): string | undefined {
  const { workspace: namespace, name } = subject;
  const object = childByRef(subject, { type: resourceTypes.fleetRegistrationToken, namespace, name });
  const account = subject.children.find(
    ({ kind, metadata }) => kind === "ServiceAccount" && metadata.namespace === namespace,
  );
  const uid = object?.metadata.uid;
  return account?.metadata.name ?? (uid === undefined ? undefined : tokenAccountName(name, uid));
}

function valuesSecretOf(subject: TokenSubject): KubeObject | undefined {
  const { workspace: namespace, name } = subject;
  return childByRef(subject, { type: resourceTypes.secret, namespace, name });
}

/** The values are missing, or are not of this account and this hub's address. */
export function tokenCredentialsDue(subject: TokenSubject, hub: HubFacts): CredentialDue[] {
  const account = tokenAccountOf(subject);
  if (account === undefined || isTokenClosed(subject, hub)) return [];
  const secret = valuesSecretOf(subject);
  const isCurrent = secret?.metadata.annotations?.[endpointAnnotation] === valuesDigest(account, hub);
  if (isCurrent && textAt(secret, "data", "values") !== undefined) return [];
  const how = { kind: "token-secret", secret: accountTokenName(account) } as const;
  return [{ purpose: "token", workspace: subject.workspace, how, reason: "the values are missing" }];
}

export function deliverTokenValues(subject: TokenSubject, credential: NewCredential, hub: HubFacts): Delivery {
  const { workspace, name } = subject;
  const { url, caBundle } = hub.endpoint;
  const account = tokenAccountOf(subject) ?? "";
  const values = bootstrapValues({ workspace, tokenName: name, token: credential.token ?? "", url, caBundle });
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace: workspace,
      labels: { [labelKeys.token]: name, [fleetKeys.managed]: "true" },
      annotations: { [endpointAnnotation]: valuesDigest(account, hub) },
    },
    type: fleetSecretTypes.values,
    data: { values: Buffer.from(renderValues({ ...values, labels: labelsOfToken(name) }), "utf8").toString("base64") },
  };
  return { objects: [secret], statusWrites: [] };
}

/** Our token's status, and that of Fleet's object as Fleet's users read it. */
export function fleetTokenStatuses(subject: TokenSubject, members: MemberIndex, hub: HubFacts): StatusWrite[] {
  const { workspace: namespace, name } = subject;
  const hasSecret = textAt(valuesSecretOf(subject), "data", "values") !== undefined;
  const values = { hasSecret, isComplete: hasSecret };
  const own = {
    ref: { type: resourceTypes.clusterRegistrationToken, namespace, name },
    status: { ...tokenStatus({ subject, members, hub, values }) },
  };
  const ref = { type: resourceTypes.fleetRegistrationToken, namespace, name };
  if (childByRef(subject, ref) === undefined || isTokenClosed(subject, hub)) return [own];
  const endMs = tokenEndMs(subject, hub);
  const status = {
    ...(hasSecret ? { secretName: name } : {}),
    ...(endMs === undefined ? {} : { expires: toTime(endMs) }),
  };
  return Object.keys(status).length === 0 ? [own] : [own, { ref, status }];
}

function valuesDigest(account: string, { endpoint }: HubFacts): string {
  return digestJson({ account, url: endpoint.url, caBundle: endpoint.caBundle });
}

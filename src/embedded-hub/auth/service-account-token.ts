import { numberAt, objectAt, textAt, textsAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject, UserInfo } from "./auth.ts";

/** Clocks may differ by this much. Source: go-jose, jwt.DefaultLeeway. */
const leewayMs = 60_000;

export interface BoundClaimsOptions {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly serviceAccount: KubeObject;
  /** The Pod, Secret or Node that the token dies with. */
  readonly boundTo?: KubeObject;
  /** The Node of a bound Pod: a fact in the token, nothing it dies with. */
  readonly node?: { readonly name: string; readonly uid?: string };
  readonly nowMs: number;
  readonly expirationSeconds: number;
  /** Pod tokens that live longer than requested contain the time by which they should be renewed. */
  readonly warnAfterSeconds?: number;
  /** A UUID. */
  readonly id: string;
}

/** The claims of a token from TokenRequest. Source: Kubernetes, pkg/serviceaccount/claims.go. */
export function boundClaims(options: BoundClaimsOptions): JsonObject {
  const { serviceAccount, boundTo, node, nowMs } = options;
  const nowSeconds = Math.floor(nowMs / 1000);
  const { name, namespace = "", uid = "" } = serviceAccount.metadata;
  return {
    aud: options.audiences,
    exp: nowSeconds + options.expirationSeconds,
    iat: nowSeconds,
    iss: options.issuer,
    jti: options.id,
    "kubernetes.io": {
      namespace,
      ...(node === undefined
        ? {}
        : { node: { name: node.name, ...(node.uid === undefined ? {} : { uid: node.uid }) } }),
      ...(boundTo === undefined
        ? {}
        : { [boundTo.kind.toLowerCase()]: { name: boundTo.metadata.name, uid: boundTo.metadata.uid ?? "" } }),
      serviceaccount: { name, uid },
      ...(options.warnAfterSeconds === undefined ? {} : { warnafter: nowSeconds + options.warnAfterSeconds }),
    },
    nbf: nowSeconds,
    sub: serviceAccountUsername(namespace, name),
  };
}

export type TokenResult =
  | { readonly kind: "user"; readonly user: UserInfo; readonly expiresAtMs?: number }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Whether a token whose signature is good is still alive: its times, its account, and what it is bound to, with the
 * uids they had. Source: Kubernetes, pkg/serviceaccount/claims.go Validate.
 */
export function evaluateBoundClaims(claims: JsonObject, nowMs: number, read: ReadObject): TokenResult {
  const expiresAtMs = secondsToMs(numberAt(claims, "exp"));
  const startsAtMs = secondsToMs(numberAt(claims, "nbf")) ?? 0;
  const issuedAtMs = secondsToMs(numberAt(claims, "iat")) ?? 0;
  if (expiresAtMs !== undefined && nowMs - leewayMs > expiresAtMs) return refuse("service account token has expired");
  if (nowMs + leewayMs < startsAtMs) return refuse("service account token is not valid yet");
  if (nowMs + leewayMs < issuedAtMs) return refuse("service account token is issued in the future");

  const bound = objectAt(claims, "kubernetes.io");
  const namespace = textAt(bound, "namespace") ?? "";
  const account = { name: textAt(bound, "serviceaccount", "name") ?? "", uid: textAt(bound, "serviceaccount", "uid") };
  const serviceAccount = read({ group: "", plural: "serviceaccounts", namespace, name: account.name });
  if (serviceAccount === undefined) return refuse(`serviceaccounts ${JSON.stringify(account.name)} not found`);
  const { uid = "" } = serviceAccount.metadata;
  if (uid !== account.uid) return refuse(`service account UID (${uid}) does not match claim (${account.uid ?? ""})`);
  if (isLongDeleted(serviceAccount, nowMs)) {
    return refuse(`service account ${namespace}/${account.name} has been deleted`);
  }
  const dead = [
    { kind: "secret", label: "secret", namespace, plural: "secrets" },
    { kind: "pod", label: "pod", namespace, plural: "pods" },
    // A Pod's token names the Node too, but does not die with it.
    ...(objectAt(bound, "pod") === undefined ? [{ kind: "node", label: "node", plural: "nodes" }] : []),
  ]
    .map((kind) => deadReason(bound, kind, { nowMs, read }))
    .find((reason) => reason !== undefined);
  if (dead !== undefined) return refuse(dead);
  const user = serviceAccountUser({ namespace, name: account.name, uid, extra: extraOf(claims, bound) });
  return { kind: "user", user, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
}

export function serviceAccountUsername(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Namespace and name of a service account's user name, or undefined for any other user. */
export function parseServiceAccountUsername(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const match = /^system:serviceaccount:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?):([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)$/u.exec(
    username,
  );
  const [, namespace, name] = match ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** The groups of every service account, without system:authenticated. */
export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

export function serviceAccountUser(account: {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}): UserInfo {
  const { namespace, name, uid, extra } = account;
  return {
    username: serviceAccountUsername(namespace, name),
    uid,
    groups: serviceAccountGroups(namespace),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The audiences in a token: a text or a list. */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const single = textAt(claims, "aud");
  return single === undefined ? textsAt(claims, "aud") : [single];
}

function deadReason(
  bound: JsonObject | undefined,
  kind: { readonly kind: string; readonly label: string; readonly plural: string; readonly namespace?: string },
  context: { readonly nowMs: number; readonly read: ReadObject },
): string | undefined {
  const reference = objectAt(bound, kind.kind);
  if (reference === undefined) return undefined;
  const { plural, namespace } = kind;
  const name = textAt(reference, "name") ?? "";
  const claimed = textAt(reference, "uid") ?? "";
  const object = context.read({ group: "", plural, name, ...(namespace === undefined ? {} : { namespace }) });
  if (object === undefined) return "service account token has been invalidated";
  const { uid = "" } = object.metadata;
  if (uid !== claimed) {
    return `${kind.label} UID (${uid}) does not match service account ${kind.label} ref claim (${claimed})`;
  }
  return isLongDeleted(object, context.nowMs) ? "service account token has been invalidated" : undefined;
}

function extraOf(claims: JsonObject, bound: JsonObject | undefined): Record<string, readonly string[]> {
  const id = textAt(claims, "jti") ?? "";
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["authentication.kubernetes.io/credential-id", id === "" ? undefined : `JTI=${id}`],
    ["authentication.kubernetes.io/node-name", textAt(bound, "node", "name")],
    ["authentication.kubernetes.io/node-uid", textAt(bound, "node", "uid")],
    ["authentication.kubernetes.io/pod-name", textAt(bound, "pod", "name")],
    ["authentication.kubernetes.io/pod-uid", textAt(bound, "pod", "uid")],
  ];
  return Object.fromEntries(facts.flatMap(([key, value]) => (value === undefined ? [] : [[key, [value]]])));
}

/** Deleted longer ago than clocks may differ: what has a finalizer does not keep its tokens alive. */
function isLongDeleted(object: KubeObject, nowMs: number): boolean {
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - leewayMs;
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function refuse(reason: string): TokenResult {
  return { kind: "refused", reason };
}

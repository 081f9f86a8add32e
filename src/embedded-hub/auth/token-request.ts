import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest, conflict, invalid, notFound } from "../failures/failures.ts";
import type { FieldError } from "../schema/schema.ts";
import type { ReadObject } from "./auth.ts";
import { signJwt } from "./jwt.ts";
import type { TokenKey } from "./jwt.ts";
import { boundClaims } from "./service-account-token.ts";

export interface TokenIssuer {
  readonly issuer: string;
  /** The audiences of a token when the request names none. Default: the issuer. */
  readonly audiences?: readonly string[];
  readonly key: TokenKey;
  readonly read: ReadObject;
  readonly nowMs: () => number;
  readonly newUuid: () => string;
}

export interface TokenRequestTarget {
  readonly namespace: string;
  /** The service account in the URL. */
  readonly name: string;
}

const group = "authentication.k8s.io";
const defaultExpirationSeconds = 3600;
/** What kubelets ask for in kube-api-access volumes; such tokens live on, and warn, when a client does not reload them. */
const warnOnlyExpirationSeconds = 3607;
const extendedExpirationSeconds = 365 * 24 * 3600;

/**
 * Answers `create serviceaccounts/token`: the request with defaults, metadata of the account, and the token in its
 * status. `managedFields` are the caller's to add. Throws ApiFailure 400, 404, 409 or 422.
 * Source: Kubernetes, pkg/registry/core/serviceaccount/storage/token.go.
 */
export function requestToken(target: TokenRequestTarget, request: KubeObject, issuer: TokenIssuer): KubeObject {
  const { namespace, name } = target;
  checkNames(target, request);
  const serviceAccount = issuer.read({ group: "", plural: "serviceaccounts", namespace, name });
  if (serviceAccount === undefined) throw notFound({ group: "", plural: "serviceaccounts", name });
  const accountUid = serviceAccount.metadata.uid ?? "";
  checkUid(request, name, accountUid);

  const hubAudiences = issuer.audiences ?? [issuer.issuer];
  const asked = textsAt(request, "spec", "audiences");
  const audiences = asked.length === 0 ? hubAudiences : asked;
  const expirationSeconds = numberAt(request, "spec", "expirationSeconds") ?? defaultExpirationSeconds;
  checkExpiration(expirationSeconds);

  const reference = objectAt(request, "spec", "boundObjectRef");
  const boundTo = reference === undefined ? undefined : readBound(reference, target, issuer.read);
  const node = boundTo?.kind === "Pod" ? nodeOf(boundTo, issuer.read) : undefined;
  const isExtended =
    boundTo?.kind === "Pod" &&
    expirationSeconds === warnOnlyExpirationSeconds &&
    audiences.every((audience) => hubAudiences.includes(audience));
  const nowMs = issuer.nowMs();
  const claims = boundClaims({
    issuer: issuer.issuer,
    audiences,
    serviceAccount,
    nowMs,
    expirationSeconds: isExtended ? extendedExpirationSeconds : expirationSeconds,
    id: issuer.newUuid(),
    ...(isExtended ? { warnAfterSeconds: expirationSeconds } : {}),
    ...(boundTo === undefined ? {} : { boundTo }),
    ...(node === undefined ? {} : { node }),
  });
  return {
    kind: "TokenRequest",
    apiVersion: `${group}/v1`,
    metadata: { name, namespace, uid: accountUid, creationTimestamp: timestamp(nowMs) },
    spec: { audiences, expirationSeconds, boundObjectRef: reference ?? null },
    status: { token: signJwt(claims, issuer.key), expirationTimestamp: timestamp(nowMs + expirationSeconds * 1000) },
  };
}

function checkNames({ namespace, name }: TokenRequestTarget, request: KubeObject): void {
  const checks = [
    { field: "name", expected: name, given: textAt(request, "metadata", "name") ?? "" },
    { field: "namespace", expected: namespace, given: textAt(request, "metadata", "namespace") ?? "" },
  ];
  for (const { field, expected, given } of checks) {
    if (given === "" || given === expected) continue;
    const message = `Invalid value: ${JSON.stringify(given)}: must match the service account ${field} if specified`;
    throw invalidRequest(name, { field: `metadata.${field}`, reason: "FieldValueInvalid", message });
  }
}

function checkUid(request: KubeObject, name: string, accountUid: string): void {
  const given = textAt(request, "metadata", "uid") ?? "";
  if (given === "" || given === accountUid) return;
  throw conflict(
    { group, plural: "TokenRequest", name },
    `the UID in the token request (${given}) does not match the UID of the service account (${accountUid})`,
  );
}

function checkExpiration(seconds: number): void {
  const problem =
    seconds < 600
      ? "may not specify a duration less than 10 minutes"
      : seconds > 2 ** 32
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined;
  if (problem === undefined) return;
  const message = `Invalid value: ${seconds}: ${problem}`;
  throw invalidRequest("", { field: "spec.expirationSeconds", reason: "FieldValueInvalid", message });
}

function readBound(reference: JsonObject, target: TokenRequestTarget, read: ReadObject): KubeObject {
  const [apiGroup, version] = splitApiVersion(textAt(reference, "apiVersion") ?? "");
  const kind = textAt(reference, "kind") ?? "";
  const name = textAt(reference, "name") ?? "";
  const plural = apiGroup === "" ? boundKinds.get(kind) : undefined;
  if (plural === undefined) {
    throw badRequest(`cannot bind token to object of type ${apiGroup}/${version}, Kind=${kind}`);
  }
  if (name === "") throw badRequest("Name parameter required.");
  const object = read({ group: "", plural, name, ...(kind === "Node" ? {} : { namespace: target.namespace }) });
  if (object === undefined) throw notFound({ group: "", plural, name });
  if (kind === "Pod" && textAt(object, "spec", "serviceAccountName") !== target.name) {
    const account = JSON.stringify(target.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  const uid = textAt(reference, "uid") ?? "";
  if (uid !== "" && uid !== object.metadata.uid) {
    throw conflict(
      { group: "", plural: kind, name },
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
        "The object might have been deleted and then recreated",
    );
  }
  return { ...object, kind };
}

const boundKinds: ReadonlyMap<string, string> = new Map([
  ["Pod", "pods"],
  ["Secret", "secrets"],
  ["Node", "nodes"],
]);

function nodeOf(pod: KubeObject, read: ReadObject): { readonly name: string; readonly uid?: string } | undefined {
  const name = textAt(pod, "spec", "nodeName") ?? "";
  if (name === "") return undefined;
  const uid = read({ group: "", plural: "nodes", name })?.metadata.uid;
  return { name, ...(uid === undefined ? {} : { uid }) };
}

function splitApiVersion(apiVersion: string): [string, string] {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? ["", first] : [first, second];
}

function invalidRequest(name: string, error: FieldError): Error {
  return invalid({ group, kind: "TokenRequest", name }, [error]);
}

function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

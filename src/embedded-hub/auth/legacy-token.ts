import { timingSafeEqual } from "node:crypto";
import type { JsonObject } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "./auth.ts";
import { parseServiceAccountUsername, serviceAccountUser, serviceAccountUsername } from "./service-account-token.ts";
import type { TokenResult } from "./service-account-token.ts";

export const legacyIssuer = "kubernetes/serviceaccount";
const prefix = "kubernetes.io/serviceaccount/";
const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/** The claims of the token in a Secret of type service-account-token. Source: Kubernetes, pkg/serviceaccount/legacy.go. */
export function legacyClaims(serviceAccount: KubeObject, secretName: string): JsonObject {
  const { name, namespace = "", uid = "" } = serviceAccount.metadata;
  return {
    iss: legacyIssuer,
    [`${prefix}namespace`]: namespace,
    [`${prefix}secret.name`]: secretName,
    [`${prefix}service-account.name`]: name,
    [`${prefix}service-account.uid`]: uid,
    sub: serviceAccountUsername(namespace, name),
  };
}

/** Whether such a token, its signature being good, is still what its Secret holds. It has no expiry. */
export function evaluateLegacyToken(token: string, claims: JsonObject, read: ReadObject): TokenResult {
  const subject = textAt(claims, "sub") ?? "";
  if (subject === "") return refuse("sub claim is missing");
  const namespace = textAt(claims, `${prefix}namespace`) ?? "";
  if (namespace === "") return refuse("namespace claim is missing");
  const secretName = textAt(claims, `${prefix}secret.name`) ?? "";
  if (secretName === "") return refuse("secretName claim is missing");
  const name = textAt(claims, `${prefix}service-account.name`) ?? "";
  if (name === "") return refuse("serviceAccountName claim is missing");
  const uid = textAt(claims, `${prefix}service-account.uid`) ?? "";
  if (uid === "") return refuse("serviceAccountUID claim is missing");
  const named = parseServiceAccountUsername(subject);
  if (named?.namespace !== namespace || named.name !== name) return refuse("sub claim is invalid");

  const secret = read({ group: "", plural: "secrets", namespace, name: secretName });
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) {
    return refuse("Token has been invalidated");
  }
  if (!isSecretContent(secret, token)) return refuse("Token does not match server's copy");
  const serviceAccount = read({ group: "", plural: "serviceaccounts", namespace, name });
  if (serviceAccount === undefined) return refuse(`serviceaccounts ${JSON.stringify(name)} not found`);
  if (serviceAccount.metadata.deletionTimestamp !== undefined) {
    return refuse(`ServiceAccount ${namespace}/${name} has been deleted`);
  }
  const current = serviceAccount.metadata.uid ?? "";
  if (current !== uid) return refuse(`ServiceAccount UID (${current}) does not match claim (${uid})`);
  if ((secret.metadata.labels?.[invalidSinceLabel] ?? "") !== "") {
    return refuse(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. ` +
        "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the " +
        `'${invalidSinceLabel}' label from the secret to temporarily allow use of this token`,
    );
  }
  return { kind: "user", user: serviceAccountUser({ namespace, name, uid }) };
}

function isSecretContent(secret: KubeObject, token: string): boolean {
  const stored = Buffer.from(textAt(secret, "data", "token") ?? "", "base64");
  const shown = Buffer.from(token);
  return stored.length === shown.length && timingSafeEqual(stored, shown);
}

function refuse(reason: string): TokenResult {
  return { kind: "refused", reason };
}

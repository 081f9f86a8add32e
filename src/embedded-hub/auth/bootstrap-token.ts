import { timingSafeEqual } from "node:crypto";
import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject, UserInfo } from "./auth.ts";

export const bootstrapTokenType = "bootstrap.kubernetes.io/token";
const extraGroupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/u;

/**
 * The user of a bootstrap token (`<6 letters>.<16 letters>`), or undefined when it is none or not valid (now).
 * Source: Kubernetes, plugin/pkg/auth/authenticator/token/bootstrap.
 */
export function bootstrapTokenUser(token: string, nowMs: number, read: ReadObject): UserInfo | undefined {
  const [, id, secretText] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/u.exec(token) ?? [];
  if (id === undefined || secretText === undefined) return undefined;
  const secret = read({ group: "", plural: "secrets", namespace: "kube-system", name: `bootstrap-token-${id}` });
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined;
  if (secret["type"] !== bootstrapTokenType || !isEqual(dataOf(secret, "token-secret"), secretText)) return undefined;
  if (dataOf(secret, "token-id") !== id || bootstrapExpiry(secret).kind === "invalid") return undefined;
  if (isBootstrapTokenExpired(secret, nowMs)) return undefined;
  if (dataOf(secret, "usage-bootstrap-authentication") !== "true") return undefined;
  const extraGroups = dataOf(secret, "auth-extra-groups");
  const groups = extraGroups === "" ? [] : extraGroups.split(",");
  if (!groups.every((group) => extraGroupPattern.test(group))) return undefined;
  return { username: `system:bootstrap:${id}`, groups: ["system:bootstrappers", ...new Set(groups)].sort() };
}

/** True when the token's time is over, or its expiry cannot be read. */
function isBootstrapTokenExpired(secret: KubeObject, nowMs: number): boolean {
  const expiry = bootstrapExpiry(secret);
  return expiry.kind === "invalid" || (expiry.kind === "at" && expiry.atMs <= nowMs);
}

/** When a bootstrap token ends. */
export function bootstrapExpiry(
  secret: KubeObject,
): { readonly kind: "never" | "invalid" } | { readonly kind: "at"; readonly atMs: number } {
  const text = dataOf(secret, "expiration");
  if (text === "") return { kind: "never" };
  const isRfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/u.test(text);
  const atMs = isRfc3339 ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? { kind: "invalid" } : { kind: "at", atMs };
}

function dataOf(secret: KubeObject, key: string): string {
  return Buffer.from(textAt(secret, "data", key) ?? "", "base64").toString("utf8");
}

function isEqual(stored: string, shown: string): boolean {
  const [left, right] = [Buffer.from(stored), Buffer.from(shown)];
  return left.length === right.length && timingSafeEqual(left, right);
}

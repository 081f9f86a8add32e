import { generateKeyPairSync } from "node:crypto";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import type { Authenticator, ReadObject, UserInfo } from "../../../../src/embedded-hub/auth/auth.ts";
import { tokenKeyOf } from "../../../../src/embedded-hub/auth/jwt.ts";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import type { RbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import { requestToken } from "../../../../src/embedded-hub/auth/token-request.ts";
import type { TokenIssuer } from "../../../../src/embedded-hub/auth/token-request.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

export const issuer = "https://kubernetes.default.svc.cluster.local";
export const startMs = Date.parse("2026-01-02T03:04:05Z");
export const hubKey = tokenKeyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);

/** Objects of a hub, with its authenticator and its token issuer. */
export interface AuthWorld {
  nowMs: number;
  readonly put: (...objects: KubeObject[]) => void;
  readonly remove: (kind: string, namespace: string, name: string) => void;
  readonly read: ReadObject;
  readonly authenticator: Authenticator;
  readonly issuer: TokenIssuer;
  /** The token of a TokenRequest for an account of namespace `shop`. */
  readonly tokenFor: (account: string, spec?: JsonObject) => string;
  readonly whoIs: (token: string) => Promise<UserInfo | string>;
}

export function authWorld(): AuthWorld {
  const objects = new Map<string, KubeObject>();
  const keyOf = (plural: string, namespace: string | undefined, name: string) => `${plural}/${namespace ?? ""}/${name}`;
  const read: ReadObject = ({ plural, namespace, name }) => objects.get(keyOf(plural, namespace, name));
  let ids = 0;
  const tokenIssuer: TokenIssuer = {
    issuer,
    key: hubKey,
    read,
    nowMs: () => world.nowMs,
    newUuid: () => `id-${++ids}`,
  };
  const authenticator = createAuthenticator({ issuer, keys: [hubKey], read, nowMs: () => world.nowMs });
  const world: AuthWorld = {
    nowMs: startMs,
    put: (...added) => {
      for (const object of added) {
        objects.set(keyOf(`${object.kind.toLowerCase()}s`, object.metadata.namespace, object.metadata.name), object);
      }
    },
    remove: (kind, namespace, name) => {
      objects.delete(keyOf(`${kind.toLowerCase()}s`, namespace === "" ? undefined : namespace, name));
    },
    read,
    authenticator,
    issuer: tokenIssuer,
    tokenFor: (account, spec = {}) => {
      const answer = requestToken({ namespace: "shop", name: account }, tokenRequest(spec), tokenIssuer);
      return (answer["status"] as { token: string }).token;
    },
    whoIs: async (token) => {
      const outcome = authenticator.authenticate({ authorization: `Bearer ${token}` });
      return outcome.kind === "user" ? outcome.user : outcome.reason;
    },
  };
  return world;
}

export function tokenRequest(spec: JsonObject, metadata: Record<string, string> = {}): KubeObject {
  return { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: metadata as never, spec };
}

export function object(kind: string, name: string, rest: Record<string, unknown> = {}): KubeObject {
  const { metadata = {}, ...fields } = rest as { metadata?: object };
  const namespace = kind === "Node" ? {} : { namespace: "shop" };
  return { apiVersion: "v1", kind, metadata: { name, ...namespace, uid: `${name}-uid`, ...metadata }, ...fields };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

const rbac = "rbac.authorization.k8s.io";

export interface RoleSpec {
  readonly namespace?: string;
  readonly name: string;
  readonly rules?: readonly JsonObject[];
}

export function role({ namespace, name, rules = [] }: RoleSpec): KubeObject {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  return { apiVersion: `${rbac}/v1`, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, rules };
}

/** A binding of `<kind>/<role name>` to `<kind>/<subject name>`s; an account is `ServiceAccount/<namespace>/<name>`. */
export function binding(name: string, roleRef: string, subjects: readonly string[], namespace?: string): KubeObject {
  const [roleKind, roleName] = roleRef.split("/");
  return {
    apiVersion: `${rbac}/v1`,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name, ...(namespace ? { namespace } : {}) },
    roleRef: { apiGroup: rbac, kind: roleKind, name: roleName },
    subjects: subjects.map((text) => {
      const [kind, first, second] = text.split("/");
      if (kind !== "ServiceAccount") return { apiGroup: rbac, kind, name: first };
      return second === undefined ? { kind, name: first } : { kind, namespace: first, name: second };
    }),
  };
}

export function authorizerWith(...objects: readonly KubeObject[]): RbacAuthorizer {
  const authorizer = createRbacAuthorizer();
  for (const one of objects) authorizer.put(one);
  return authorizer;
}

export function user(username: string, ...groups: string[]): UserInfo {
  return { username, groups };
}

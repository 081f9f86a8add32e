// auth: who asks (authentication) and what they may (RBAC). Pure decisions over objects that are read through closures.
import type { KubeObject } from "../../model/kubernetes.ts";

/** Source: Kubernetes API, authentication.k8s.io/v1 UserInfo. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface Credential {
  /** Subject of a client certificate that the TLS layer verified against the hub's client CA. */
  readonly certificateSubject?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    /** Lower-case hex SHA-256 of the certificate's DER; becomes the user's credential id. */
    readonly fingerprintSha256?: string;
  };
  /** A client certificate was shown that the TLS layer did not verify: refused unless a bearer token is good. */
  readonly isCertificateUntrusted?: boolean;
  /** The `Authorization` header, whole. */
  readonly authorization?: string;
  /** The `Sec-WebSocket-Protocol` header, whole: browsers have no other way to send a bearer token. */
  readonly webSocketProtocols?: string;
}

export type Authentication =
  | { readonly kind: "user"; readonly user: UserInfo; readonly expiresAtMs?: number }
  /** A credential was shown and is not valid: 401. */
  | { readonly kind: "refused"; readonly reason: string };

/** What is asked, as RBAC sees it. Source: Kubernetes, authorization.k8s.io SubjectAccessReview attributes. */
export type RequestAttributes =
  | {
      readonly kind: "resource";
      readonly user: UserInfo;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly kind: "path"; readonly user: UserInfo; readonly verb: string; readonly path: string };

export interface Decision {
  readonly isAllowed: boolean;
  /** Why, for `kubectl auth can-i` and logs. */
  readonly reason: string;
}

/** The identity that a bearer token proves (TokenReview). */
export type TokenReviewOutcome =
  | {
      readonly kind: "user";
      readonly user: UserInfo;
      readonly audiences: readonly string[];
      readonly expiresAtMs?: number;
    }
  | { readonly kind: "refused"; readonly reason: string };

export interface Authenticator {
  /** No credential at all gives the user system:anonymous. */
  authenticate(credential: Credential): Authentication;
  /** Evaluates a bare token for `audiences` (none: the hub's own). */
  reviewToken(token: string, audiences: readonly string[]): Promise<TokenReviewOutcome>;
}

export interface Authorizer {
  authorize(attributes: RequestAttributes): Decision;
}

/** Reads a stored object; `namespace` is undefined for cluster-scoped kinds. */
export type ReadObject = (ref: {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name: string;
}) => KubeObject | undefined;

/** Names that Kubernetes gives a meaning to. Source: k8s.io/apiserver, authentication/user. */
export const wellKnownUsers = {
  anonymous: "system:anonymous",
  authenticatedGroup: "system:authenticated",
  unauthenticatedGroup: "system:unauthenticated",
  mastersGroup: "system:masters",
} as const;

/** Whether this user may do everything, whatever roles and limits there are. */
export function isMaster({ groups }: Pick<UserInfo, "groups">): boolean {
  return groups.includes(wellKnownUsers.mastersGroup);
}

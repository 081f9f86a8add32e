import { BoundedCache } from "../../core/bounded-cache.ts";
import type { JsonObject } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
import { wellKnownUsers } from "./auth.ts";
import type { Authenticator, Credential, ReadObject, TokenReviewOutcome, UserInfo } from "./auth.ts";
import { bootstrapTokenUser } from "./bootstrap-token.ts";
import { aggregate, quoteList } from "../../core/formats/go-text.ts";
import { decodeJwt, isSignedBy } from "./jwt.ts";
import type { TokenKey } from "./jwt.ts";
import { evaluateLegacyToken, legacyIssuer } from "./legacy-token.ts";
import { audiencesOf, evaluateBoundClaims } from "./service-account-token.ts";
import type { TokenResult } from "./service-account-token.ts";

export interface AuthenticatorOptions {
  /** `iss` of the tokens that this hub issues. */
  readonly issuer: string;
  /** What a token must be meant for. Default: the issuer. */
  readonly audiences?: readonly string[];
  /** The hub's signing key, and former ones whose tokens still count. */
  readonly keys: readonly TokenKey[];
  readonly read: ReadObject;
  readonly nowMs: () => number;
}

const invalidToken = "invalid bearer token";
/**
 * Signatures are checked once per token; whether it is alive is evaluated again by every request. 10,000 agents have a token
 * each, of some 1,200 characters, and a new one before the last ends. All of them together hold some three times this.
 */
const mostCheckedCharacters = 24 * 1024 * 1024;
/** A longer one is checked each time: the engine compares texts of more than 16,383 characters and one length one by one. */
const longestChecked = 8 * 1024;

/** A token whose signature is good. */
interface CheckedToken {
  readonly claims: JsonObject;
  readonly characters: number;
}

/**
 * Client certificates, service-account tokens (bound and legacy), bootstrap tokens, anonymous. A token is dead the
 * moment that its account, Secret or Pod is. Source: k8s.io/apiserver, authentication; Kubernetes, pkg/serviceaccount.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { issuer, keys, read, nowMs, audiences: hubAudiences = [issuer] } = options;
  const checked = new BoundedCache<string, CheckedToken>({
    limit: mostCheckedCharacters,
    weightOf: ({ characters }) => characters,
  });

  const claimsOf = (token: string): { claims: JsonObject } | { reason: string } | undefined => {
    const isKept = token.length <= longestChecked;
    const known = isKept ? checked.get(token) : undefined;
    if (known !== undefined) return known;
    const decoded = decodeJwt(token);
    const claimedIssuer = textAt(decoded?.claims, "iss");
    if (decoded === undefined || (claimedIssuer !== issuer && claimedIssuer !== legacyIssuer)) return undefined;
    const keyId = textAt(decoded.header, "kid") ?? "";
    const candidates = keyId === "" ? keys : keys.filter((key) => key.keyId === keyId);
    if (candidates.length === 0) return { reason: "invalid signature, no keys found" };
    if (!isSignedBy(token, decoded.header, candidates)) {
      return { reason: "go-jose/go-jose: error in cryptographic primitive" };
    }
    if (isKept) checked.set(token, { claims: decoded.claims, characters: token.length });
    return { claims: decoded.claims };
  };

  const evaluate = (token: string, claims: JsonObject): TokenResult =>
    textAt(claims, "iss") === legacyIssuer
      ? evaluateLegacyToken(token, claims, read)
      : evaluateBoundClaims(claims, nowMs(), read);

  const reviewNow = (token: string, wanted: readonly string[]): TokenReviewOutcome => {
    const found = claimsOf(token);
    if (found === undefined) {
      const user = bootstrapTokenUser(token, nowMs(), read);
      const audiences = wanted.filter((one) => hubAudiences.includes(one));
      if (user === undefined || audiences.length === 0) return { kind: "refused", reason: invalidToken };
      return { kind: "user", user: authenticated(user), audiences };
    }
    if ("reason" in found) return refuse(found.reason);
    const declared = audiencesOf(found.claims);
    const tokenAudiences = declared.length === 0 ? hubAudiences : declared;
    const audiences = tokenAudiences.filter((one) => wanted.includes(one));
    if (audiences.length === 0) {
      return refuse(
        `token audiences ${quoteList(tokenAudiences)} is invalid for the target audiences ${quoteList(wanted)}`,
      );
    }
    const result = evaluate(token, found.claims);
    if (result.kind === "refused") return refuse(result.reason);
    const { expiresAtMs } = result;
    const user = authenticated(result.user);
    return { kind: "user", user, audiences, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
  };

  return {
    authenticate: (credential) => {
      const user = certificateUser(credential);
      if (user !== undefined) return { kind: "user", user };
      const token = bearerToken(credential);
      if (token !== undefined) {
        const outcome = reviewNow(token, hubAudiences);
        if (outcome.kind === "refused") return outcome;
        const { user: bearer, expiresAtMs } = outcome;
        return { kind: "user", user: bearer, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
      }
      if (credential.isCertificateUntrusted === true) {
        return { kind: "refused", reason: "the client certificate is not signed by the hub's client CA" };
      }
      const { anonymous, unauthenticatedGroup } = wellKnownUsers;
      return { kind: "user", user: { username: anonymous, groups: [unauthenticatedGroup] } };
    },
    reviewToken: async (token, audiences) => reviewNow(token, audiences.length === 0 ? hubAudiences : audiences),
  };
}

/** The bearer token of a request, or undefined when it shows none. Source: k8s.io/apiserver, request/bearertoken, websocket. */
function bearerToken({ authorization = "", webSocketProtocols = "" }: Credential): string | undefined {
  const [scheme = "", token = ""] = authorization.trim().split(" ");
  if (scheme.toLowerCase() === "bearer" && token !== "") return token;
  const prefix = "base64url.bearer.authorization.k8s.io.";
  const protocol = webSocketProtocols
    .split(",")
    .map((one) => one.trim())
    .find((one) => one.startsWith(prefix));
  return protocol === undefined ? undefined : Buffer.from(protocol.slice(prefix.length), "base64url").toString("utf8");
}

function certificateUser({ certificateSubject }: Credential): UserInfo | undefined {
  if (certificateSubject === undefined || certificateSubject.commonName === "") return undefined;
  const { commonName, organizations, fingerprintSha256 } = certificateSubject;
  return authenticated({
    username: commonName,
    groups: organizations,
    ...(fingerprintSha256 === undefined
      ? {}
      : { extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprintSha256}`] } }),
  });
}

function authenticated(user: UserInfo): UserInfo {
  const { authenticatedGroup } = wellKnownUsers;
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

function refuse(reason: string): TokenReviewOutcome {
  return { kind: "refused", reason: aggregate([invalidToken, reason]) };
}

import type { JsonObject } from "../../core/json.ts";
import { jsonWebKeyOf } from "./jwt.ts";
import type { TokenKey } from "./jwt.ts";

/** The body of /.well-known/openid-configuration. Source: Kubernetes, pkg/serviceaccount/openidmetadata.go. */
export function openIdConfiguration(issuer: string, keysUrl: string, keys: readonly TokenKey[]): JsonObject {
  return {
    issuer,
    jwks_uri: keysUrl,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(keys.map((key) => key.algorithm))].sort(),
  };
}

/** The body of /openid/v1/jwks: the public keys for checking a token of this hub. */
export function jsonWebKeySet(keys: readonly TokenKey[]): JsonObject {
  return { keys: keys.map(jsonWebKeyOf) };
}

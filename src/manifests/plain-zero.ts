import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";

/** A token's `ttl: 0` is a number for YAML, and means the text "0": it does not expire. Everything else stays as it is. */
export function withTextTtl(value: JsonObject): JsonObject {
  const { kind, spec } = value;
  if (kind !== "ClusterRegistrationToken" || !isJsonObject(spec) || spec["ttl"] !== 0) return value;
  return { ...value, spec: { ...spec, ttl: "0" } };
}

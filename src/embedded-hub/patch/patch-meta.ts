import type { Schema } from "../schema/schema.ts";
import { PatchError } from "./patch-error.ts";

/** How the value under a key is patched. */
export interface PatchMeta {
  /** The schema of the value, of a list that of its items. */
  readonly schema: Schema | undefined;
  /** `merge`, `replace` or empty. */
  readonly strategy: string;
  /** Empty when there is none. */
  readonly mergeKey: string;
}

/** The meta of a key of a map. A map whose keys are not declared (labels) has one for all of them. */
export function metaOfKey(schema: Schema | undefined, key: string): PatchMeta {
  if (schema === undefined) return { schema: undefined, strategy: "", mergeKey: "" };
  const { additionalProperties, properties } = schema;
  const declared = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
  const found = declared ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
  if (found === undefined && schema.type === "object" && properties !== undefined) {
    throw new PatchError(`unable to find api field in struct object for the json field ${JSON.stringify(key)}`, 500);
  }
  const strategies = (found?.["x-kubernetes-patch-strategy"] ?? "").split(",").filter((name) => name !== "retainKeys");
  return {
    schema: found?.items ?? found,
    strategy: strategies[0] ?? "",
    mergeKey: found?.["x-kubernetes-patch-merge-key"] ?? "",
  };
}

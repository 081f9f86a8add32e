import { assertNever } from "../../core/assert-never.ts";
import type { JsonObject } from "../../core/json.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { PatchBody } from "../operations/operations.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import type { PatchResult } from "../patch/patch.ts";
import { applyStrategicMergePatch } from "../patch/strategic-merge-patch.ts";
import type { Schema } from "../schema/schema.ts";

type PlainPatch = Exclude<PatchBody, { readonly kind: "apply" }>;

/** The JSON of an object after a JSON patch, merge patch or strategic merge patch. Throws ApiFailure. */
export function patchJson(schema: Schema, patch: PlainPatch, object: JsonObject): JsonObject {
  const result = applyPatch(schema, patch, object);
  if (result.kind === "patched") return result.object;
  const { code, message } = result;
  throw new ApiFailure(code, reasons[code], message, code === 422 ? { details: {} } : {});
}

const reasons = { 400: "BadRequest", 413: "RequestEntityTooLarge", 422: "Invalid", 500: "" } as const;

function applyPatch(schema: Schema, patch: PlainPatch, object: JsonObject): PatchResult {
  switch (patch.kind) {
    case "json":
      return applyJsonPatch(object, patch.operations);
    case "merge":
      return applyMergePatch(object, patch.patch);
    case "strategic":
      return applyStrategicMergePatch(object, patch.patch, schema);
    default:
      return assertNever(patch);
  }
}

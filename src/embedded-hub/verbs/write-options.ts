import type { JsonObject } from "../../core/json.ts";
import type { OperationContext } from "../operations/operations.ts";

/** The options of a write as admission sees them. */
export function writeOptions(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  { fieldManager, fieldValidation, isDryRun }: OperationContext,
): JsonObject {
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    fieldManager,
    fieldValidation,
    ...(isDryRun ? { dryRun: ["All"] } : {}),
  };
}

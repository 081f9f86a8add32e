import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { invalid } from "../schema/field-error.ts";
import { goText, goType } from "../../core/formats/go-format.ts";
import type { FieldError } from "../schema/schema.ts";

/** The paths of the numbers of the subresource scale (`.spec.replicas`). */
export interface ScalePaths {
  readonly specPath: string;
  readonly statusPath: string;
  readonly selectorPath?: string;
}

const maximum = 2 ** 31 - 1;

/** What keeps a custom object from being scaled. `isStatus`: only the half that status holds was written. */
export function validateScale(object: JsonObject, paths: ScalePaths, isStatus: boolean): FieldError[] {
  const { specPath, statusPath, selectorPath } = paths;
  return [
    ...(isStatus ? [] : validateReplicas(object, specPath)),
    ...validateReplicas(object, statusPath),
    ...(selectorPath === undefined ? [] : validateSelector(object, selectorPath)),
  ];
}

function validateReplicas(object: JsonObject, path: string): FieldError[] {
  const found = lookUp(object, path);
  if (typeof found === "string") return [invalid(path, 0, found)];
  if (found === undefined) return [];
  const { value } = found;
  if (typeof value !== "number" || !Number.isInteger(value)) return [invalid(path, 0, misfit(path, value, "int64"))];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > maximum ? [invalid(path, value, `should be less than or equal to ${maximum}`)] : [];
}

function validateSelector(object: JsonObject, path: string): FieldError[] {
  const found = lookUp(object, path);
  if (typeof found === "string") return [invalid(path, "", found)];
  if (found === undefined || typeof found.value === "string") return [];
  return [invalid(path, "", misfit(path, found.value, "string"))];
}

function misfit(path: string, value: Json, expected: string): string {
  return `.${path.replace(/^\./u, "")} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;
}

/** The value at a path, undefined when there is none, or why the path leads nowhere. */
function lookUp(object: JsonObject, path: string): { readonly value: Json } | string | undefined {
  const fields = path.replace(/^\./u, "").split(".");
  let value: Json = object;
  for (const [index, field] of fields.entries()) {
    if (value === null) return undefined;
    if (!isJsonObject(value)) return misfit(fields.slice(0, index + 1).join("."), value, "map[string]interface{}");
    const next: Json | undefined = Object.hasOwn(value, field) ? value[field] : undefined;
    if (next === undefined) return undefined;
    value = next;
  }
  return { value };
}

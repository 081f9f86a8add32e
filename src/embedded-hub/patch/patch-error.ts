import type { Json, JsonObject } from "../../core/json.ts";
import { goText, goType } from "../../core/formats/go-format.ts";

/** Ends a strategic merge that cannot continue; it never leaves this folder. */
export class PatchError extends Error {
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500) {
    super(message);
    this.name = "PatchError";
    this.code = code;
  }
}

export function badArgument(expected: string, actual: Json): PatchError {
  return new PatchError(
    `expected a ${expected}, but received a ${actual === null ? "%!s(<nil>)" : goType(actual)}`,
    500,
  );
}

export function noMergeKey(item: JsonObject, key: string): PatchError {
  return new PatchError(`map: ${goText(item)} does not contain declared merge key: ${key}`, 500);
}

export function unknownDirective(what: Json, item: JsonObject): PatchError {
  const isText = typeof what !== "number" && typeof what !== "boolean";
  const shown = isText ? goText(what) : `%!s(${goType(what)}=${goText(what)})`;
  return new PatchError(`unknown patch type: ${shown} in map: ${goText(item)}`, 500);
}

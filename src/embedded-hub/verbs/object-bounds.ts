import type { Json } from "../../core/json.ts";
import { tooLarge } from "../failures/failures.ts";
import type { PatchBody } from "../operations/operations.ts";

/**
 * Values (maps, lists, texts, numbers) of an object without its managed fields, of its managed fields, and of a patch:
 * what a request with so many costs holds the event loop for less than 200 ms.
 */
const mostValues = 20_000;
/** The same of a CustomResourceDefinition, which administrators write: Argo CD's ApplicationSet has about 40,000. */
const mostDefinitionValues = 100_000;
/** Lists and maps within each other. */
const deepestValue = 128;

/** Throws 413 for an object that is larger or deeper than any real one. */
export function checkObjectBounds(object: object): void {
  const metadata: unknown = "metadata" in object ? object.metadata : undefined;
  const managed: unknown =
    typeof metadata === "object" && metadata !== null && "managedFields" in metadata
      ? metadata.managedFields
      : undefined;
  const isDefinition = "kind" in object && object.kind === "CustomResourceDefinition";
  const most = isDefinition ? mostDefinitionValues : mostValues;
  const ofManagers = countValues(managed, most);
  if (ofManagers > most) throw tooManyValues("the managedFields have", most);
  if (countValues(object, most + ofManagers) > most + ofManagers) throw tooManyValues("the object has", most);
}

/** Throws 413 for a patch that is larger or deeper than any object. An operation of a JSON patch is one value and its own. */
export function checkPatchBounds(patch: PatchBody): void {
  if (patch.kind === "apply") {
    checkObjectBounds(patch.object);
    return;
  }
  const content: unknown = patch.kind === "json" ? valuesOfOperations(patch.operations) : patch.patch;
  if (countValues(content, mostValues) > mostValues) throw tooManyValues("the patch has", mostValues);
}

function valuesOfOperations(operations: Json): unknown {
  if (!Array.isArray(operations)) return operations;
  return operations.map((operation: unknown) =>
    typeof operation === "object" && operation !== null && "value" in operation ? operation.value : null,
  );
}

function tooManyValues(what: string, most: number): Error {
  return tooLarge(`Request entity too large: ${what} more than ${most} values`);
}

/** How many values there are, itself counted; stops counting beyond `limit`. Throws 413 when it is too deep. */
function countValues(value: unknown, limit: number, depth = 0): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return 1;
  if (depth > deepestValue) {
    throw tooLarge(`Request entity too large: values are nested more than ${deepestValue} levels deep`);
  }
  let count = 1;
  for (const item of Object.values(value)) {
    count += countValues(item, limit - count, depth + 1);
    if (count > limit) return count;
  }
  return count;
}

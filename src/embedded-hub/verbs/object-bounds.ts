import type { Json } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
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
/**
 * Characters of the names on the way to a value. Messages, conflicts and lists of fields name values by their paths: a
 * name of a megabyte above a thousand of them would be a gigabyte.
 */
export const longestPath = 8_000;
/** The same of all values of an object together, for each value that it may have: real ones have less than half. */
const mostPathCharactersEach = 800;

/** Throws 413 for an object that is larger or deeper, or whose fields have longer paths, than any real one. */
export function checkObjectBounds(object: object): void {
  const metadata: unknown = "metadata" in object ? object.metadata : undefined;
  const { managedFields, ...others }: { readonly managedFields?: unknown } = isMap(metadata) ? metadata : {};
  const most = mostValuesOf("kind" in object ? object.kind : undefined);
  checkValues("the managedFields have", managedFields, most);
  checkValues("the object has", isMap(metadata) ? { ...object, metadata: others } : object, most);
}

/** How many values an object of a kind may have, and how many its managed fields. */
export function mostValuesOf(kind: unknown): number {
  return kind === "CustomResourceDefinition" ? mostDefinitionValues : mostValues;
}

/** Throws 413 for a patch that is larger or deeper than any object. An operation of a JSON patch is one value and its own. */
export function checkPatchBounds(patch: PatchBody): void {
  if (patch.kind === "apply") {
    checkObjectBounds(patch.object);
    return;
  }
  if (patch.kind === "json") checkValuesOfOperations(patch.operations);
  else checkValues("the patch has", patch.patch, mostValues);
}

/** Each value is named by the path of its operation. */
function checkValuesOfOperations(operations: Json): void {
  const tally: Tally = { values: 0, pathCharacters: 0, most: mostValues };
  for (const operation of Array.isArray(operations) ? (operations as readonly Json[]) : [operations]) {
    const pointer = textAt(operation, "path") ?? "";
    if (pointer.length > longestPath) throw tooLongPaths();
    const depth = pointer.split("/", deepestValue + 2).length - 1;
    if (depth > deepestValue) throw tooDeep();
    const value = isMap(operation) && "value" in operation ? operation.value : null;
    countValues(value, tally, { depth, path: pointer.length });
    if (tally.values > mostValues) break;
  }
  checkTally("the patch has", tally);
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkValues(what: string, value: unknown, most: number): void {
  const tally: Tally = { values: 0, pathCharacters: 0, most };
  countValues(value, tally, { depth: 0, path: 0 });
  checkTally(what, tally);
}

function checkTally(what: string, { most, ...tally }: Tally): void {
  if (tally.values > most) throw tooLarge(`Request entity too large: ${what} more than ${most} values`);
  if (tally.pathCharacters > most * mostPathCharactersEach) throw tooLongPaths();
}

/** The refusal of a body or an object whose fields have too long paths. */
export function tooLongPaths(): Error {
  return tooLarge("Request entity too large: the paths of its fields are too long");
}

function tooDeep(): Error {
  return tooLarge(`Request entity too large: values are nested more than ${deepestValue} levels deep`);
}

interface Tally {
  values: number;
  pathCharacters: number;
  readonly most: number;
}

/** Counts the values, the first itself included; stops beyond the limit. Throws 413 when they are too deep. */
function countValues(value: unknown, tally: Tally, { depth, path }: { readonly depth: number; readonly path: number }) {
  if (value === undefined) return;
  tally.values += 1;
  if (typeof value !== "object" || value === null) return;
  if (depth > deepestValue) throw tooDeep();
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value) as readonly (readonly [string, unknown])[]) {
    if (item === undefined) continue;
    // The place in a list, or the name with a dot.
    const itemPath = path + key.length + (isList ? 2 : 1);
    if (itemPath > longestPath) throw tooLongPaths();
    tally.pathCharacters += itemPath;
    // Most values are no lists or maps: without a call for each.
    if (typeof item === "object" && item !== null) countValues(item, tally, { depth: depth + 1, path: itemPath });
    else tally.values += 1;
    if (tally.values > tally.most) return;
  }
}

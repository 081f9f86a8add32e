import type { Json } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { goSyntax, goText, goType } from "../../core/formats/go-format.ts";
import type { ListShape, MapShape, MergeType, Shapes } from "./merge-type.ts";
import { elementOfItem, fittingShape, keysOf, shapesOf, typeOfKey } from "./merge-type.ts";
import type { PathElement } from "./path-element.ts";
import { describeElement, fieldElement, indexElement } from "./path-element.ts";

/**
 * Why a value does not fit its type, as an API server reports it (`.spec.x: field not declared in schema`), or undefined
 * when it does. `allowsDuplicates` is for objects that are stored already.
 */
export function typingError(
  type: MergeType,
  value: Json,
  options: { readonly allowsDuplicates: boolean },
): string | undefined {
  const errors: TypedError[] = [];
  validate({ errors, ...options }, type, value, "");
  const texts = errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  if (texts.length < 2) return texts[0];
  return ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

interface TypedError {
  readonly path: string;
  readonly message: string;
}

interface Walk {
  readonly errors: TypedError[];
  readonly allowsDuplicates: boolean;
}

function validate(walk: Walk, type: MergeType, value: Json, path: string): void {
  const shape = fittingShape(shapesOf(type), value);
  if (shape.map) validateMap(walk, shape.map, value, path);
  else if (shape.scalar) validateScalar(walk, shape.scalar, value, path);
  else if (shape.list) validateList(walk, shape.list, value, path);
}

function validateMap(walk: Walk, shape: MapShape, value: Json, path: string): void {
  if (value === null) return;
  if (!isJsonObject(value)) {
    walk.errors.push({ path, message: `expected map, got ${goPointer(value)}` });
    return;
  }
  for (const key of keysOf(value)) {
    const type = typeOfKey(shape, key);
    const itemPath = path + describeElement(fieldElement(key));
    if (type === undefined) {
      walk.errors.push({ path: itemPath, message: "field not declared in schema" });
      return;
    }
    validate(walk, type, value[key] ?? null, itemPath);
  }
}

function validateList(walk: Walk, shape: ListShape, value: Json, path: string): void {
  if (value === null) return;
  if (!Array.isArray(value)) {
    walk.errors.push({ path, message: `expected list, got ${goPointer(value)}` });
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of (value as readonly Json[]).entries()) {
    let element: PathElement | string = indexElement(index);
    if (!shape.isAtomic) {
      element = elementOfItem(shape, item);
      if (typeof element === "string") {
        walk.errors.push({ path, message: `element ${index}: ${element}` });
        return;
      }
      if (seen.has(element.key) && !walk.allowsDuplicates) {
        walk.errors.push({ path, message: `duplicate entries for key ${describeElement(element)}` });
      }
      seen.add(element.key);
    }
    validate(walk, shape.element, item, path + describeElement(element));
  }
}

function validateScalar(walk: Walk, scalar: NonNullable<Shapes["scalar"]>, value: Json, path: string): void {
  if (value === null) return;
  const fail = (message: string): void => void walk.errors.push({ path, message });
  switch (scalar) {
    case "numeric":
      if (typeof value !== "number" && typeof value !== "bigint")
        fail(`expected numeric (int or float), got ${goType(value)}`);
      return;
    case "string":
      if (typeof value !== "string") fail(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
      return;
    case "boolean":
      if (typeof value !== "boolean") fail(`expected boolean, got ${goPointer(value)}`);
      return;
    case "untyped":
      if (typeof value === "object") fail(`expected any scalar, got ${goPointer(value)}`);
  }
}

/** A value as Go prints it with `%v` behind a pointer. */
function goPointer(value: Json): string {
  return `&{${goText(value)}}`;
}

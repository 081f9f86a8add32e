import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Schema } from "../schema/schema.ts";
import type { PathElement } from "./path-element.ts";
import { keysElement, valueElement } from "./path-element.ts";

/** A place in an object as merging sees it: its schema, and whether a schema above it keeps unknown fields. */
export interface MergeType {
  readonly schema: Schema;
  readonly isPreserving: boolean;
}

export interface ListShape {
  readonly isAtomic: boolean;
  /** Empty: a set of scalars. */
  readonly keys: readonly string[];
  readonly element: MergeType;
}

export interface MapShape {
  readonly isAtomic: boolean;
  readonly properties: Readonly<Record<string, Schema>>;
  /** The type of keys that are no property; undefined when there may be none. */
  readonly others: MergeType | undefined;
  readonly isPreserving: boolean;
  /** Nothing is declared: the shapes are deduced from the values. */
  readonly isDeduced: boolean;
}

/** The shapes that a value of a type may have; several only where the schema does not name a type. */
export interface Shapes {
  readonly scalar?: "numeric" | "string" | "boolean" | "untyped";
  readonly list?: ListShape;
  readonly map?: MapShape;
}

/** The type of a whole object. Source: Kubernetes, the conversion of structural schemas to merge types. */
export function mergeTypeOf(schema: Schema): MergeType {
  return { schema, isPreserving: false };
}

const deduced: MergeType = { schema: {}, isPreserving: false };

/** Shapes by schema: made once for each, dropped together with the schema. */
const cache = { plain: new WeakMap<Schema, Shapes>(), preserving: new WeakMap<Schema, Shapes>() };

export function shapesOf(type: MergeType): Shapes {
  const isPreserving = type.isPreserving || type.schema["x-kubernetes-preserve-unknown-fields"] === true;
  const known = (isPreserving ? cache.preserving : cache.plain).get(type.schema);
  if (known !== undefined) return known;
  const shapes = makeShapes(type.schema, isPreserving);
  (isPreserving ? cache.preserving : cache.plain).set(type.schema, shapes);
  return shapes;
}

function makeShapes(schema: Schema, isPreserving: boolean): Shapes {
  switch (schema.type) {
    case undefined:
      return { scalar: "untyped", list: listShape(schema, isPreserving), map: mapShape(schema, isPreserving) };
    case "object":
      return { map: mapShape(schema, isPreserving) };
    case "array":
      return { list: listShape(schema, isPreserving) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string": {
      const { format } = schema;
      return { scalar: format === undefined || format === "" || format === "byte" ? "string" : "untyped" };
    }
  }
}

function listShape(schema: Schema, isPreserving: boolean): ListShape {
  const element = schema.items === undefined ? deduced : { schema: schema.items, isPreserving };
  switch (schema["x-kubernetes-list-type"]) {
    case "atomic":
      return { isAtomic: true, keys: [], element };
    case "set":
    case "map":
      return { isAtomic: false, keys: schema["x-kubernetes-list-map-keys"] ?? [], element };
    case undefined: {
      const isMerged = (schema["x-kubernetes-patch-strategy"] ?? "").split(",").includes("merge");
      const key = schema["x-kubernetes-patch-merge-key"];
      return { isAtomic: !isMerged, keys: isMerged && key !== undefined ? [key] : [], element };
    }
  }
}

function mapShape(schema: Schema, isPreserving: boolean): MapShape {
  const properties = schema.properties ?? {};
  const others = typeOfOthers(schema, isPreserving);
  return {
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    properties,
    others,
    isPreserving,
    isDeduced: others === deduced && Object.keys(properties).length === 0,
  };
}

function typeOfOthers(schema: Schema, isPreserving: boolean): MergeType | undefined {
  const { additionalProperties, properties } = schema;
  if (additionalProperties === undefined) {
    return isPreserving || Object.keys(properties ?? {}).length === 0 ? deduced : undefined;
  }
  if (additionalProperties === true) return deduced;
  return additionalProperties === false ? undefined : { schema: additionalProperties, isPreserving };
}

/** The type under a key of a map, or undefined when the key is not declared. */
export function typeOfKey(map: MapShape, key: string): MergeType | undefined {
  const property = isDeclared(map, key) ? map.properties[key] : undefined;
  return property === undefined ? map.others : { schema: property, isPreserving: map.isPreserving };
}

export function isDeclared(map: MapShape, key: string): boolean {
  return Object.hasOwn(map.properties, key);
}

/** The one shape that fits the value, or all when none does (null, a value of a wrong type) or there is no value. */
export function fittingShape(shapes: Shapes, value: Json | undefined): Shapes {
  if (value === undefined || value === null) return shapes;
  if (Array.isArray(value)) return shapes.list ? { list: shapes.list } : shapes;
  if (isJsonObject(value)) return shapes.map ? { map: shapes.map } : shapes;
  return shapes.scalar ? { scalar: shapes.scalar } : shapes;
}

/** True when two results of {@link fittingShape} of one type are the same. */
export function isSameShape(left: Shapes, right: Shapes): boolean {
  return left.scalar === right.scalar && left.list === right.list && left.map === right.map;
}

/** The path element of an item of a list map or set; a text states why there is none. */
export function elementOfItem(list: ListShape, item: Json): PathElement | string {
  if (list.isAtomic) return "invalid indexing of non-associative list";
  if (list.keys.length > 0) return elementOfKeyedItem(list, item);
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return "not supported: associative list with lists as elements";
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type";
  return valueElement(item);
}

function elementOfKeyedItem(list: ListShape, item: Json): PathElement | string {
  if (item === null) return "associative list with keys may not have a null element";
  if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
  const keys = list.keys.flatMap((name) => {
    // A null that was given is a value of its own.
    const given = Object.hasOwn(item, name) ? item[name] : undefined;
    const value = given === undefined ? keyDefault(list, name) : given;
    return value === undefined ? [] : [{ name, value }];
  });
  if (keys.length === 0) {
    const names = `[${list.keys.map((name) => JSON.stringify(name)).join(" ")}]`;
    return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`;
  }
  return keysElement(keys);
}

function keyDefault(list: ListShape, name: string): Json | undefined {
  const map = shapesOf(list.element).map;
  return map === undefined ? undefined : map.properties[name]?.default;
}

/** The items of a list, or undefined for null and whatever is no list. */
export function listOf(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}

/** The keys of an object, or undefined for null and whatever is no object. */
export function mapOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The keys of an object that have a value. */
export function keysOf(map: JsonObject | undefined): string[] {
  return map === undefined ? [] : Object.keys(map).filter((key) => map[key] !== undefined);
}

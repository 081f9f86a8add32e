import type { Json } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { FieldSet, FieldSetBuilder, FieldSetChild } from "./field-set.ts";
import { fieldSetBuilder, insertPath } from "./field-set.ts";
import type { ListShape, MapShape, MergeType } from "./merge-type.ts";
import { elementOfItem, fittingShape, isDeclared, keysOf, listOf, mapOf, shapesOf, typeOfKey } from "./merge-type.ts";
import type { Path, PathElement } from "./path-element.ts";
import { fieldElement } from "./path-element.ts";

/** Every leaf and every list item of a value. The value must be valid for the type. */
export function fieldSetOfValue(type: MergeType, value: Json): FieldSet {
  const set = fieldSetBuilder();
  collect(set, type, value, []);
  return set;
}

function collect(set: FieldSetBuilder, type: MergeType, value: Json, path: Path): void {
  const shape = fittingShape(shapesOf(type), value);
  if (shape.map) collectMap(set, shape.map, value, path);
  else if (shape.scalar) insertPath(set, path);
  else if (shape.list) collectList(set, shape.list, value, path);
}

function collectMap(set: FieldSetBuilder, shape: MapShape, value: Json, path: Path): void {
  if (shape.isAtomic) insertPath(set, path);
  const map = mapOf(value);
  if (shape.isAtomic || map === undefined) return;
  for (const key of keysOf(map)) {
    const type = typeOfKey(shape, key);
    const item = map[key] ?? null;
    const itemPath = [...path, fieldElement(key)];
    if (type !== undefined) collect(set, type, item, itemPath);
    const isEmpty = item === null || (isJsonObject(item) && keysOf(item).length === 0);
    if (isEmpty || !isDeclared(shape, key)) insertPath(set, itemPath);
  }
}

function collectList(set: FieldSetBuilder, shape: ListShape, value: Json, path: Path): void {
  if (shape.isAtomic) {
    insertPath(set, path);
    return;
  }
  const items = (listOf(value) ?? []).flatMap((item) => {
    const element = elementOfItem(shape, item);
    return typeof element === "string" ? [] : [{ element, item }];
  });
  const counts = new Map<string, number>();
  for (const { element } of items) counts.set(element.key, (counts.get(element.key) ?? 0) + 1);
  for (const { element, item } of items) {
    const itemPath = [...path, element];
    // Items that occur more than once are owned as a whole.
    if (counts.get(element.key) === 1) collect(set, shape.element, item, itemPath);
    insertPath(set, itemPath);
  }
}

/** The value without the items of `set`; undefined when nothing remains. */
export function withoutItems(type: MergeType, value: Json, set: FieldSet): Json | undefined {
  const shape = fittingShape(shapesOf(type), value);
  if (shape.map) return withoutMapItems(shape.map, value, set);
  if (shape.scalar) return value;
  return shape.list ? withoutListItems(shape.list, value, set) : undefined;
}

function withoutMapItems(shape: MapShape, value: Json, set: FieldSet): Json | undefined {
  const map = mapOf(value);
  if (map === undefined || shape.isAtomic) return undefined;
  const kept = keysOf(map).flatMap((key): [string, Json][] => {
    const element = fieldElement(key);
    if (set.members.has(element.key)) return [];
    const item = map[key] ?? null;
    const subset = set.children.get(element.key);
    const type = typeOfKey(shape, key);
    const isWhole = subset === undefined || type === undefined;
    // An item of which nothing remains stays as null, like in Kubernetes.
    return [[key, isWhole ? item : (withoutItems(type, item, subset.set) ?? null)]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function withoutListItems(shape: ListShape, value: Json, set: FieldSet): Json | undefined {
  const list = listOf(value);
  if (list === undefined || shape.isAtomic) return undefined;
  const kept: Json[] = [];
  for (const item of list) {
    const element = elementOfItem(shape, item);
    if (typeof element === "string") {
      kept.push(item);
      continue;
    }
    if (set.members.has(element.key)) continue;
    const subset = set.children.get(element.key);
    kept.push(subset === undefined ? item : (withoutItems(shape.element, item, subset.set) ?? null));
  }
  return kept.length > 0 ? kept : undefined;
}

/**
 * The set with every declared field on the way to a path made a member too. A path through an undeclared key (of a map)
 * adds nothing.
 */
export function withNamedFields(type: MergeType | undefined, set: FieldSet): FieldSet {
  const shapes = type === undefined ? {} : shapesOf(type);
  const members = new Map<string, PathElement>(set.members);
  const children = new Map<string, FieldSetChild>();
  for (const [key, { element, set: below }] of set.children) {
    const isField = element.kind === "field";
    if (isField && shapes.map && isDeclared(shapes.map, element.name)) members.set(key, element);
    const childType =
      isField && shapes.map
        ? typeOfKey(shapes.map, element.name)
        : element.kind === "keys" && shapes.list
          ? shapes.list.element
          : undefined;
    children.set(key, { element, set: withNamedFields(childType, below) });
  }
  return { members, children };
}

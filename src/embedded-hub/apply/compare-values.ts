import type { Json } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { FieldSet, FieldSetBuilder } from "./field-set.ts";
import { fieldSetBuilder, insertPath } from "./field-set.ts";
import type { ListShape, MapShape, MergeType, Shapes } from "./merge-type.ts";
import { elementOfItem, fittingShape, isSameShape, keysOf, listOf, mapOf, shapesOf, typeOfKey } from "./merge-type.ts";
import type { Path, PathElement } from "./path-element.ts";
import { fieldElement } from "./path-element.ts";

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

interface Walk {
  readonly removed: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly added: FieldSetBuilder;
}

interface Pair {
  readonly left: Json | undefined;
  readonly right: Json | undefined;
}

/** What changes from `before` to `after`; no path is in more than one of the sets. Both must be valid for the type. */
export function compareValues(type: MergeType, before: Json, after: Json): Comparison {
  const walk: Walk = { removed: fieldSetBuilder(), modified: fieldSetBuilder(), added: fieldSetBuilder() };
  compare(walk, type, [], { left: before, right: after });
  return walk;
}

function compare(walk: Walk, type: MergeType, path: Path, pair: Pair): void {
  const shapes = shapesOf(type);
  const left = fittingShape(shapes, pair.left);
  const right = fittingShape(shapes, pair.right);
  if (pair.right === undefined) {
    compareAs(walk, left, path, pair);
  } else {
    // With two shapes the value before counts as one of the first, that after as one of the second.
    if (pair.left !== undefined && !isSameShape(left, right)) compareAs(walk, left, path, pair);
    compareAs(walk, right, path, pair);
  }
  if (pair.left === undefined) insertPath(walk.added, path);
  else if (pair.right === undefined) insertPath(walk.removed, path);
}

/** What is added or removed below the path, and what is modified. */
function compareAs(walk: Walk, shape: Shapes, path: Path, pair: Pair): void {
  if (shape.map) compareMaps(walk, shape.map, path, pair);
  else if (shape.scalar) compareLeaves(walk, path, pair);
  else if (shape.list) compareLists(walk, shape.list, path, pair);
}

function compareLeaves(walk: Walk, path: Path, { left, right }: Pair): void {
  if (left !== undefined && right !== undefined && !isJsonEqual(left, right)) insertPath(walk.modified, path);
}

function compareMaps(walk: Walk, shape: MapShape, path: Path, pair: Pair): void {
  const left = mapOf(pair.left);
  const right = mapOf(pair.right);
  const leftKeys = keysOf(left);
  const rightKeys = keysOf(right);
  if (shape.isAtomic || (leftKeys.length === 0 && rightKeys.length === 0)) {
    compareLeaves(walk, path, pair);
    return;
  }
  for (const key of new Set([...leftKeys, ...rightKeys])) {
    const type = typeOfKey(shape, key);
    if (type === undefined) continue;
    const inLeft = left !== undefined && Object.hasOwn(left, key) ? left[key] : undefined;
    const inRight = right !== undefined && Object.hasOwn(right, key) ? right[key] : undefined;
    if (inLeft === inRight) continue;
    compare(walk, type, [...path, fieldElement(key)], { left: inLeft, right: inRight });
  }
}

function compareLists(walk: Walk, shape: ListShape, path: Path, pair: Pair): void {
  const left = listOf(pair.left) ?? [];
  const right = listOf(pair.right) ?? [];
  if (shape.isAtomic || (left.length === 0 && right.length === 0)) {
    compareLeaves(walk, path, pair);
    return;
  }
  const leftItems = groupItems(shape, left);
  const rightItems = groupItems(shape, right);
  const elements = new Map([...leftItems, ...rightItems].map(([key, { element }]) => [key, element]));
  for (const [key, element] of elements) {
    const inLeft = leftItems.get(key)?.items ?? [];
    const inRight = rightItems.get(key)?.items ?? [];
    compareItems(walk, shape, [...path, element], { left: inLeft, right: inRight });
  }
}

/** Items of one key; more than one are duplicates, which are owned together. */
function compareItems(
  walk: Walk,
  shape: ListShape,
  path: Path,
  { left, right }: { readonly left: readonly Json[]; readonly right: readonly Json[] },
): void {
  if (left.length < 2 && right.length < 2) {
    compare(walk, shape.element, path, { left: left[0], right: right[0] });
  } else if (left.length >= 2 && right.length >= 2) {
    if (!isJsonEqual(left, right)) insertPath(walk.modified, path);
  } else if (left.length >= 2) {
    if (right.length > 0) compare(walk, shape.element, path, { left: undefined, right: right[0] });
    insertPath(walk.removed, path);
  } else {
    if (left.length > 0) compare(walk, shape.element, path, { left: left[0], right: undefined });
    insertPath(walk.added, path);
  }
}

function groupItems(
  shape: ListShape,
  list: readonly Json[],
): Map<string, { readonly element: PathElement; readonly items: Json[] }> {
  const groups = new Map<string, { readonly element: PathElement; readonly items: Json[] }>();
  for (const item of list) {
    const element = elementOfItem(shape, item);
    if (typeof element === "string") continue;
    const group = groups.get(element.key);
    if (group === undefined) groups.set(element.key, { element, items: [item] });
    else group.items.push(item);
  }
  return groups;
}

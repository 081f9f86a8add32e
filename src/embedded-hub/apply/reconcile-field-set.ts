import type { FieldSet, FieldSetBuilder } from "./field-set.ts";
import { fieldSetBuilder, insertPath, recursiveDifferenceOf, unionOf } from "./field-set.ts";
import type { ListShape, MapShape, MergeType } from "./merge-type.ts";
import { shapesOf, typeOfKey } from "./merge-type.ts";
import type { Path } from "./path-element.ts";

/**
 * The set after a change of the schema: who owned something inside what is atomic now owns the whole of it.
 * The other direction (atomic to granular) changes nothing.
 */
export function reconcileFieldSet(type: MergeType, set: FieldSet): FieldSet {
  const atomic = fieldSetBuilder();
  visit(atomic, type, { set, path: [] });
  return unionOf(recursiveDifferenceOf(set, atomic), atomic);
}

/** What is owned below a path. */
interface Below {
  readonly set: FieldSet;
  readonly path: Path;
}

function visit(atomic: FieldSetBuilder, type: MergeType, below: Below): void {
  const { map, scalar, list } = shapesOf(type);
  if (map) visitMap(atomic, map, below);
  else if (scalar === undefined && list) visitList(atomic, list, below);
}

function visitMap(atomic: FieldSetBuilder, map: MapShape, { set, path }: Below): void {
  if (map.isDeduced) return;
  if (map.isAtomic) {
    insertPath(atomic, path);
    return;
  }
  for (const { element, set: below } of set.children.values()) {
    const type = element.kind === "field" ? typeOfKey(map, element.name) : map.others;
    if (type !== undefined) visit(atomic, type, { set: below, path: [...path, element] });
  }
}

function visitList(atomic: FieldSetBuilder, list: ListShape, { set, path }: Below): void {
  if (list.isAtomic) {
    insertPath(atomic, path);
    return;
  }
  for (const { element, set: below } of set.children.values()) {
    visit(atomic, list.element, { set: below, path: [...path, element] });
  }
}

import type { FieldSet, FieldSetBuilder } from "./field-set.ts";
import {
  emptyFieldSet,
  fieldSetBuilder,
  insertPath,
  isFieldSetEmpty,
  recursiveDifferenceOf,
  unionOf,
} from "./field-set.ts";
import type { MergeType, Shapes } from "./merge-type.ts";
import { shapesOf, typeOfKey } from "./merge-type.ts";
import type { Path, PathElement } from "./path-element.ts";

interface Walk {
  readonly removals: FieldSetBuilder;
  readonly additions: FieldSetBuilder;
}

/**
 * The set after a change of the schema: who owned something inside what is atomic now owns the whole of it.
 * The other direction (atomic to granular) changes nothing.
 */
export function reconcileFieldSet(type: MergeType, set: FieldSet): FieldSet {
  const walk: Walk = { removals: fieldSetBuilder(), additions: fieldSetBuilder() };
  visit(walk, type, { set, path: [], isWhole: false });
  if (isFieldSetEmpty(walk.removals) && isFieldSetEmpty(walk.additions)) return set;
  return unionOf(recursiveDifferenceOf(set, walk.removals), walk.additions);
}

interface Node {
  readonly set: FieldSet | undefined;
  readonly path: Path;
  /** The path is a member of the set and nothing below it is. */
  readonly isWhole: boolean;
}

function visit(walk: Walk, type: MergeType, node: Node): void {
  const { map, scalar, list } = shapesOf(type);
  if (map) visitMap(walk, map, node);
  else if (scalar === undefined && list) visitList(walk, list, node);
}

function visitMap(walk: Walk, map: NonNullable<Shapes["map"]>, node: Node): void {
  if (map.isDeduced) return;
  if (!node.isWhole && map.isAtomic) {
    if (node.set !== undefined && !isFieldSetEmpty(node.set)) makeWhole(walk, node.path);
    return;
  }
  for (const { element, below, isWhole } of nodesBelow(node.set)) {
    const type = element.kind === "field" ? typeOfKey(map, element.name) : map.others;
    if (type !== undefined) visit(walk, type, { set: below, path: [...node.path, element], isWhole });
  }
}

function visitList(walk: Walk, list: NonNullable<Shapes["list"]>, node: Node): void {
  if (!node.isWhole && list.isAtomic) {
    makeWhole(walk, node.path);
    return;
  }
  for (const { element, below, isWhole } of nodesBelow(node.set)) {
    visit(walk, list.element, { set: below, path: [...node.path, element], isWhole });
  }
}

function makeWhole(walk: Walk, path: Path): void {
  insertPath(walk.removals, path);
  insertPath(walk.additions, path);
}

interface Below {
  readonly element: PathElement;
  readonly below: FieldSet | undefined;
  readonly isWhole: boolean;
}

function nodesBelow(set: FieldSet = emptyFieldSet): Below[] {
  const onlyChildren = [...set.children.values()]
    .filter(({ element }) => !set.members.has(element.key))
    .map(({ element, set: below }) => ({ element, below, isWhole: false }));
  const members = [...set.members.values()].map((element) => {
    const below = set.children.get(element.key)?.set;
    return { element, below, isWhole: below === undefined };
  });
  return [...onlyChildren, ...members];
}

// apply: which manager owns which field, and server-side apply. Source of the algorithms' behaviour: Kubernetes,
// structured merge of typed values and managed fields.
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Path, PathElement } from "./path-element.ts";
import { comparePathElements, parsePathElement } from "./path-element.ts";

/**
 * A set of paths. `members` are the elements that are in the set themselves; `children` the elements under which more
 * paths are in the set, so no child is empty. Both are keyed by {@link PathElement.key}. Sets are never changed once a
 * function returned them.
 */
export interface FieldSet {
  readonly members: ReadonlyMap<string, PathElement>;
  readonly children: ReadonlyMap<string, FieldSetChild>;
}

export interface FieldSetChild {
  readonly element: PathElement;
  readonly set: FieldSet;
}

export const emptyFieldSet: FieldSet = { members: new Map(), children: new Map() };

/** A set under construction. */
export interface FieldSetBuilder extends FieldSet {
  readonly members: Map<string, PathElement>;
  readonly children: Map<string, { readonly element: PathElement; readonly set: FieldSetBuilder }>;
}

export function fieldSetBuilder(): FieldSetBuilder {
  return { members: new Map(), children: new Map() };
}

/** Adds a path; the empty path (the whole object) is never in a set. */
export function insertPath(set: FieldSetBuilder, path: Path): void {
  let current = set;
  for (const [index, element] of path.entries()) {
    if (index === path.length - 1) current.members.set(element.key, element);
    else current = descend(current, element);
  }
}

function descend(set: FieldSetBuilder, element: PathElement): FieldSetBuilder {
  const known = set.children.get(element.key);
  if (known !== undefined) return known.set;
  const child = fieldSetBuilder();
  set.children.set(element.key, { element, set: child });
  return child;
}

/** Adds all paths of `from`; costs what `from` has, however much the set has. */
export function insertSet(set: FieldSetBuilder, from: FieldSet): void {
  for (const [key, element] of from.members) set.members.set(key, element);
  for (const child of from.children.values()) insertSet(descend(set, child.element), child.set);
}

export function fieldSetOf(...paths: Path[]): FieldSet {
  const set = fieldSetBuilder();
  for (const path of paths) insertPath(set, path);
  return set;
}

export function isFieldSetEmpty(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

export function hasPath(set: FieldSet, path: Path): boolean {
  let current = set;
  for (const [index, element] of path.entries()) {
    if (index === path.length - 1) return current.members.has(element.key);
    const child = current.children.get(element.key);
    if (child === undefined) return false;
    current = child.set;
  }
  return false;
}

export function unionOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isFieldSetEmpty(left)) return right;
  if (isFieldSetEmpty(right)) return left;
  const children = new Map(left.children);
  for (const [key, child] of right.children) {
    const own = children.get(key);
    children.set(key, own === undefined ? child : { element: own.element, set: unionOf(own.set, child.set) });
  }
  return { members: new Map([...left.members, ...right.members]), children };
}

export function intersectionOf(left: FieldSet, right: FieldSet): FieldSet {
  const members = new Map([...left.members].filter(([key]) => right.members.has(key)));
  const children = new Map<string, FieldSetChild>();
  for (const [key, { element, set }] of left.children) {
    const other = right.children.get(key);
    if (other === undefined) continue;
    const common = intersectionOf(set, other.set);
    if (!isFieldSetEmpty(common)) children.set(key, { element, set: common });
  }
  return { members, children };
}

/** What is in `left` and not in `right`. Removing a parent does not remove its children, nor the other way round. */
export function differenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isFieldSetEmpty(right)) return left;
  const members = new Map([...left.members].filter(([key]) => !right.members.has(key)));
  const children = new Map<string, FieldSetChild>();
  for (const [key, child] of left.children) {
    const other = right.children.get(key);
    const rest = other === undefined ? child.set : differenceOf(child.set, other.set);
    if (other === undefined) children.set(key, child);
    else if (!isFieldSetEmpty(rest)) children.set(key, { element: child.element, set: rest });
  }
  return { members, children };
}

/** Like {@link differenceOf}, but a member of `right` removes all that is below it too. */
export function recursiveDifferenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isFieldSetEmpty(right)) return left;
  const members = new Map([...left.members].filter(([key]) => !right.members.has(key)));
  const children = new Map<string, FieldSetChild>();
  for (const [key, child] of left.children) {
    if (right.members.has(key)) continue;
    const other = right.children.get(key);
    const rest = other === undefined ? child.set : recursiveDifferenceOf(child.set, other.set);
    if (other === undefined) children.set(key, child);
    else if (!isFieldSetEmpty(rest)) children.set(key, { element: child.element, set: rest });
  }
  return { members, children };
}

/** Every path of the set: members of a level in order, then what is below its children in order. */
export function pathsOf(set: FieldSet, prefix: Path = []): Path[] {
  const own = sortedMembers(set).map((element) => [...prefix, element]);
  return [...own, ...sortedChildren(set).flatMap((child) => pathsOf(child.set, [...prefix, child.element]))];
}

/** How many values the JSON form has, without the outermost map; stops counting beyond `limit`. */
export function countFields({ members, children }: FieldSet, limit: number): number {
  let count = members.size + children.size;
  for (const { set } of children.values()) {
    if (count > limit) return count;
    count += countFields(set, limit - count);
  }
  return count;
}

/** The JSON form, keys in the order of Kubernetes. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const result: Record<string, Json> = {};
  for (const element of sortedElements(set)) {
    const child = set.children.get(element.key);
    const below = child === undefined ? {} : toFieldsV1(child.set);
    result[element.key] = child !== undefined && set.members.has(element.key) ? { ".": {}, ...below } : below;
  }
  return result;
}

/** Members and children, each once. */
function sortedElements(set: FieldSet): PathElement[] {
  if (set.children.size === 0) return sortedMembers(set);
  const elements = new Map(set.members);
  for (const [key, { element }] of set.children) elements.set(key, element);
  return [...elements.values()].sort(comparePathElements);
}

/** The set of a JSON form, or undefined when it is malformed. Elements of unknown kinds are ignored. */
export function fromFieldsV1(fields: JsonObject): FieldSet | undefined {
  return readLevel(fields)?.set;
}

function readLevel(fields: JsonObject): { set: FieldSet; isMember: boolean } | undefined {
  const members = new Map<string, PathElement>();
  const children = new Map<string, FieldSetChild>();
  let isMember = false;
  for (const [key, below] of Object.entries(fields)) {
    if (key === ".") {
      isMember = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === "malformed" || !isJsonObject(below)) return undefined;
    if (element === undefined) continue;
    const child = readLevel(below);
    if (child === undefined) return undefined;
    if (child.isMember) members.set(element.key, element);
    if (!isFieldSetEmpty(child.set)) children.set(element.key, { element, set: child.set });
  }
  return { set: { members, children }, isMember: isMember || (members.size === 0 && children.size === 0) };
}

function sortedMembers(set: FieldSet): PathElement[] {
  return [...set.members.values()].sort(comparePathElements);
}

function sortedChildren(set: FieldSet): FieldSetChild[] {
  return [...set.children.values()].sort((a, b) => comparePathElements(a.element, b.element));
}

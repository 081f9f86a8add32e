import type { Json } from "../../core/json.ts";
import { canonicalJson, isJsonEqual, isJsonObject } from "../../core/json.ts";
import { goText } from "../../core/formats/go-format.ts";
import { PatchError, badArgument, noMergeKey } from "./patch-error.ts";

/** The list of a `$setElementOrder` directive. */
export function elementOrderOf(value: Json): readonly Json[] {
  if (!Array.isArray(value)) throw badArgument("[]interface {}", value);
  return value as readonly Json[];
}

/** The items of `list` that are not in `deleted`. */
export function deletionsOf(list: readonly Json[], deleted: readonly Json[]): Json[] {
  const texts = new Set(deleted.map(canonicalJson));
  return list.filter((item) => !texts.has(canonicalJson(item)));
}

/** The items of a patch must be in its order directive, in the same order. */
export function validateElementOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === "" ? patch : patch.filter((item) => !isDeletion(item));
  let next = 0;
  for (const expected of order) {
    while (hasDirective(items[next])) next++;
    const item = items[next];
    if (item === undefined) break;
    if (isSameItem(item, expected, mergeKey)) next++;
  }
  if (next < items.length) {
    throw new PatchError(
      `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
      500,
    );
  }
}

function isDeletion(item: Json): boolean {
  if (!isJsonObject(item)) throw badArgument("map[string]interface {}", item);
  return item["$patch"] === "delete";
}

function hasDirective(item: Json | undefined): boolean {
  return isJsonObject(item) && Object.hasOwn(item, "$patch");
}

function isSameItem(left: Json, right: Json, mergeKey: string): boolean {
  return mergeKey === "" ? isJsonEqual(left, right) : isJsonEqual(keyOf(left, mergeKey), keyOf(right, mergeKey));
}

function keyOf(item: Json, mergeKey: string): Json {
  if (!isJsonObject(item)) throw badArgument("map[string]interface {}", item);
  const value = Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/** Splits items into those that are in `by` and the others. */
export function partition(
  items: readonly Json[],
  by: readonly Json[],
  mergeKey: string,
): { readonly chosen: Json[]; readonly others: Json[] } {
  const chosen: Json[] = [];
  const others: Json[] = [];
  const places = placesIn(by, mergeKey);
  // An item is searched for until it is found: what is no map is a fault only before.
  const broken = mergeKey === "" ? -1 : by.findIndex((item) => !isJsonObject(item));
  for (const item of items) {
    const place = places.get(canonicalJson(mergeKey === "" ? item : keyOf(item, mergeKey)));
    if (broken >= 0 && (place === undefined || place > broken)) {
      throw new PatchError(`value for key ${broken} is not a map`, 500);
    }
    (place === undefined ? others : chosen).push(item);
  }
  return { chosen, others };
}

/** Where items occur first, by their values or keys. */
function placesIn(list: readonly Json[], mergeKey: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = identityOf(item, mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, index);
  }
  return places;
}

/** The same text for items that are the same; undefined when an item lacks the key. */
export function identityOf(item: Json, mergeKey: string): string | undefined {
  if (mergeKey === "") return canonicalJson(item);
  const key = isJsonObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  return key === undefined ? undefined : canonicalJson(key);
}

/**
 * Puts chosen items into `order` and the others into the server's order, and weaves both: an item of the server comes
 * before the first chosen one that follows it on the server.
 */
export function normalizeOrder(lists: {
  readonly chosen: readonly Json[];
  readonly others: readonly Json[];
  readonly order: readonly Json[];
  readonly serverOrder: readonly Json[];
  readonly mergeKey: string;
}): Json[] {
  const { order, serverOrder, mergeKey } = lists;
  if (mergeKey !== "") for (const item of [...lists.chosen, ...order]) keyOf(item, mergeKey);
  const orderPlaces = placesIn(order, mergeKey);
  const serverPlaces = placesIn(serverOrder, mergeKey);
  const placeIn = (places: ReadonlyMap<string, number>, item: Json): number =>
    places.get(identityOf(item, mergeKey) ?? "") ?? -1;
  const chosen = stableSort(lists.chosen, (item) => placeIn(orderPlaces, item));
  const others = stableSort(lists.others, (item) => placeIn(serverPlaces, item));
  const result: Json[] = [];
  let next = 0;
  for (const item of chosen) {
    const place = placeIn(serverPlaces, item);
    for (let other = others[next]; other !== undefined; other = others[next]) {
      const otherPlace = placeIn(serverPlaces, other);
      if (place < 0 || otherPlace < 0 || otherPlace >= place) break;
      result.push(other);
      next++;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** What has no place comes last. */
function stableSort(items: readonly Json[], placeOf: (item: Json) => number): Json[] {
  const placed = items.map((item) => {
    const place = placeOf(item);
    return { item, place: place < 0 ? Number.MAX_SAFE_INTEGER : place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

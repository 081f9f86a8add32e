import type { Json } from "../../core/json.ts";
import type { ListShape, MapShape, MergeType } from "./merge-type.ts";
import { elementOfItem, fittingShape, isSameShape, keysOf, listOf, mapOf, shapesOf, typeOfKey } from "./merge-type.ts";

/**
 * Merges `intent` into the object `live`: leaves are replaced, maps and associative lists merged. A list keeps live's
 * order where intent changes nothing in it, and takes intent's where it does. Nothing is removed. Both must be valid
 * for the type.
 */
export function mergeValues(type: MergeType, live: Json | undefined, intent: Json | undefined): Json | undefined {
  const shapes = shapesOf(type);
  const liveShape = fittingShape(shapes, live);
  const intentShape = fittingShape(shapes, intent);
  const shape = intent === undefined && !isSameShape(liveShape, intentShape) ? liveShape : intentShape;
  if (shape.map) return mergeMaps(shape.map, live, intent);
  if (shape.scalar) return intent === undefined ? live : intent;
  return shape.list ? mergeLists(shape.list, live, intent) : undefined;
}

function mergeMaps(shape: MapShape, live: Json | undefined, intent: Json | undefined): Json | undefined {
  const left = mapOf(live);
  const right = mapOf(intent);
  const isEmpty = keysOf(left).length === 0 && keysOf(right).length === 0;
  if (shape.isAtomic || isEmpty) return intent === undefined ? live : intent;
  const merged = [...new Set([...keysOf(left), ...keysOf(right)])].flatMap((key) => {
    const type = typeOfKey(shape, key);
    const value = type === undefined ? undefined : mergeValues(type, own(left, key), own(right, key));
    return value === undefined ? [] : [[key, value] as const];
  });
  return merged.length > 0 ? Object.fromEntries(merged) : undefined;
}

function own(map: Readonly<Record<string, Json | undefined>> | undefined, key: string): Json | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

interface Indexed {
  readonly keys: string[];
  /** By key of the path element; null for items that occur more than once. */
  readonly items: Map<string, Json>;
}

function indexItems(shape: ListShape, list: readonly Json[]): Indexed {
  const keys: string[] = [];
  const items = new Map<string, Json>();
  for (const item of list) {
    const element = elementOfItem(shape, item);
    if (typeof element === "string") continue;
    items.set(element.key, items.has(element.key) ? null : item);
    keys.push(element.key);
  }
  return { keys, items };
}

function mergeLists(shape: ListShape, live: Json | undefined, intent: Json | undefined): Json | undefined {
  const left = listOf(live) ?? [];
  const right = listOf(intent) ?? [];
  if (shape.isAtomic || (left.length === 0 && right.length === 0)) return intent === undefined ? live : intent;
  const merged = mergeItems(shape, left, right);
  return merged.length > 0 ? merged : undefined;
}

/** Walks both lists; items that are in both (`shared`) come in the order of the right one. */
function mergeItems(shape: ListShape, left: readonly Json[], right: readonly Json[]): Json[] {
  const leftIndex = indexItems(shape, left);
  const rightIndex = indexItems(shape, right);
  const shared = rightIndex.keys.filter((key) => leftIndex.items.has(key));
  let sharedAt = 0;
  const merged: Json[] = [];
  const add = (leftItem: Json | undefined, rightItem: Json | undefined): void => {
    const value = mergeValues(shape.element, leftItem, rightItem);
    if (value !== undefined) merged.push(value);
  };
  const mergedKeys = new Set<string>();
  let l = 0;
  let r = 0;
  while (l < leftIndex.keys.length || r < rightIndex.keys.length) {
    const leftKey = leftIndex.keys[l];
    const rightKey = rightIndex.keys[r];
    if (leftKey !== undefined && rightKey !== undefined) {
      if (leftKey === rightKey) {
        mergedKeys.add(leftKey);
        add(leftIndex.items.get(leftKey), rightIndex.items.get(leftKey));
        l++;
        r++;
        sharedAt++;
        continue;
      }
      const nextShared = shared[sharedAt];
      if (rightIndex.items.has(leftKey) && nextShared !== undefined && nextShared !== leftKey) {
        l++;
        continue;
      }
    }
    if (leftKey !== undefined) {
      if (!rightIndex.items.has(leftKey)) {
        add(left[l], undefined);
        l++;
        continue;
      }
      if (mergedKeys.has(leftKey)) l++;
    }
    if (rightKey !== undefined) {
      mergedKeys.add(rightKey);
      add(leftIndex.items.get(rightKey), rightIndex.items.get(rightKey));
      r++;
      if (shared[sharedAt] === rightKey) sharedAt++;
    }
  }
  return merged;
}

import { BoundedCache } from "../core/bounded-cache.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/**
 * Sets of fields that are remembered, and the longest one, as JSON. Some dozens are those of nearly all objects; an agent may
 * write ever new ones of a megabyte.
 */
const mostSets = 300;
const longestSet = 16_384;
/** Lists and objects that are remembered, and the longest text of one. */
const mostParts = 4000;
const longestPart = 256;
/** Characters of all strings that are remembered, each with what an entry costs, and the longest string. */
const mostCharacters = 1_000_000;
const entryCost = 100;
const longestString = 16_384;
/** What is nested deeper stays as it is. */
const deepest = 32;

/** Call it with an object before others see it. Its content stays the same; parts of it are frozen. */
export type ShareValues = (object: KubeObject) => void;

/**
 * Lets the objects of a hub share one copy of what many of them have: strings, short lists and objects such as a rule of a Role,
 * and the set of fields that a writer owns (`fieldsV1`). Without it, a fleet takes twice the memory. The values of Secrets are
 * not remembered. For objects that were parsed from JSON.
 */
export function createValueSharing(): ShareValues {
  const strings = new BoundedCache<string, string>({
    limit: mostCharacters,
    weightOf: ({ length }) => length + entryCost,
  });
  const parts = new BoundedCache<string, Json>({ limit: mostParts });
  const sets = new BoundedCache<string, JsonObject>({ limit: mostSets });
  return (object) => {
    const { metadata } = object;
    const isApart = isSecret(object);
    shareIn(object, ["metadata", ...(isApart ? ["data"] : [])]);
    // An annotation of kubectl repeats what was applied.
    shareIn(metadata, ["managedFields", ...(isApart ? ["annotations"] : [])]);
    for (const entry of metadata.managedFields ?? []) {
      shareIn(entry, ["fieldsV1"]);
      const { fieldsV1 } = entry;
      if (isJsonObject(fieldsV1)) entry.fieldsV1 = sharedSet(fieldsV1);
    }
  };

  function shareIn(place: object, except: readonly string[]): void {
    for (const [key, value] of Object.entries(place))
      if (!except.includes(key) && value !== undefined) Reflect.set(place, key, shared(value as Json).value);
  }

  /** The set is the same for thousands of objects, or differs in one name: then its parts are the same. */
  function sharedSet(fields: JsonObject): JsonObject {
    const text = JSON.stringify(fields);
    const share = (): JsonObject => shared(fields).value as JsonObject;
    return text.length > longestSet ? share() : remembered(sets, text, share);
  }

  function shared(value: Json, depth = 0): Shared {
    if (typeof value === "string") return sharedString(value);
    if (typeof value === "bigint") return { value, text: `${value}n` };
    if (typeof value !== "object" || value === null) return { value, text: String(value) };
    if (depth > deepest || Object.isFrozen(value)) return { value, text: undefined };
    let text: string | undefined = Array.isArray(value) ? "[" : "{";
    for (const [key, item] of Object.entries(value) as [string, Json | undefined][]) {
      const one: Shared = item === undefined ? { value: null, text: undefined } : shared(item, depth + 1);
      if (item !== undefined) Reflect.set(value, key, one.value);
      text = text === undefined || one.text === undefined ? undefined : `${text}${key.length}:${key}${one.text},`;
      if ((text?.length ?? 0) > longestPart) text = undefined;
    }
    return { value: text === undefined ? value : remembered(parts, text, () => Object.freeze(value)), text };
  }

  function sharedString(value: string): Shared {
    const text = value.length > longestPart ? undefined : `"${value.length}:${value}`;
    return { value: value.length > longestString ? value : remembered(strings, value, () => value), text };
  }
}

interface Shared {
  readonly value: Json;
  /** Another one for each other value; undefined where it is long. */
  readonly text: string | undefined;
}

function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && kind === "Secret";
}

function remembered<V>(cache: BoundedCache<string, V>, key: string, make: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = make();
  cache.set(key, value);
  return value;
}

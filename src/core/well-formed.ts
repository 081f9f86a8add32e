import type { Json } from "./json.ts";
import { isJsonObject } from "./json.ts";

/** An escape of half a character, or of one half of a pair: `\ud83d`. */
const surrogateEscape = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/u;

/** Where a JSON text has the first escape of a surrogate; undefined when it has none. */
export function findSurrogateEscape(text: string): number | undefined {
  // Most texts have no escape by number at all, which is found faster.
  return text.includes("\\u") ? surrogateEscape.exec(text)?.index : undefined;
}

/** A value with U+FFFD for each half of a character that is alone, in keys too, as Go reads them. */
export function wellFormed(value: Json): Json {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("utf8");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[Buffer.from(key, "utf8").toString("utf8"), wellFormed(item)] as const],
    ),
  );
}

import type { Json } from "./json.ts";
import { isJsonObject } from "./json.ts";

/** The first digits of the number of half a character, or of one half of a pair. */
const surrogateDigits = /[dD][89a-fA-F]/uy;

/** Where a JSON text has the first escape of a surrogate (`\ud83d`); undefined when it has none. */
export function findSurrogateEscape(text: string): number | undefined {
  for (let at = text.indexOf("\\u"); at !== -1; at = text.indexOf("\\u", at + 2)) {
    let first = at;
    while (text[first - 1] === "\\") first -= 1;
    surrogateDigits.lastIndex = at + 2;
    // After an odd number of backslashes, this one is itself escaped.
    if ((at - first) % 2 === 0 && surrogateDigits.test(text)) return at;
  }
  return undefined;
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

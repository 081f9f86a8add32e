import { stringify } from "yaml";
import { quotedButTimes } from "../core/yaml/quoted-for-all.ts";

/** Text that is the same with and without quotes: no scalar of another type, no indicator at its start or end. */
const plainText = /^(?!(?:true|false|null|y|yes|n|no|on|off)$)[A-Za-z](?:[\w./@,()]|[:-](?=[\w/(])| (?=[\w(]))*$/iu;
const plainKey = /^(?!(?:true|false|null|y|yes|n|no|on|off)$)[A-Za-z][\w./]*$/iu;
const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u;
/** The values of a condition's status: the package need not be asked. */
const quoted: ReadonlyMap<string, string> = new Map(["True", "False"].map((text) => [text, `"${text}"`]));
const options = { ...quotedButTimes, aliasDuplicateObjects: false } as const;

/** Returned for a value that has a form that only the package writes. */
const unusual = Symbol("unusual");

/**
 * YAML of a value of JSON, byte for byte as the `yaml` package writes it with these options, in about a fifth of its time. Most
 * of a record is maps, lists and text without quotes. The package writes other scalars, and values with anything unusual.
 */
export function writeYaml(value: object): string {
  const lines: string[] = [];
  return addBelow(value, "", lines) === unusual ? stringify(value, options) : `${lines.join("\n")}\n`;
}

type Added = typeof unusual | undefined;

/** Adds the lines of a map or a list that is not empty. */
function addBelow(value: object, indent: string, lines: string[]): Added {
  if (Array.isArray(value)) return addList(value, indent, lines);
  const entries = entriesOf(value);
  if (entries === undefined || entries.length === 0) return unusual;
  for (const [key, item] of entries) {
    if (!plainKey.test(key)) return unusual;
    if (addEntry(`${indent}${key}:`, item, { indent: `${indent}  `, lines }) === unusual) return unusual;
  }
  return undefined;
}

function addList(list: readonly unknown[], indent: string, lines: string[]): Added {
  if (list.length === 0) return unusual;
  for (const item of list) {
    if (typeof item !== "object" || item === null) {
      const text = scalarText(item);
      if (text === unusual) return unusual;
      lines.push(`${indent}- ${text}`);
      continue;
    }
    if (Array.isArray(item)) return unusual;
    const first = lines.length;
    if (addBelow(item, `${indent}  `, lines) === unusual) return unusual;
    // The first line of the map follows the dash.
    lines[first] = `${indent}- ${lines[first]?.slice(indent.length + 2) ?? ""}`;
  }
  return undefined;
}

interface Place {
  readonly indent: string;
  readonly lines: string[];
}

function addEntry(head: string, item: unknown, { indent, lines }: Place): Added {
  if (typeof item !== "object" || item === null) {
    const text = scalarText(item);
    if (text === unusual) return unusual;
    lines.push(`${head} ${text}`);
    return undefined;
  }
  const isEmpty = Array.isArray(item) ? item.length === 0 : entriesOf(item)?.length === 0;
  lines.push(isEmpty ? `${head} ${Array.isArray(item) ? "[]" : "{}"}` : head);
  return isEmpty ? undefined : addBelow(item, indent, lines);
}

/** Without those that have no value; undefined for what is no plain object. */
function entriesOf(value: object): [string, unknown][] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return undefined;
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

function scalarText(value: unknown): string | typeof unusual {
  if (typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : unusual;
  if (typeof value !== "string" || value.includes("\n")) return unusual;
  if (plainText.test(value) || plainTime.test(value)) return value;
  return quoted.get(value) ?? textByPackage(value);
}

/** As an item: alone at the start of a line, `---` and `...` would be markers of a document, which the package avoids. */
function textByPackage(value: string): string {
  return stringify([value], options).slice("- ".length, -1);
}

import { shortEscapes } from "../core/formats/go-text.ts";
import { compilePattern, faultOfPattern } from "../core/formats/patterns.ts";
import { trimEndOf, trimStartOf } from "../core/trim-characters.ts";
import { foldedRanges, programSizeOf } from "../core/pattern-cost.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError, celList, noSuchOverload } from "./cel-value.ts";
import { formatString } from "./format-string.ts";
import { intOf, listItems, textOf } from "./library-operators.ts";
import { takeWritten } from "./nested-cost.ts";
import type { Declaration, Meter } from "./overload.ts";
import { declare, sizeOf, traversalCost } from "./overload.ts";

/** Characters are code points, as in Go. */
function characters(value: CelValue | undefined): string[] {
  return [...textOf(value)];
}

function indexIn(searched: readonly string[], wanted: readonly string[], from: number): number {
  if (wanted.length === 0) return from;
  for (let start = from; start + wanted.length <= searched.length; start++) {
    if (wanted.every((character, offset) => searched[start + offset] === character)) return start;
  }
  return -1;
}

function lastIndexIn(searched: readonly string[], wanted: readonly string[], from: number): number {
  if (wanted.length === 0) return from;
  for (let start = Math.min(from, searched.length - wanted.length); start >= 0; start--) {
    if (wanted.every((character, offset) => searched[start + offset] === character)) return start;
  }
  return -1;
}

function indexFrom(
  text: CelValue | undefined,
  part: CelValue | undefined,
  { from, find }: { readonly from: bigint; readonly find: typeof indexIn },
): bigint {
  const wanted = characters(part);
  if (wanted.length === 0) return from;
  if (from < 0n) throw new CelError(`index out of range: ${from}`);
  const all = characters(text);
  return from >= BigInt(all.length) ? -1n : BigInt(find(all, wanted, Number(from)));
}

function checkIndex(index: bigint, maximum: number): number {
  if (index < 0n || index > BigInt(maximum)) throw new CelError(`index out of range: ${index}`);
  return Number(index);
}

function substring(text: CelValue | undefined, start: bigint, end?: bigint): string {
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const all = characters(text);
  const first = checkIndex(start, all.length);
  return all.slice(first, end === undefined ? all.length : checkIndex(end, all.length)).join("");
}

function replace(text: string, { from, to, limit }: { from: string; to: string; limit: number }): string {
  if (limit === 0) return text;
  if (from === "") return insert(text, to, limit);
  if (limit < 0) return text.split(from).join(to);
  let result = "";
  let rest = text;
  for (let count = 0; count < limit; count++) {
    const at = rest.indexOf(from);
    if (at < 0) break;
    result += rest.slice(0, at) + to;
    rest = rest.slice(at + from.length);
  }
  return result + rest;
}

/** In front of each character and at the end, so many times at most. */
function insert(text: string, inserted: string, limit: number): string {
  const all = [...text];
  const count = limit < 0 ? all.length + 1 : limit;
  const filled = all.map((character, index) => (index < count ? inserted + character : character)).join("");
  return count > all.length ? filled + inserted : filled;
}

function split(text: string, separator: string, limit: number): CelValue {
  if (limit === 0) return celList([]);
  const all = separator === "" ? [...text] : text.split(separator);
  if (limit < 0 || all.length <= limit) return celList(all);
  return celList([...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)]);
}

/** What Go calls space: JavaScript counts U+FEFF, too, and U+0085 not. */
const spaces =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

function trimSpace(text: string): string {
  return trimStartOf(trimEndOf(text, spaces), spaces);
}

/** Other characters stay as they are. Source: cel-go 0.26, ext strings. */
function quote(text: string): string {
  return `"${[...text].map((character) => shortEscapes.get(character) ?? character).join("")}"`;
}

function join(list: CelValue | undefined, separator: string): string {
  return listItems(list)
    .map((item) => {
      if (typeof item !== "string") throw new CelError("no such overload");
      return item;
    })
    .join(separator);
}

/** How much slower a pattern is here than where the units of cost were measured. */
const slowness = 8;
const instructionsPerUnit = 32;
const foldedRangeUnits = 10_000;

/**
 * What an API server charges, and what it takes here: to compile the pattern, once in each evaluation, whether or not an
 * earlier one compiled it, and to run its instructions for each character.
 */
function regexCost([text, pattern]: readonly CelValue[], { take, isFirst }: Meter): number {
  const source = textOf(pattern);
  if (isFirst(source)) take(source.length / 2 + 2 * programSizeOf(source) + foldedRanges(source) * foldedRangeUnits);
  const instructions = programOf(pattern).programSize();
  const served = Math.ceil((1 + sizeOf(text)) * 0.1) * Math.ceil(Math.max(1, source.length) * 0.25) * slowness;
  return Math.max(served, ((1 + sizeOf(text)) * instructions) / instructionsPerUnit);
}

function programOf(pattern: CelValue | undefined): NonNullable<ReturnType<typeof compilePattern>> {
  const program = compilePattern(textOf(pattern));
  if (program === undefined) throw new CelError(() => faultOfPattern(textOf(pattern)) ?? noSuchOverload);
  return program;
}

function findAll(text: string, pattern: CelValue | undefined, limit: number): CelValue {
  const matcher = programOf(pattern).matcher(text);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? "");
  return celList(found);
}

function matches(text?: CelValue, pattern?: CelValue): boolean {
  return programOf(pattern).matcher(textOf(text)).find();
}

/** Of the text that a function makes. An API server charges for what is read only. */
const charactersPerUnit = 64;

const lengthCost = (length: number): number => Math.ceil(length / charactersPerUnit);

function replaceCost([text, from, to]: readonly CelValue[]): number {
  const [all, part] = [textOf(text), textOf(from)];
  const count = part === "" ? all.length + 1 : all.split(part).length - 1;
  return Math.max(traversalCost(all), lengthCost(count * sizeOf(to)));
}

function joinCost([list, separator]: readonly CelValue[], { take }: Meter): number {
  const items = listItems(list);
  take(traversalCost(list));
  const separators = separator === undefined ? 0 : items.length * sizeOf(separator);
  return lengthCost(items.reduce<number>((sum, item) => sum + sizeOf(item), separators));
}

const ofFirst = (values: readonly CelValue[]): number => traversalCost(values[0]);
const ofBoth = (values: readonly CelValue[]): number => traversalCost(values[0]) * traversalCost(values[1]);
/** Both are read here, also beside an empty one. */
const searchCost = (values: readonly CelValue[]): number =>
  Math.max(ofBoth(values), traversalCost(values[0]) + traversalCost(values[1]));

export const stringLibrary: readonly Declaration[] = [
  declare("string.contains(string): bool", (text, part) => textOf(text).includes(textOf(part)), ofBoth),
  declare(
    "string.startsWith(string): bool",
    (text, part) => textOf(text).startsWith(textOf(part)),
    (values) => traversalCost(values[1]),
  ),
  declare(
    "string.endsWith(string): bool",
    (text, part) => textOf(text).endsWith(textOf(part)),
    (values) => traversalCost(values[1]),
  ),
  declare("string.matches(string): bool", matches, regexCost),
  declare("matches(string, string): bool", matches, regexCost),
  declare(
    "string.find(string): string",
    (text, pattern) => {
      const matcher = programOf(pattern).matcher(textOf(text));
      return matcher.find() ? (matcher.group() ?? "") : "";
    },
    regexCost,
  ),
  declare("string.findAll(string): list<string>", (text, pattern) => findAll(textOf(text), pattern, -1), regexCost),
  declare(
    "string.findAll(string, int): list<string>",
    (text, pattern, limit) => findAll(textOf(text), pattern, Number(intOf(limit))),
    regexCost,
  ),
  declare(
    "string.charAt(int): string",
    (text, index) => {
      const all = characters(text);
      return all[checkIndex(intOf(index), all.length)] ?? "";
    },
    ofFirst,
  ),
  declare(
    "string.indexOf(string): int",
    (text, part) => BigInt(indexIn(characters(text), characters(part), 0)),
    searchCost,
  ),
  declare(
    "string.indexOf(string, int): int",
    (text, part, from) => indexFrom(text, part, { from: intOf(from), find: indexIn }),
    searchCost,
  ),
  declare(
    "string.lastIndexOf(string): int",
    (text, part) => {
      const all = characters(text);
      return BigInt(lastIndexIn(all, characters(part), all.length));
    },
    searchCost,
  ),
  declare(
    "string.lastIndexOf(string, int): int",
    (text, part, from) => indexFrom(text, part, { from: intOf(from), find: lastIndexIn }),
    searchCost,
  ),
  declare("list<string>.join(): string", (list) => join(list, ""), joinCost),
  declare("list<string>.join(string): string", (list, separator) => join(list, textOf(separator)), joinCost),
  declare(
    "string.lowerAscii(): string",
    (text) => textOf(text).replace(/[A-Z]+/gu, (letters) => letters.toLowerCase()),
    ofFirst,
  ),
  declare(
    "string.upperAscii(): string",
    (text) => textOf(text).replace(/[a-z]+/gu, (letters) => letters.toUpperCase()),
    ofFirst,
  ),
  declare(
    "string.replace(string, string): string",
    (text, from, to) => replace(textOf(text), { from: textOf(from), to: textOf(to), limit: -1 }),
    replaceCost,
  ),
  declare(
    "string.replace(string, string, int): string",
    (text, from, to, limit) =>
      replace(textOf(text), { from: textOf(from), to: textOf(to), limit: Number(intOf(limit)) }),
    replaceCost,
  ),
  declare(
    "string.split(string): list<string>",
    (text, separator) => split(textOf(text), textOf(separator), -1),
    ofFirst,
  ),
  declare(
    "string.split(string, int): list<string>",
    (text, separator, limit) => split(textOf(text), textOf(separator), Number(intOf(limit))),
    ofFirst,
  ),
  declare("string.substring(int): string", (text, start) => substring(text, intOf(start)), ofFirst),
  declare(
    "string.substring(int, int): string",
    (text, start, end) => substring(text, intOf(start), intOf(end)),
    ofFirst,
  ),
  declare("string.trim(): string", (text) => trimSpace(textOf(text)), ofFirst),
  declare(
    "string.format(list<dyn>): string",
    (text, values) => formatString(textOf(text), listItems(values)),
    (values, meter) => {
      takeWritten(values[1], meter);
      return ofFirst(values);
    },
  ),
  declare("strings.quote(string): string", (text) => quote(textOf(text)), ofFirst),
];

import type { ClusterRow } from "../generated/page-api.ts";
import type { ValueCount } from "./count-values.ts";
import { countLabelKeys, countValues } from "./count-values.ts";
import type { FilterField, FilterKey } from "./filter.ts";
import { filterFields, readKey } from "./filter.ts";
import type { Token } from "./read-tokens.ts";
import { quoteWord, readTokens } from "./read-tokens.ts";

export interface Completion {
  /** The part of the text that a suggestion replaces. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly Suggestion[];
}

export interface Suggestion {
  readonly kind: "key" | "value";
  readonly title: string;
  /** What is put into the text. */
  readonly insert: string;
  /** How many clusters have it. */
  readonly count: number;
}

const mostItems = 12;

/** What could be at the caret: keys of fields and labels, or, behind an operator or in a list, the values of its key. */
export function completeFilter(text: string, caret: number, rows: readonly ClusterRow[]): Completion {
  const before = readTokens(text.slice(0, caret));
  const last = before.at(-1);
  const word = last && last.end === caret && (last.kind === "word" || last.kind === "string") ? last : undefined;
  const rest = word ? before.slice(0, -1) : before;
  const start = word?.start ?? caret;
  // The rest of a word that contains the caret is replaced too.
  const end = caret + (/^[^\s,()=!<>"]*/u.exec(text.slice(caret))?.[0].length ?? 0);
  const key = keyBefore(rest, start);
  const items = key === undefined ? keyItems(rows, word?.text ?? "") : valueItems(rows, key, word?.text ?? "");
  return { start, end: word || key === undefined ? end : caret, items };
}

/** The key whose value is awaited at `at`; undefined where a term begins. */
function keyBefore(tokens: readonly Token[], at: number): FilterKey | undefined {
  const operator = tokens.at(-1);
  const name = tokens.at(-2);
  if (operator?.kind === "operator" && operator.text !== "!" && operator.end === at && name?.kind === "word")
    return readKey(name.text);
  const open = tokens.findLastIndex(({ kind }) => kind === "open" || kind === "close");
  const key = tokens[open - 2];
  return tokens[open]?.kind === "open" && key?.kind === "word" ? readKey(key.text) : undefined;
}

function keyItems(rows: readonly ClusterRow[], typed: string): Suggestion[] {
  const fields = (Object.keys(filterFields) as FilterField[]).map((value) => ({ value, count: rows.length }));
  return chosen([...fields, ...countLabelKeys(rows)], typed).map(({ value, count }) => ({
    ...{ kind: "key", title: value, count },
    insert: value === "age" ? "age>" : `${value}=`,
  }));
}

function valueItems(rows: readonly ClusterRow[], key: FilterKey, typed: string): Suggestion[] {
  if (key.kind === "field" && key.name === "age") return [];
  return chosen(countValues(rows, key), typed).map(({ value, count }) => ({
    ...{ kind: "value", title: value === "" ? '""' : value, count },
    insert: quoteWord(value),
  }));
}

/** What begins with the typed text comes before what has it elsewhere. */
function chosen(all: readonly ValueCount[], typed: string): ValueCount[] {
  const wanted = typed.toLowerCase();
  const begins = all.filter(({ value }) => value.toLowerCase().startsWith(wanted));
  const has = all.filter(({ value }) => value.toLowerCase().indexOf(wanted) > 0);
  return [...begins, ...has].slice(0, mostItems);
}

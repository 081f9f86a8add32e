import type { ChangedField } from "../model/generated/plan-report.ts";

/** Characters of a value that are shown. */
const longestValue = 80;
/** Of two long values, the part in which they differ is shown up to this many characters. */
const longestDifference = 400;
/** Characters before that part. */
const contextLength = 20;

/** A value of a field as it is shown: JSON, shortened. */
export function showValue(json: string | undefined, longest = longestValue): string {
  if (json === undefined) return "unset";
  const characters = [...json];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : json;
}

/**
 * Both values of a field that changes as they are shown: where they are too long, the part in which they differ. What is left out
 * of that part is counted, so a change behind the first one is not overlooked. Undefined: there is no value.
 */
export function showChange(
  { from, to }: Pick<ChangedField, "from" | "to">,
  longest = longestValue,
): { readonly from: string | undefined; readonly to: string | undefined } {
  const [before, after] = [[...(from ?? "")], [...(to ?? "")]];
  if (Math.max(before.length, after.length) <= longest) return { from, to };
  const same = sameStart(before, after);
  const start = Math.max(0, same - contextLength);
  const rest = sameStart(before.slice(same).reverse(), after.slice(same).reverse());
  const show = (characters: readonly string[]): string => excerpt(characters, start, { rest, longest });
  return { from: from === undefined ? undefined : show(before), to: to === undefined ? undefined : show(after) };
}

/** `rest`: characters at the end that are the same in both values. */
function excerpt(
  characters: readonly string[],
  start: number,
  { rest, longest }: { readonly rest: number; readonly longest: number },
): string {
  const end = characters.length - rest;
  const stop = start + Math.max(longest, Math.min(end - start, longestDifference));
  const left = end - stop;
  const tail = left > 0 ? `… and ${left} more that differ` : stop < characters.length ? "…" : "";
  return `${start > 0 ? "…" : ""}${characters.slice(start, stop).join("")}${tail}`;
}

function sameStart(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((character, index) => character !== other[index]);
  return end < 0 ? one.length : end;
}

/**
 * At most `most` labels and annotations of an object are shown, and all of its other fields: an author may add as many labels as
 * wanted, and these come first. `left`: how many are not shown.
 */
export function boundFields<T extends { readonly path: string }>(
  fields: readonly T[],
  most: number,
): { readonly shown: readonly T[]; readonly left: number } {
  const further = new Set(fields.filter(({ path }) => path.includes("[")).slice(most));
  return { shown: fields.filter((field) => !further.has(field)), left: further.size };
}

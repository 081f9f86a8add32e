import type { FilterField } from "./filter.ts";
import { parseFilter } from "./parse-filter.ts";
import { quoteWord } from "./read-tokens.ts";

/** A term as text: `region=eu`. */
export function termText(key: string, value: string): string {
  return `${key}=${quoteWord(value)}`;
}

/** The value that a filter asks of a field by `field=value`; empty when it does not, or asks for something else too. */
export function chosenValue(text: string, field: FilterField): string {
  const [only, ...more] = termsOf(text, field);
  return only?.test.kind === "among" && more.length === 0 ? (only.test.values[0] ?? "") : "";
}

/** The text with `field=value` in place of such terms as it has; an empty value takes them away. */
export function chooseValue(
  text: string,
  { field, value }: { readonly field: FilterField; readonly value: string },
): string {
  let kept = "";
  let at = 0;
  for (const { start, end } of termsOf(text, field)) {
    kept += text.slice(at, start);
    at = end;
    while (text.charAt(at) === " ") at += 1;
  }
  kept = `${kept}${text.slice(at)}`.trim();
  return value === "" ? kept : `${kept} ${termText(field, value)}`.trim();
}

function termsOf(text: string, field: FilterField): ReturnType<typeof parseFilter>["terms"] {
  return parseFilter(text).terms.filter(
    ({ test }) =>
      test.kind === "among" &&
      test.key.kind === "field" &&
      test.key.name === field &&
      !test.isNegated &&
      test.values.length === 1,
  );
}

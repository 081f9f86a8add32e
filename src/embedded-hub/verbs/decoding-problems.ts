import type { OperationContext } from "../operations/operations.ts";

/** Go's decoder of JSON stops to count there. */
const mostOfJson = 100;

/**
 * What strict decoding objects to in a body: fields that occur twice, and unknown ones. Of a built-in kind in the order of the
 * text, and of its JSON the first hundred; of a custom kind one after the other.
 */
export function decodingProblems(
  context: Pick<OperationContext, "decodingProblems" | "problemPlaces">,
  unknownFields: readonly string[],
  { isWhole = false, isCustom = false }: { readonly isWhole?: boolean; readonly isCustom?: boolean } = {},
): readonly string[] {
  const { decodingProblems: known = [], problemPlaces: places } = context;
  const limit = isWhole ? Infinity : mostOfJson;
  const unknown = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`);
  // What occurs twice is found before a custom kind checks fields, and in YAML before it is read as JSON.
  if (places === undefined || isCustom) return [...known, ...unknown.slice(0, limit)];
  if (unknown.length === 0) return known.slice(0, limit);
  // Behind the first ones nothing is named, so what is in the others does not count either.
  const first = unknownFields
    .map((field, index) => ({ field, text: unknown[index] ?? "", at: places.ofField(field) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, limit);
  const starts = first.map(({ field }) => `duplicate field ${JSON.stringify(field).slice(0, -1)}`);
  return (
    known
      .map((text, index) => ({ text, at: places.ofProblems[index] ?? 0 }))
      // What is in an unknown field is not read.
      .filter(({ text }) => !starts.some((start) => isWithin(text, start)))
      .concat(first)
      .sort((a, b) => a.at - b.at)
      .slice(0, limit)
      .map(({ text }) => text)
  );
}

/** Whether a text names the field that `start` ends with, or one in it. */
function isWithin(text: string, start: string): boolean {
  return text.startsWith(start) && ['"', ".", "["].includes(text.charAt(start.length));
}

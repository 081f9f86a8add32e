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
  const placed = [
    // What is in an unknown field is not read.
    ...known
      .map((text, index) => ({ text, at: places.ofProblems[index] ?? 0 }))
      .filter(({ text }) => !unknownFields.some((field) => isWithin(text, field))),
    ...unknownFields.map((field, index) => ({ text: unknown[index] ?? "", at: places.ofField(field) })),
  ];
  return placed
    .sort((a, b) => a.at - b.at)
    .slice(0, limit)
    .map(({ text }) => text);
}

/** Whether the text of a duplicate field names the field, or one in it. */
function isWithin(text: string, field: string): boolean {
  const start = `duplicate field ${JSON.stringify(field).slice(0, -1)}`;
  return text.startsWith(start) && ['"', ".", "["].includes(text.charAt(start.length));
}

import type { OperationContext } from "../operations/operations.ts";

/** What strict decoding objects to in a body, in the order of the text: fields that stand twice, and unknown ones. */
export function decodingProblems(context: OperationContext, unknownFields: readonly string[]): readonly string[] {
  const { decodingProblems: known = [], problemPlaces: places } = context;
  const unknown = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`);
  if (places === undefined || unknown.length === 0) return [...known, ...unknown];
  const placed = [
    ...known.map((text, index) => ({ text, at: places.ofProblems[index] ?? 0 })),
    ...unknownFields.map((field, index) => ({ text: unknown[index] ?? "", at: places.ofField(field) })),
  ];
  return placed.sort((a, b) => a.at - b.at).map(({ text }) => text);
}

import type { Json } from "../json.ts";
import { composeYaml } from "./compose-yaml.ts";
import { createLineTable } from "./line-table.ts";
import type { YamlBounds } from "./yaml-bounds.ts";
import { describeExcess, documentBounds } from "./yaml-bounds.ts";
import { yamlValue } from "./yaml-value.ts";

/** The value of a document, or why it has none; `problem` never repeats the text, which may hold secrets. */
export type DocumentRead =
  | { readonly value: Json; readonly problem?: undefined }
  | { readonly problem: string; readonly line: number; readonly value?: undefined };

/**
 * Reads a text of one YAML document, strictly: no unknown tags, no key twice, `bounds` hold (default
 * {@link documentBounds}). An empty text is null. JSON is YAML too. Never throws.
 */
export function readYamlDocument(text: string, bounds: YamlBounds = documentBounds): DocumentRead {
  const lineOf = createLineTable(text);
  const fail = (problem: string, offset: number): DocumentRead => ({ problem, line: lineOf(offset).line });
  const { documents, outsideErrors, excess } = composeYaml(text, bounds);
  if (excess !== undefined) return fail(describeExcess(excess), excess.offset);
  const [document, second] = documents;
  const [error] = [...outsideErrors, ...documents.flatMap((each) => [...each.errors, ...each.warnings])];
  if (error !== undefined) return fail(`it is not valid YAML (${error.code})`, error.pos[0]);
  if (second !== undefined) return fail("it has more than one document", second.range[0]);
  if (document === undefined) return { value: null };
  const { value, duplicates, refusal } = yamlValue(document, { maxDepth: bounds.maxDepth });
  if (refusal !== undefined) return fail(refusal.kind, refusal.offset);
  const [duplicate] = duplicates;
  return duplicate === undefined ? { value } : fail("a key occurs twice in a map", duplicate.offset);
}

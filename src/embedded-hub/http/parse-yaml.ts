import type { YAMLError } from "yaml";
import type { Json } from "../../core/json.ts";
import { composeYaml } from "../../core/yaml/compose-yaml.ts";
import { createLineTable } from "../../core/yaml/line-table.ts";
import { bodyBounds, describeExcess } from "../../core/yaml/yaml-bounds.ts";
import { tooLarge } from "../failures/failures.ts";
import type { YamlRefusal } from "../../core/yaml/yaml-value.ts";
import { resolveYamlKey, resolveYamlScalar, resolveYamlTag } from "./yaml-scalars.ts";
import { yamlValue } from "../../core/yaml/yaml-value.ts";

export interface YamlText {
  readonly value: Json;
  /** `line 7: key "a" already set in map`, for each key that stands again; the last one counts. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the first YAML document of a text within {@link bodyBounds}; throws 413 for too many values. `refuse` makes any
 * other error from a reason in the words of Go's reader, as far as they are known.
 */
export function parseYamlText(text: string, refuse: (reason: string) => Error): YamlText {
  const positionAt = createLineTable(text);
  const lineAt = (offset: number): number => positionAt(offset).line;
  // The schema gives texts no other meaning: the resolver does, in time that is linear in a number's digits.
  const { documents, outsideErrors, excess } = composeYaml(text, bodyBounds, { strict: false, schema: "failsafe" });
  if (excess?.kind === "depth") throw refuse(`yaml: exceeded max depth of ${bodyBounds.maxDepth}`);
  if (excess?.kind === "tokens" || excess?.kind === "lines") {
    throw tooLarge(
      `Request entity too large: ${describeExcess(excess)} of YAML; send it as JSON, which may have more values`,
    );
  }
  if (excess !== undefined) throw refuse(`yaml: line ${lineAt(excess.offset)}: ${describeExcess(excess)}`);
  const [document, second] = documents;
  const [error] = document?.errors ?? outsideErrors;
  if (error !== undefined) throw refuse(`yaml: line ${lineAt(error.pos[0])}: ${goWords[error.code] ?? error.message}`);
  if (document === undefined) return { value: null, duplicates: [] };
  if (second !== undefined) {
    const line = lineAt(second.range[0]);
    throw refuse(`yaml: line ${line}: a second document starts here; a body has one`);
  }
  const { value, duplicates, refusal } = yamlValue(document, {
    maxDepth: bodyBounds.maxDepth,
    resolve: resolver,
  });
  if (refusal !== undefined) throw refuse(`yaml: ${describeRefusal(refusal, lineAt(refusal.offset))}`);
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  const texts = duplicates.map(
    ({ key, offset }) => `line ${lineAt(offset)}: key ${JSON.stringify(key)} already set in map`,
  );
  return { value, duplicates: isMap ? texts : [] };
}

const resolver = { plain: resolveYamlScalar, key: resolveYamlKey, tagged: resolveYamlTag };

const goWords: Partial<Record<YAMLError["code"], string>> = {
  BLOCK_AS_IMPLICIT_KEY: "mapping values are not allowed in this context",
  MISSING_CHAR: "found unexpected end of stream",
  TAB_AS_INDENT: "found character that cannot start any token",
};

function describeRefusal({ kind, name = "" }: YamlRefusal, line: number): string {
  switch (kind) {
    case "unknown alias":
      return `unknown anchor '${name}' referenced`;
    case "alias in itself":
      return `anchor '${name}' value contains itself`;
    case "too many aliases":
      return "document contains excessive aliasing";
    case "key is no scalar":
      return `line ${line}: invalid map key`;
    case "no JSON":
      return `json: unsupported value: ${name}`;
    case "merges no map":
      return "map merge requires map or sequence of maps as the value";
    case "too deep":
      return `exceeded max depth of ${bodyBounds.maxDepth}`;
  }
}

import type { YAMLError } from "yaml";
import type { Json } from "../../core/json.ts";
import { composeYaml } from "../../core/yaml/compose-yaml.ts";
import { createLineTable } from "../../core/yaml/line-table.ts";
import { bodyBounds, describeExcess } from "../../core/yaml/yaml-bounds.ts";
import type { YamlRefusal } from "../../core/yaml/yaml-value.ts";
import { resolveYamlKey, resolveYamlScalar, resolveYamlTag } from "./yaml-scalars.ts";
import { yamlValue } from "../../core/yaml/yaml-value.ts";

/** What a YAML text is to a reader of bodies. It can be sent to another thread. */
export type YamlOutcome =
  | {
      readonly kind: "value";
      readonly value: Json;
      /** `line 7: key "a" already set in map`, for each key that is repeated; the last one counts. */
      readonly duplicates: readonly string[];
    }
  /** As Go's reader reports it, as far as its messages are known. */
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "too large"; readonly message: string };

/** Reads the first YAML document of a text within {@link bodyBounds}. Never throws. */
export function readYamlText(text: string): YamlOutcome {
  const refuse = (reason: string): YamlOutcome => ({ kind: "malformed", reason });
  const positionAt = createLineTable(text);
  const lineAt = (offset: number): number => positionAt(offset).line;
  // The schema gives texts no other meaning: the resolver does, in time that is linear in a number's digits.
  const { documents, outsideErrors, excess } = composeYaml(text, bodyBounds, { strict: false, schema: "failsafe" });
  if (excess?.kind === "depth") return refuse(`yaml: exceeded max depth of ${bodyBounds.maxDepth}`);
  if (excess?.kind === "tokens" || excess?.kind === "lines") {
    const message = `Request entity too large: ${describeExcess(excess)} of YAML; send it as JSON, which may have more values`;
    return { kind: "too large", message };
  }
  if (excess !== undefined) return refuse(`yaml: line ${lineAt(excess.offset)}: ${describeExcess(excess)}`);
  const [document, second] = documents;
  const [error] = document?.errors ?? outsideErrors;
  if (error !== undefined) return refuse(`yaml: line ${lineAt(error.pos[0])}: ${goWords[error.code] ?? error.message}`);
  if (document === undefined) return { kind: "value", value: null, duplicates: [] };
  if (second !== undefined) {
    const line = lineAt(second.range[0]);
    return refuse(`yaml: line ${line}: a second document starts here; a body has one`);
  }
  const { value, duplicates, refusal } = yamlValue(document, {
    maxDepth: bodyBounds.maxDepth,
    resolve: resolver,
  });
  if (refusal !== undefined) return refuse(`yaml: ${describeRefusal(refusal, lineAt(refusal.offset))}`);
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  const texts = duplicates.map(
    ({ key, offset }) => `line ${lineAt(offset)}: key ${JSON.stringify(key)} already set in map`,
  );
  return { kind: "value", value, duplicates: isMap ? texts : [] };
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

import { Document, visit } from "yaml";
import { unprintable } from "../printable-json.ts";
import { quotedForAll } from "./quoted-for-all.ts";

/**
 * A value as YAML for a terminal or a file. What is `unprintable` is written in quotes, as escapes of YAML; see also
 * {@link quotedForAll}. Parsed, the value is the same.
 */
export function printableYaml(value: unknown): string {
  const document = new Document(value, { ...quotedForAll, aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, scalar) => {
      // Only a text in quotes has escapes.
      if (typeof scalar.value === "string" && escapeYaml(scalar.value) !== scalar.value) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return escapeYaml(document.toString(quotedForAll));
}

/** Line feeds stay. Of a pair of surrogates, other readers than ours take no halves. */
function escapeYaml(text: string): string {
  return text.replace(unprintable, (found) => {
    const code = found.codePointAt(0) ?? 0;
    if (found === "\n") return found;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

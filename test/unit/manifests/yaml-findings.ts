import { createLineTable } from "../../../src/core/yaml/line-table.ts";
import { parseYaml } from "../../../src/manifests/parse-yaml.ts";

/** `line:column CODE message (fix)` of everything that the parser finds in a text. */
export function yamlFindings(text: string): string[] {
  const { documents, streamError } = parseYaml(text);
  const positionAt = createLineTable(text);
  return [...documents.flatMap(({ findings }) => findings), ...(streamError === undefined ? [] : [streamError])].map(
    ({ code, offset, message, fix }) => {
      const { line, column } = positionAt(offset);
      return `${line}:${column} ${code} ${message}${fix === undefined ? "" : ` (${fix})`}`;
    },
  );
}

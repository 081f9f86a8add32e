import type { ComposedStream } from "./compose-yaml.ts";
import { composeYaml } from "./compose-yaml.ts";
import type { YamlDocument, YamlFinding } from "./yaml-document.ts";
import { yamlToJson } from "./yaml-to-json.ts";

/** The content of a file as YAML. */
export interface YamlStream {
  readonly documents: readonly YamlDocument[];
  /** An error outside every document: the number of documents is unknown. */
  readonly streamError: YamlFinding | undefined;
}

/** What the library read, with the nodes that have places. */
export interface ParsedStream extends YamlStream {
  readonly composed: ComposedStream;
}

/** Reads every YAML document of a text, the careful way: all findings, all positions. Never throws. */
export function parseYaml(text: string): ParsedStream {
  const composed = composeYaml(text);
  const { documents, streamError } = composed;
  return {
    composed,
    streamError,
    documents: documents.map(({ document, syntaxError, tagFindings }, index) => {
      const offset = document.contents?.range[0] ?? document.range[0];
      if (syntaxError !== undefined) {
        return { index, offset, value: null, isReadable: false, findings: [syntaxError] };
      }
      const { value, findings } = yamlToJson(document);
      return { index, offset, value, isReadable: true, findings: [...tagFindings, ...findings] };
    }),
  };
}

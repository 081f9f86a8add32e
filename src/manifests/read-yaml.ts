import type { ParsedStream, YamlStream } from "./parse-yaml.ts";
import { parseYaml } from "./parse-yaml.ts";
import { scanSimpleYaml } from "./scan-simple-yaml.ts";

/** Reads every YAML document of a text, the quick way where that is certain to have the same result. Never throws. */
export function readYaml(text: string): YamlStream | ParsedStream {
  const documents = scanSimpleYaml(text);
  return documents === undefined ? parseYaml(text) : { documents, streamError: undefined };
}

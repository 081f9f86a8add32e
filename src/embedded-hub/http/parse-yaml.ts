import { LineCounter, isMap, isScalar, parseDocument, visit } from "yaml";
import type { Document, YAMLError } from "yaml";
import { deepestJsonLevel } from "../../core/go-json-error.ts";
import type { Json } from "../../core/json.ts";

export interface YamlText {
  readonly value: Json;
  /** `line 7: key "a" already set in map`, for each key that stands again; the last one counts. */
  readonly duplicates: readonly string[];
}

/** How often one anchor may be used: a few lines can stand for more than any memory holds. */
const aliasLimit = 100;

/** Reads one YAML document; `refuse` makes the error from a reason in the words of Go's reader, as far as they are known. */
export function parseYamlText(text: string, refuse: (reason: string) => Error): YamlText {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: false, strict: false, lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw refuse(describeYamlError(error, lineCounter));
  const tooDeep = refuse(`yaml: exceeded max depth of ${deepestJsonLevel}`);
  try {
    const value = document.toJS({ maxAliasCount: aliasLimit }) as Json;
    if (isDeeper(value, deepestJsonLevel)) throw tooDeep;
    return { value, duplicates: duplicatesOf(document, lineCounter) };
  } catch (cause) {
    if (cause === tooDeep || cause instanceof RangeError) throw tooDeep;
    const alias = /alias.*: (\S+)$/u.exec(cause instanceof Error ? cause.message : "");
    throw refuse(alias === null ? `yaml: ${String(cause)}` : `yaml: unknown anchor '${alias[1]}' referenced`);
  }
}

const goWords: Partial<Record<YAMLError["code"], string>> = {
  BLOCK_AS_IMPLICIT_KEY: "mapping values are not allowed in this context",
  MISSING_CHAR: "found unexpected end of stream",
  TAB_AS_INDENT: "found character that cannot start any token",
  RESOURCE_EXHAUSTION: `exceeded max depth of ${deepestJsonLevel}`,
};

function describeYamlError({ code, message, pos }: YAMLError, lineCounter: LineCounter): string {
  return `yaml: line ${lineCounter.linePos(pos[0]).line}: ${goWords[code] ?? message}`;
}

function duplicatesOf(document: Document.Parsed, lineCounter: LineCounter): string[] {
  const found: string[] = [];
  visit(document, {
    Map: (_, map) => {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          const { line } = lineCounter.linePos(key.range?.[0] ?? 0);
          found.push(`line ${line}: key ${JSON.stringify(String(key.value))} already set in map`);
        }
        keys.add(key.value);
      }
    },
  });
  return isMap(document.contents) ? found : [];
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => inner !== undefined && isDeeper(inner, levels - 1));
}

import type { ErrorCode } from "../core/error-codes.ts";
import type { Json } from "../core/json.ts";

/** A fault in YAML text, before the document is interpreted. */
export interface YamlFinding {
  readonly code: Extract<ErrorCode, "E_YAML" | "E_ALIAS" | "E_NOT_UNIQUE_KEY" | "W_YAML_AMBIGUOUS">;
  /** Where in the text, in UTF-16 units. */
  readonly offset: number;
  readonly message: string;
  readonly fix?: string;
}

/** One document of a YAML stream as plain JSON. */
export interface YamlDocument {
  /** 0-based index among the documents of the stream, empty ones included. */
  readonly index: number;
  /** The offset of the document's first key (or value) in the text. */
  readonly offset: number;
  /** Best effort when there are errors among the findings; null for an empty document. */
  readonly value: Json;
  /** False when the syntax is broken, so that no part of `value` is reliable. */
  readonly isReadable: boolean;
  readonly findings: readonly YamlFinding[];
}

/** Keys and indexes from the root of a document to a value in it. */
export type DocumentPath = readonly (string | number)[];

/** True when the finding keeps the document from being used. */
export function isErrorFinding(finding: YamlFinding): boolean {
  return finding.code !== "W_YAML_AMBIGUOUS";
}

import type { Document, Node } from "yaml";
import { isCollection, isScalar, stringify, visit } from "yaml";
import { composeYaml } from "../core/yaml/compose-yaml.ts";
import { quotedForAll } from "../core/yaml/quoted-for-all.ts";
import { fileBounds } from "../core/yaml/yaml-bounds.ts";

/** One value of a document; undefined takes the field out. */
export interface DocumentEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * The text of a file with edits of one of its documents (by its index). Comments and all other fields of the document stay;
 * other documents stay as they are, and so do line ends of Windows. A map that an edit leaves empty is taken out. Without such
 * a document: the same text.
 */
export function editDocument(text: string, index: number, edits: readonly DocumentEdit[]): string {
  return rewriteDocuments(text, index, (document) => {
    for (const { path, value } of edits) {
      if (value === undefined) deleteField(document, path);
      else setField(document, path, value);
    }
    const isFlow = isCollection(document.contents) && document.contents.flow === true;
    const quotes = isFlow ? ({ defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" } as const) : {};
    const written = document.toString({ lineWidth: 0, ...quotes });
    // The library writes line feeds: all lines of a file of Windows would change.
    return /^[^\n]*\r\n/u.test(text) ? written.replaceAll("\n", "\r\n") : written;
  });
}

/** The text of a file without one of its documents (by its index); undefined when no other document is left. */
export function removeDocument(text: string, index: number): string | undefined {
  const { documents } = composeYaml(text, fileBounds, { keepsComments: true });
  const others = documents.filter((document, at) => at !== index && !isEmpty(document));
  return others.length === 0 ? undefined : rewriteDocuments(text, index, () => "");
}

/** Nothing but comments is between its separators. */
function isEmpty({ contents }: Document.Parsed): boolean {
  return isScalar(contents) && contents.value === null && contents.source === "";
}

function rewriteDocuments(text: string, index: number, rewrite: (document: Document.Parsed) => string): string {
  const { documents } = composeYaml(text, fileBounds, { keepsComments: true });
  const document = documents[index];
  if (document === undefined) return text;
  const start = documents[index - 1]?.range[2] ?? 0;
  const end = document.range[2];
  return `${text.slice(0, start)}${rewrite(document)}${text.slice(end)}`;
}

/** A value that takes the place of another keeps the comment beside it. */
function setField(document: Document.Parsed, path: readonly string[], value: unknown): void {
  const node = nodeOf(document, value);
  const before: unknown = document.getIn(path, true);
  if (isScalar(before) && isScalar(node)) node.comment = before.comment ?? null;
  document.setIn(path, node);
}

/** Texts that a reader takes for something else, such as yes, are quoted. */
function nodeOf(document: Document.Parsed, value: unknown): Node {
  const node = document.createNode(value);
  visit(node, {
    Scalar: (_key, scalar) => {
      const { value: text } = scalar;
      if (typeof text === "string" && stringify(text, quotedForAll).trimEnd() !== text) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return node;
}

function deleteField(document: Document.Parsed, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  const above = path.slice(0, -1);
  const map: unknown = above.length === 0 ? undefined : document.getIn(above);
  const items: unknown = typeof map === "object" && map !== null ? Reflect.get(map, "items") : undefined;
  if (Array.isArray(items) && items.length === 0) deleteField(document, above);
}

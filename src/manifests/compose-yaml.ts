import type { Document, ParsedNode, YAMLError } from "yaml";
import { Composer, isCollection, isScalar, Lexer, Parser, visit } from "yaml";
import { explainYamlError } from "./explain-yaml-error.ts";
import type { YamlFinding } from "./yaml-document.ts";

/** Collections inside each other; Kubernetes objects need a dozen. */
export const maxDepth = 64;

/** A document as the parser sees it, and what is wrong with its syntax. */
export interface ComposedDocument {
  readonly document: Document.Parsed;
  /** At most one: what follows the first error of a document is mostly its echo. */
  readonly syntaxError: YamlFinding | undefined;
  /** Tags that are not known: the syntax is fine, the document may be meant for somebody else. */
  readonly tagFindings: readonly YamlFinding[];
}

export interface ComposedStream {
  readonly documents: readonly ComposedDocument[];
  /** An error outside every document, or one that stops reading the file. */
  readonly streamError: YamlFinding | undefined;
}

type CstToken = Parameters<Composer["next"]>[0];

/**
 * Runs the YAML parser: core schema of YAML 1.2, no merge keys, no tags but the core ones, warnings are errors. Nesting
 * is counted while tokens come in, so that nothing recurses deeper than {@link maxDepth}. Keys are not compared here
 * (the parser does it in quadratic time).
 */
export function composeYaml(text: string): ComposedStream {
  const tokens = tokensOf(text);
  if (!Array.isArray(tokens)) return { documents: [], streamError: tokens };
  const composer = new Composer({
    schema: "core",
    version: "1.2",
    merge: false,
    resolveKnownTags: false,
    intAsBigInt: true,
    uniqueKeys: false,
    prettyErrors: false,
  });
  const documents = [...composer.compose(tokens)].map((document) => ({
    document,
    syntaxError: syntaxErrorOf(text, document),
    tagFindings: [...document.errors, ...document.warnings]
      .filter((error) => error.code === "TAG_RESOLVE_FAILED")
      .map((error) => findingOf(text, error)),
  }));
  const [outside] = composer.streamInfo().errors;
  return { documents, streamError: outside && findingOf(text, outside) };
}

function tokensOf(text: string): CstToken[] | YamlFinding {
  const parser = new Parser();
  const tokens: CstToken[] = [];
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    offset = parser.offset;
    // The document itself and a scalar take a place each.
    if (parser.stack.length > maxDepth + 2) {
      return {
        code: "E_YAML",
        offset,
        message: `values are nested more than ${maxDepth} levels deep here; the rest of the file was not read`,
        fix: "Make the structure flatter.",
      };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function syntaxErrorOf(text: string, document: Document.Parsed): YamlFinding | undefined {
  const { version, explicit } = document.directives.yaml;
  if (explicit === true && version !== "1.2") {
    return {
      code: "E_YAML",
      offset: Math.max(0, text.lastIndexOf("%YAML", document.range[0])),
      message: "the file asks for another version of YAML than 1.2",
      fix: "Delete the %YAML line.",
    };
  }
  const [first] = [...document.errors, ...document.warnings]
    .filter((error) => error.code !== "TAG_RESOLVE_FAILED")
    .sort((a, b) => a.pos[0] - b.pos[0]);
  return first && findingOf(text, first, document);
}

function findingOf(text: string, error: YAMLError, document?: Document.Parsed): YamlFinding {
  const [at] = error.pos;
  const conflict = /^(?:<{7} |={7}\r?$|>{7} )/mu.exec(text);
  if (conflict !== null) {
    return {
      code: "E_YAML",
      offset: conflict.index,
      message: "a merge conflict was left in the file",
      fix: "Resolve the conflict and delete its marker lines.",
    };
  }
  const opened = document && unclosedAt(text, document, at);
  if (opened !== undefined) {
    const isQuote = text[opened] === '"' || text[opened] === "'";
    return {
      code: "E_YAML",
      offset: opened,
      message: isQuote
        ? `the quote (${text[opened]}) that opens here is never closed`
        : `the bracket (${text[opened]}) that opens here is never closed, or closed on a line that is indented too little`,
      fix: isQuote ? "Close the quote at the end of the value." : "Close the bracket.",
    };
  }
  return { code: "E_YAML", offset: at, ...explainYamlError(error.code, lineAt(text, at)) };
}

/** Where the quote or bracket stands whose missing end is what is wrong at `offset`. */
function unclosedAt(text: string, document: Document.Parsed, offset: number): number | undefined {
  // Outer ones first: what is open at the offset reaches up to it, and so may one that is closed there.
  const candidates: number[] = [];
  let quote: number | undefined;
  visit(document, (_key, node) => {
    const range = (node as Partial<ParsedNode> | null)?.range;
    if (!range || range[1] !== offset) return;
    const opening = text[range[0]];
    if (isCollection(node) && node.flow === true) candidates.push(range[0]);
    else if (isScalar(node) && (opening === '"' || opening === "'")) {
      if (range[1] - range[0] < 2 || text[range[1] - 1] !== opening) quote = range[0];
    }
  });
  if (quote !== undefined) return quote;
  const innermost = candidates.at(-1);
  if (innermost === undefined) return undefined;
  const isClosed = text[offset - 1] === (text[innermost] === "{" ? "}" : "]");
  return isClosed ? candidates.at(-2) : innermost;
}

function lineAt(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end < 0 ? text.length : end);
}

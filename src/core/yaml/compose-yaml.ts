import type { Document, DocumentOptions, ParseOptions, SchemaOptions, YAMLError } from "yaml";
import { Composer, CST, Lexer, Parser } from "yaml";
import type { YamlBounds, YamlExcess } from "./yaml-bounds.ts";

export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** A text as the library sees it. Documents that begin before an excess are not among `documents`. */
export interface ComposedYaml {
  readonly documents: readonly Document.Parsed[];
  /** Errors outside every document. */
  readonly outsideErrors: readonly YAMLError[];
  readonly excess?: YamlExcess;
  /** Pieces of syntax that were read, spaces and lines included: the time of the reading is in proportion to them. */
  readonly pieces: number;
}

type Token = Parameters<Composer["next"]>[0];

const maxErrors = 100;
const maxDirectives = 100;
/** The parser searches the tokens before a value again and again. */
const maxProperties = 100;
/** Of YAML: characters from the start of a key to its colon. */
const maxKeyLength = 1024;
/** What is passed over, and each line of a text of several lines, costs less, but not nothing. */
const passedOverFactor = 4;

/**
 * The one place where YAML of others meets the library: core schema of YAML 1.2 unless `options` set another, no merge
 * keys, keys are not compared (the library does it in quadratic time). Everything is counted while tokens come in, before
 * any function of the library recurses, so that time is linear in the text and the stack stays flat: at its end not even
 * a regular expression can be compiled, and the process would die of that. Lines that are blank or a comment are passed
 * over unless `keepsComments` is set, since the parser's time is quadratic in them. Never throws.
 */
export function composeYaml(
  text: string,
  bounds: YamlBounds,
  { keepsComments = false, ...options }: YamlOptions & { readonly keepsComments?: boolean } = {},
): ComposedYaml {
  if (text.length > bounds.maxBytes) return excessive("bytes", bounds.maxBytes, bounds.maxBytes);
  const { tokens, excess, pieces } = readTokens(text, bounds, keepsComments);
  if (excess !== undefined) return { documents: [], outsideErrors: [], excess, pieces };
  const composer = new Composer({
    schema: "core",
    version: "1.2",
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    ...options,
  });
  const limiter = limitErrors(composer, text);
  try {
    return { documents: [...composer.compose(tokens)], outsideErrors: composer.streamInfo().errors, pieces };
  } catch (error) {
    if (error !== limiter.stop) throw error;
    return { ...excessive("errors", maxErrors, limiter.offset()), pieces };
  }
}

function excessive(kind: YamlExcess["kind"], limit: number, offset: number): ComposedYaml {
  return { documents: [], outsideErrors: [], excess: { kind, limit, offset }, pieces: 0 };
}

interface ReadTokens {
  readonly tokens: readonly Token[];
  readonly excess?: YamlExcess;
  readonly pieces: number;
}

function readTokens(text: string, bounds: YamlBounds, keepsComments: boolean): ReadTokens {
  const parser = new Parser();
  const tokens: Token[] = [];
  const counter = createCounter(bounds);
  const trivia = createTriviaFilter(parser);
  let isContentNext = false;
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += lexeme.length > 1 ? linesOf(lexeme) : 1;
    if (lexemes > passedOverFactor * bounds.maxTokens)
      return endedBy({ kind: "lines", limit: passedOverFactor * bounds.maxTokens, offset: parser.offset }, lexemes);
    const type = isContentNext ? "scalar" : CST.tokenType(lexeme);
    isContentNext = lexeme === CST.SCALAR && !isContentNext;
    const fed = keepsComments ? [lexeme] : trivia(lexeme, type);
    for (const each of fed) {
      const { offset } = parser;
      for (const token of parser.next(each)) tokens.push(token);
      const excess = counter(type, parser.stack.length, tokens.at(-1)?.type === "error" ? tokens.length : 0);
      if (excess !== undefined) return endedBy({ ...excess, offset }, lexemes);
    }
  }
  for (const each of trivia("", "end of text")) for (const token of parser.next(each)) tokens.push(token);
  for (const token of parser.end()) tokens.push(token);
  return { tokens, pieces: lexemes };
}

function endedBy(excess: YamlExcess, pieces: number): ReadTokens {
  return { tokens: [], excess, pieces };
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** Gives what the parser gets for each lexeme: nothing of lines that are blank or a comment. */
function createTriviaFilter(parser: Parser): (lexeme: string, type: string | null) => readonly string[] {
  let isAtLineStart = true;
  let held: string[] = [];
  return (lexeme, type) => {
    if (!isAtLineStart) {
      isAtLineStart = type === "newline";
      return type === "end of text" ? [] : [lexeme];
    }
    if (type === "space" || type === "comment") {
      held.push(lexeme);
      return [];
    }
    const before = held;
    held = [];
    if (type !== "newline") {
      isAtLineStart = false;
      return type === "end of text" ? before : [...before, lexeme];
    }
    for (const passed of [...before, lexeme]) parser.offset += passed.length;
    return [];
  };
}

type Excess = Omit<YamlExcess, "offset">;

function createCounter(bounds: YamlBounds): (type: string | null, depth: number, errors: number) => Excess | undefined {
  const counts = { tokens: 0, documents: 0, directives: 0, properties: 0, errors: 0 };
  let errorsAt = 0;
  return (type, depth, errorAt) => {
    counts.tokens += 1;
    if (errorAt > errorsAt) {
      errorsAt = errorAt;
      counts.errors += 1;
    }
    if (type === "doc-start" || type === "doc-end") counts.documents += 1;
    if (type === "directive-line") counts.directives += 1;
    if (propertyTypes.has(type)) counts.properties += 1;
    else if (!spaceTypes.has(type)) counts.properties = 0;
    // The document itself and a scalar take a place each.
    if (depth > bounds.maxDepth + 2) return { kind: "depth", limit: bounds.maxDepth };
    if (counts.tokens > bounds.maxTokens) return { kind: "tokens", limit: bounds.maxTokens };
    // A document may have a line before and behind it.
    if (counts.documents > 2 * bounds.maxDocuments) return { kind: "documents", limit: bounds.maxDocuments };
    if (counts.directives > maxDirectives) return { kind: "directives", limit: maxDirectives };
    if (counts.properties > maxProperties) return { kind: "properties", limit: maxProperties };
    return counts.errors > maxErrors ? { kind: "errors", limit: maxErrors } : undefined;
  };
}

const propertyTypes = new Set<string | null>(["tag", "anchor", "comma", "map-value-ind", "explicit-key-ind"]);
const spaceTypes = new Set<string | null>(["space", "newline", "comment"]);

/**
 * Stops the composer at too many errors: each costs as much as ten values. Of unknown tags, only the first are kept. What was
 * passed over counts for the length of no key.
 */
function limitErrors(composer: Composer, text: string): { readonly stop: Error; readonly offset: () => number } {
  const stop = new Error("too many errors");
  let errors = 0;
  let tags = 0;
  let offset = 0;
  const onError: unknown = Reflect.get(composer, "onError");
  if (typeof onError !== "function") throw new TypeError("the composer has no onError");
  Reflect.set(composer, "onError", (source: unknown, code: string, message: string, isWarning?: boolean): void => {
    if (code === "TAG_RESOLVE_FAILED" && ++tags > maxErrors) return;
    if (code === "KEY_OVER_1024_CHARS" && !isLongKey(text, source)) return;
    if (code !== "TAG_RESOLVE_FAILED" && ++errors > maxErrors) {
      offset = offsetOf(source);
      throw stop;
    }
    Reflect.apply(onError, composer, [source, code, message, isWarning]);
  });
  return { stop, offset: () => offset };
}

/**
 * The library counts from the end of the value above where nothing that it was fed is between the two. `source` is the range
 * of the key, or the colon behind it. A key is on one line with its colon.
 */
function isLongKey(text: string, source: unknown): boolean {
  const colon = text.indexOf(":", Array.isArray(source) ? Number(source[1]) : offsetOf(source));
  const lineStart = text.lastIndexOf("\n", colon) + 1;
  return colon - lineStart > maxKeyLength;
}

function offsetOf(source: unknown): number {
  if (typeof source === "number") return source;
  const found: unknown = Array.isArray(source) ? source[0] : Reflect.get(Object(source), "offset");
  return typeof found === "number" ? found : 0;
}

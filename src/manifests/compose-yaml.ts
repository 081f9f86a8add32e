import type { Document, ParsedNode, YAMLError } from "yaml";
import { isCollection, isScalar, visit } from "yaml";
import { composeYaml as composeBounded } from "../core/yaml/compose-yaml.ts";
import type { YamlExcess } from "../core/yaml/yaml-bounds.ts";
import { describeExcess, fileBounds } from "../core/yaml/yaml-bounds.ts";
import { explainYamlError } from "./explain-yaml-error.ts";
import { ignoreFileName } from "./select-files.ts";
import type { YamlFinding } from "./yaml-document.ts";

/** A document as the parser sees it, and what is wrong with its syntax. */
export interface ComposedDocument {
  readonly document: Document.Parsed;
  /** At most one: what follows the first error of a document is mostly its echo. */
  readonly syntaxError: YamlFinding | undefined;
  /** Unknown tags: the syntax is valid, the document may be meant for another program. */
  readonly tagFindings: readonly YamlFinding[];
}

export interface ComposedStream {
  readonly documents: readonly ComposedDocument[];
  /** An error outside every document, or one that stops reading the file. */
  readonly streamError: YamlFinding | undefined;
  /** Pieces of syntax that the library read. */
  readonly pieces: number;
}

/**
 * Runs the YAML parser within {@link fileBounds}: core schema of YAML 1.2, no merge keys, no tags but the core ones,
 * warnings are errors. Keys are not compared here (the parser does it in quadratic time).
 */
export function composeYaml(text: string): ComposedStream {
  const { documents, outsideErrors, excess, pieces } = composeBounded(text, fileBounds, { intAsBigInt: true });
  if (excess !== undefined) return { documents: [], streamError: findingOfExcess(text, excess), pieces };
  const [outside] = outsideErrors;
  const hasErrors =
    outside !== undefined || documents.some(({ errors, warnings }) => errors.length + warnings.length > 0);
  const cause = hasErrors ? (conflictIn(text) ?? templateIn(text)) : undefined;
  return {
    documents: documents.map((document) => ({
      document,
      syntaxError: syntaxErrorOf(text, document, cause),
      tagFindings: [...document.errors, ...document.warnings]
        .filter((error) => error.code === "TAG_RESOLVE_FAILED")
        .map((error) => cause ?? findingOf(text, error)),
    })),
    streamError: outside && (cause ?? findingOf(text, outside)),
    pieces,
  };
}

function findingOfExcess(text: string, excess: YamlExcess): YamlFinding {
  const cause = excess.kind === "errors" ? (conflictIn(text) ?? templateIn(text) ?? templateValueIn(text)) : undefined;
  return (
    cause ?? {
      code: "E_YAML",
      offset: excess.offset,
      message: `${describeExcess(excess)}; the file was not read`,
      fix: fixOfExcess(excess),
    }
  );
}

function fixOfExcess({ kind }: YamlExcess): string {
  if (kind === "depth") return "Make the structure flatter.";
  if (kind === "errors")
    return `Correct it from this line on, or list the file in ${ignoreFileName} when it is no YAML.`;
  return "Split the file, or make it simpler.";
}

function syntaxErrorOf(
  text: string,
  document: Document.Parsed,
  cause: YamlFinding | undefined,
): YamlFinding | undefined {
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
  return first && (cause ?? findingOf(text, first, document));
}

/** The first marker of a merge that was not resolved: it is the cause of every error of the file. */
function conflictIn(text: string): YamlFinding | undefined {
  const conflict = /^(?:<{7} |={7}\r?$|>{7} )/mu.exec(text);
  if (conflict === null) return undefined;
  return {
    code: "E_YAML",
    offset: conflict.index,
    message: "a merge conflict was left in the file",
    fix: "Resolve the conflict and delete its marker lines.",
  };
}

/** The first line that is only an action of a template (`{{- if … }}`), as a chart of Helm has them. */
function templateIn(text: string): YamlFinding | undefined {
  const action = /^[ \t]*\{\{/mu.exec(text);
  return action === null ? undefined : templateAt(action.index + action[0].length - 2);
}

/** The first value that begins with an action of a template (`name: {{ .Values.name }}-role`). */
function templateValueIn(text: string): YamlFinding | undefined {
  let offset = 0;
  for (const line of text.split("\n")) {
    const opened = line.indexOf("{{");
    const before = line.slice(0, Math.max(0, opened));
    const isValue = /[ \t]$/u.test(before) && /[:-]$/u.test(before.trimEnd()) && !/["'#]/u.test(before);
    if (isValue) return templateAt(offset + opened);
    offset += line.length + 1;
  }
  return undefined;
}

function templateAt(offset: number): YamlFinding {
  return {
    code: "E_YAML",
    offset,
    message: "double braces: templates are not filled in, files are read as they are",
    fix: `Commit what the template becomes, or list the file in ${ignoreFileName}.`,
  };
}

function findingOf(text: string, error: YAMLError, document?: Document.Parsed): YamlFinding {
  const [at] = error.pos;
  // An action before the error, in its line: the braces are no brackets of YAML.
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const template = templateValueIn(text.slice(start, at));
  if (template !== undefined) return { ...template, offset: start + template.offset };
  const opened = document && unclosedAt(text, document, at);
  if (opened !== undefined) {
    const isQuote = text[opened] === '"' || text[opened] === "'";
    if (isQuote) return unclosedQuote(text, opened);
    return {
      code: "E_YAML",
      offset: opened,
      message: `the bracket (${text[opened]}) that opens here is never closed, ${orOutdented}`,
      fix: "Close the bracket.",
    };
  }
  return { code: "E_YAML", offset: at, ...explainYamlError(error.code, lineAt(text, at)) };
}

const orOutdented = "or closed on a line that is indented too little";

/** Other readers take the lines of a quoted value at any indentation: they wrote files that YAML 1.2 does not allow. */
function unclosedQuote(text: string, opened: number): YamlFinding {
  const sign = text[opened] ?? "";
  const what = `the quote (${sign}) that opens here is never closed`;
  const fix = "Close the quote at the end of the value";
  const isClosed = text.includes(sign, opened + 1);
  return {
    code: "E_YAML",
    offset: opened,
    message: isClosed ? `${what}, ${orOutdented}` : what,
    fix: isClosed ? `${fix}, or indent the lines below more than the key.` : `${fix}.`,
  };
}

/** The offset of the quote or bracket whose missing end causes the error at `offset`. */
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

// manifests: bytes <-> documents. Reads files of a repository into documents with positions, checks each by its schema
// and all of them together. Pure: bytes come in, documents and problems go out.
import type { TextPosition } from "../core/yaml/line-table.ts";
import { createLineTable } from "../core/yaml/line-table.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems, errorsFirst } from "../model/problem.ts";
import type { ParsedFile, SourceDocument } from "../model/source.ts";
import { decodeText } from "./decode-text.ts";
import type { DocumentReading, ProblemPlace } from "./read-document.ts";
import { createDocumentReader } from "./read-document.ts";
import { createLocator } from "./locate-value.ts";
import { readYaml } from "./read-yaml.ts";
import type { YamlFinding } from "./yaml-document.ts";

/** One file as it is in a commit or a work tree. */
export interface FileContent {
  /** Path in the repository, with forward slashes. */
  readonly path: string;
  readonly blobId: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads one file. Never throws: any bytes have a result. Finding places costs as much as reading: with `places:
 * "documents"`, for callers that do not show places, a problem is at the start of its document. Default: "exact".
 */
export type FileParser = (file: FileContent, options?: { readonly places?: "exact" | "documents" }) => ParsedFile;

/** Most reported problems of one file; the last one states the number of the others. */
export const maxProblemsPerFile = 50;

/**
 * A parser of files; it keeps compiled schemas, so make one and use it for all. The text is parsed once. Positions cost
 * only where there is a problem. Raises no errors; problems carry the codes of files (E_YAML, E_SCHEMA, ...).
 */
export function createFileParser(): FileParser {
  const readDocument = createDocumentReader();

  return ({ path, blobId, bytes }, { places = "exact" } = {}) => {
    const text = decodeText(bytes);
    if (typeof text !== "string") {
      const { code, line, column, message, fix } = text;
      const problem: Problem = { code, severity: "error", file: path, line, column, message, ...(fix && { fix }) };
      return fileOf({ path, blobId, text: "", sizeBytes: bytes.byteLength, problems: [problem], isUnidentified: true });
    }
    const positionAt = createLineTable(text);
    const stream = readYaml(text);
    const { documents, streamError } = stream;
    const composed = "composed" in stream ? stream.composed : undefined;
    const parsedPieces = composed?.pieces ?? 0;
    const readings = documents.map((document) => ({ document, reading: readDocument(document) }));
    const isBroken = streamError !== undefined || documents.some(({ isReadable }) => !isReadable);
    // JSON files that are not ours may have comments and the like: .vscode/settings.json.
    if (isBroken && path.endsWith(".json") && !text.includes("apiVersion"))
      return fileOf({ path, blobId, text, parsedPieces, isUnreadable: true });

    const locate = createLocator(text, composed);
    const problems = readings.flatMap(({ document, reading }) =>
      problemsOf(path, reading, (place) => {
        if (typeof place === "number") return positionAt(place);
        return places === "exact" ? locate({ index: document.index, ...place }) : positionAt(document.offset);
      }),
    );
    if (streamError !== undefined) problems.push(problemOfFinding(path, positionAt(streamError.offset), streamError));
    return fileOf({
      path,
      blobId,
      text,
      parsedPieces,
      documents: readings.flatMap(({ document, reading }): SourceDocument[] =>
        reading.object === undefined
          ? []
          : [
              {
                position: { file: path, ...positionAt(document.offset) },
                index: document.index,
                blobId,
                object: reading.object,
              },
            ],
      ),
      problems: withoutRepetitions(problems),
      isUnidentified: streamError !== undefined || readings.some(({ reading }) => reading.isUnidentified),
      brokenObjects: readings.flatMap(({ reading }) => reading.brokenObjects ?? []),
    });
  };
}

function fileOf(parts: Pick<ParsedFile, "path" | "blobId" | "text"> & Partial<ParsedFile>): ParsedFile {
  const problems = [...(parts.problems ?? [])].sort(compareProblems);
  const { sizeBytes = Buffer.byteLength(parts.text) } = parts;
  return { documents: [], isUnidentified: false, brokenObjects: [], ...parts, sizeBytes, problems: bounded(problems) };
}

/** One cause can spoil several documents of a file. */
function withoutRepetitions(problems: readonly Problem[]): readonly Problem[] {
  const known = new Set<string>();
  return problems.filter((problem) => {
    const text = `${lineAndColumn(problem)} ${problem.code} ${problem.message}`;
    const isNew = !known.has(text);
    known.add(text);
    return isNew;
  });
}

/** Errors before warnings, if some are dropped: a file with an error must not pass for one without. */
function bounded(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= maxProblemsPerFile) return problems;
  const ordered = errorsFirst(problems);
  const kept = new Set(ordered.slice(0, maxProblemsPerFile));
  const [dropped] = ordered.slice(maxProblemsPerFile);
  const shown = problems.filter((problem) => kept.has(problem));
  const more = problems.length - shown.length;
  return dropped === undefined ? shown : [...shown, { ...dropped, message: `and ${more} more problems in this file` }];
}

/** What was found in a document, with positions. */
function problemsOf(
  file: string,
  reading: DocumentReading,
  positionOf: (place: ProblemPlace) => TextPosition,
): Problem[] {
  const problems = reading.findings.map((finding): Problem => {
    const { code, message, fix } = finding;
    return {
      code,
      severity: finding.severity ?? (code.startsWith("W_") ? "warning" : "error"),
      file,
      ...positionOf(finding.place),
      message,
      ...(fix === undefined ? {} : { fix }),
      ...(reading.name === undefined ? {} : { object: reading.name }),
    };
  });
  const errors = new Set(problems.filter(({ severity }) => severity === "error").map(lineAndColumn));
  return problems.filter((problem) => problem.severity === "error" || !errors.has(lineAndColumn(problem)));
}

function lineAndColumn({ line, column }: Problem): string {
  return `${line}:${column}`;
}

function problemOfFinding(file: string, position: TextPosition, finding: YamlFinding): Problem {
  const { code, message, fix } = finding;
  return { code, severity: "error", file, ...position, message, ...(fix === undefined ? {} : { fix }) };
}

import type { KubeObject } from "./kubernetes.ts";
import type { Problem } from "./problem.ts";

/** A position in the repository. */
export interface SourcePosition {
  /** Path in the repository, with forward slashes. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** One YAML document that could be read and fits its schema. */
export interface SourceDocument {
  /** Position of the document's first key. */
  readonly position: SourcePosition;
  /** 0-based index among the documents of its file. */
  readonly index: number;
  readonly blobId: string;
  /** Plain JSON: null-prototype-safe, no aliases, no tags, no status. Callers must not change it. */
  readonly object: KubeObject;
}

/** The content of one file. It depends on path and content alone, so it is cached by both. */
export interface ParsedFile {
  readonly path: string;
  readonly blobId: string;
  /** The content as text; kept to give positions to problems that are found later. */
  readonly text: string;
  /** Bytes of the file as it was read. Default: those of its text. */
  readonly sizeBytes?: number;
  /** Pieces of syntax that the parser of YAML read, which is slow. Default: none, the quick scanner read the file. */
  readonly parsedPieces?: number;
  /** Documents that are ours and valid; a file with a problem of severity error may still have some. */
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly Problem[];
  /**
   * True when a document of the file could not be identified at all (no YAML, no kind, unknown kind of our groups): it
   * is unknown which objects it declares.
   */
  readonly isUnidentified: boolean;
  /** Objects that documents with problems declare, as far as they could be identified (`Kind/namespace/name`). */
  readonly brokenObjects: readonly string[];
  /** True for JSON that cannot be read and shows no sign of being ours: only its earlier versions can show it. Default false. */
  readonly isUnreadable?: boolean;
}

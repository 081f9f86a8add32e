import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";

/** What the files of one repository, or one of them, take to be read. */
export interface RepositorySize {
  readonly bytes: number;
  /** Pieces of syntax that the parser of YAML reads: what the quick scanner reads counts nothing. */
  readonly pieces: number;
}

/**
 * The files that are read; 10,000 clusters have about 10 MiB. A piece of syntax takes the parser up to two microseconds,
 * and a cluster of 25 lines has about 170 pieces, of which none counts when its file keeps to what the scanner reads.
 */
export const maxRepositorySize: RepositorySize = { bytes: 64 * 1024 * 1024, pieces: 2_000_000 };

export const noFiles: RepositorySize = { bytes: 0, pieces: 0 };

export function sizeOfFile({ text, sizeBytes, parsedPieces = 0 }: ParsedFile): RepositorySize {
  return { bytes: sizeBytes ?? Buffer.byteLength(text), pieces: parsedPieces };
}

export function addSizes(a: RepositorySize, b: RepositorySize): RepositorySize {
  return { bytes: a.bytes + b.bytes, pieces: a.pieces + b.pieces };
}

/** The size after a file was replaced. */
export function replaceSize(total: RepositorySize, before: RepositorySize, after: RepositorySize): RepositorySize {
  return {
    bytes: total.bytes - before.bytes + after.bytes,
    pieces: total.pieces - before.pieces + after.pieces,
  };
}

export function isWithin(size: RepositorySize, maximum: RepositorySize): boolean {
  return size.bytes <= maximum.bytes && size.pieces <= maximum.pieces;
}

/** The problem of a repository of which no file is read, because half a fleet would be worse (E_REPOSITORY_TOO_LARGE). */
export function tooLargeRepository(size: RepositorySize, maximum: RepositorySize): Problem {
  const excess =
    size.bytes > maximum.bytes
      ? `more than ${maximum.bytes / 1024} KiB together`
      : `more than ${maximum.pieces} pieces of syntax that only the full parser of YAML reads`;
  return problemOfSize(
    `the YAML and JSON files of the repository have ${excess}; none was read`,
    "Narrow spec.paths of the Repository, or list folders in .rollcallignore.",
  );
}

/** E_REPOSITORY_TOO_LARGE, of the repository as a whole. */
export function problemOfSize(message: string, fix: string): Problem {
  return { code: "E_REPOSITORY_TOO_LARGE", severity: "error", file: ".", line: 1, column: 1, message, fix };
}

import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";

/** Bytes of all files of one repository that are read; 10,000 clusters have about 10 MiB. */
export const maxRepositoryBytes = 64 * 1024 * 1024;

/** Bytes of one file. */
export function sizeOfFile({ text, sizeBytes }: ParsedFile): number {
  return sizeBytes ?? Buffer.byteLength(text);
}

/** Counts the bytes of files that are read one after the other; false from the file on that is too much. */
export function countBytes(maximumBytes: number): (file: ParsedFile) => boolean {
  let total = 0;
  return (file) => {
    total += sizeOfFile(file);
    return total <= maximumBytes;
  };
}

/** What a repository says of which no file is read, for half a fleet would be worse (E_REPOSITORY_TOO_LARGE). */
export function tooLargeRepository(maximumBytes: number): Problem {
  const message = `the YAML and JSON files of the repository have more than ${maximumBytes / 1024} KiB together; none was read`;
  return { code: "E_REPOSITORY_TOO_LARGE", severity: "error", file: ".", line: 1, column: 1, message };
}

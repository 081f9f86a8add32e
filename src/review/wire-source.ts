import { maxFileBytes } from "../manifests/decode-text.ts";
import { createFileParser } from "../manifests/parse-file.ts";
import { findIgnoreFile, overlongIgnoreText, selectFiles, tooLargeFile } from "../manifests/select-files.ts";
import { isWithin, maxRepositorySize, tooLargeRepository } from "../manifests/repository-size.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { ParsedFile } from "../model/source.ts";
import type { SourceOptions } from "./read-source.ts";
import { isAppError } from "../core/errors.ts";

/** Earlier parse results of files. */
export interface ParsedFiles {
  /** The file as it was parsed when a file with this very content was, or undefined. */
  recall(path: string, blobId: string): ParsedFile | undefined;
  /** Takes in a file that was parsed now. */
  keep(file: ParsedFile): void;
}

/**
 * How the files of a commit are chosen and parsed, by the rules of the Repository as it is then. Of files whose blobs are among
 * the `parsedFiles`, these are taken and nothing is read. Default: every file is parsed.
 */
export function sourceOptions(
  repository: () => Repository | undefined,
  parsedFiles?: ParsedFiles,
): Omit<SourceOptions, "git"> {
  const parseFile = createFileParser();
  return {
    maximumBytes: maxFileBytes,
    fits: (size) => isWithin(size, maxRepositorySize),
    tooLargeRepository: (size) => tooLargeRepository(size, maxRepositorySize),
    selection: () => JSON.stringify(repository()?.spec.paths ?? []),
    ...(parsedFiles === undefined
      ? { parseFile }
      : {
          recall: ({ path, blobId }) => parsedFiles.recall(path, blobId),
          parseFile: (file) => {
            const parsed = parseFile(file);
            parsedFiles.keep(parsed);
            return parsed;
          },
        }),
    tooLarge: ({ path, blobId }) => tooLargeFile(path, blobId),
    selectFiles: async (files, readText) => {
      const paths = repository()?.spec.paths;
      const ignoreFile = findIgnoreFile(files);
      const ignoreText = ignoreFile ? await readBounded(() => readText(ignoreFile)) : undefined;
      return selectFiles(files, { ...(paths ? { paths } : {}), ...(ignoreText === undefined ? {} : { ignoreText }) });
    },
  };
}

async function readBounded(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (isAppError(error, "E_FILE_TOO_LARGE")) return overlongIgnoreText;
    throw error;
  }
}

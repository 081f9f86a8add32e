import type { ParsedFile } from "../model/source.ts";

/**
 * The file. JSON that cannot be read, and declared something `before`, has a problem that reports this. Other unreadable JSON
 * is of another program, and is nothing to report.
 */
export async function withBrokenJson(
  file: ParsedFile,
  before: () => ParsedFile | undefined | Promise<ParsedFile | undefined>,
): Promise<ParsedFile> {
  if (file.isUnreadable !== true) return file;
  const former = await before();
  if (former === undefined || !declares(former)) return file;
  return {
    ...file,
    isUnidentified: true,
    problems: [
      {
        code: "E_YAML",
        severity: "error",
        file: file.path,
        line: 1,
        column: 1,
        message: "the file is no JSON that can be read, and it declared objects before",
        fix: "Correct the file, or delete it if it shall declare nothing.",
      },
    ],
  };
}

function declares({ documents, brokenObjects, isUnidentified }: ParsedFile): boolean {
  return documents.length + brokenObjects.length > 0 || isUnidentified;
}

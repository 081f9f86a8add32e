import { countOf } from "../core/count-of.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { errorCodes } from "../core/error-codes.ts";
import { shellWord } from "../core/shell-word.ts";
import { compareNames } from "../core/compare-names.ts";
import { compareText } from "../core/compare-text.ts";

/** Something wrong in a file. Expected bad input is returned as these, never thrown. */
export interface Problem {
  readonly code: ErrorCode;
  readonly severity: "error" | "warning";
  /** Path in the repository, with forward slashes. */
  readonly file: string;
  /** 1-based; 1 when the problem is the file as a whole. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly message: string;
  /** The remedy, when it is more specific than that of the table of codes. */
  readonly fix?: string;
  /** The object concerned, as `Kind/namespace/name`, when it is known. */
  readonly object?: string;
}

/** What a person does about a problem. The words FILE and LINK in it become the path of its file, as a shell takes it. */
export function adviceOf({
  code,
  file,
  fix = errorCodes[code].remedy,
}: Pick<Problem, "code" | "file" | "fix">): string {
  return fix.replace(/\b(?:FILE|LINK)\b/gu, () => shellWord(file));
}

/** `2 errors and 1 warning`; what is 0 is left out. */
export function countProblems(errors: number, warnings: number, noun = "error"): string {
  const counts = [
    ...(errors > 0 ? [countOf(errors, noun)] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
  ];
  return counts.join(" and ");
}

/** Sorts by file, line, column, code: the order of every listing. */
export function compareProblems(a: Problem, b: Problem): number {
  return compareNames(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code);
}

/** Errors before warnings, each in their order: what is kept where not all are. */
export function errorsFirst(problems: readonly Problem[]): Problem[] {
  const isError = ({ severity }: Problem): boolean => severity === "error";
  return [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))];
}

/** What a change is to blame for: everything in files that it changed, and in others what was not there `before`. */
export function problemsOfChange(
  all: readonly Problem[],
  before: readonly Problem[],
  changed: { readonly has: (file: string) => boolean },
): Problem[] {
  const known = new Set(before.map(keyOf));
  return all.filter((problem) => changed.has(problem.file) || !known.has(keyOf(problem)));
}

function keyOf({ code, file, line, column, message }: Problem): string {
  return JSON.stringify([code, file, line, column, message]);
}

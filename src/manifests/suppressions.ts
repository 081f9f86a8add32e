import type { ErrorCode } from "../core/error-codes.ts";
import { errorCodes } from "../core/error-codes.ts";
import type { Problem } from "../model/problem.ts";
import { boundProblems } from "./bound-problems.ts";

/** A file as suppressions read it. */
interface CommentedFile {
  readonly path: string;
  readonly text: string;
}

/** What every comment that suppresses a warning has in it. */
export const suppressionMark = "rollcall-ignore";
const mark = /#\s*rollcall-ignore\b/gu;

/**
 * Removes warnings that a comment in their file suppresses, with its reason, on the same line or the one after it: `#
 * rollcall-ignore W_EMPTY_SELECTOR: the clusters come next week`. A comment without reason, for an unknown code or for
 * one that is no warning, or that suppresses nothing, is W_SUPPRESSION itself: it could hide a warning by mistake.
 */
export function applySuppressions(problems: readonly Problem[], files: readonly CommentedFile[]): Problem[] {
  const commented = files.filter(({ text }) => text.includes(suppressionMark));
  if (commented.length === 0) return [...problems];
  const suppressed = new Set<Problem>();
  const complaints: Problem[] = [];
  const byLine = new Map<string, Problem[]>();
  for (const problem of problems) {
    const there = byLine.get(lineKey(problem));
    if (there === undefined) byLine.set(lineKey(problem), [problem]);
    else there.push(problem);
  }
  for (const { path, text } of commented) {
    const lines = text.split(/\r?\n/u);
    const meant = meantLines(lines);
    lines.forEach((line, index) => {
      const comment = commentIn(line);
      if (comment === undefined) return;
      const { code, reason } = comment;
      const complain = (message: string): void => {
        complaints.push({
          code: "W_SUPPRESSION",
          severity: "warning",
          file: path,
          line: index + 1,
          column: comment.start + 1,
          message,
        });
      };
      if (code === undefined || !isErrorCode(code)) return complain("the comment names no code to ignore");
      if (reason === undefined) return complain(`the comment gives no reason to ignore ${code}`);
      const hits = byLine.get(lineKey({ file: path, line: (meant[index] ?? index) + 1, code })) ?? [];
      const warnings = hits.filter(({ severity }) => severity === "warning");
      if (hits.length > warnings.length) return complain(`${code} is an error here, and errors cannot be ignored`);
      if (hits.length === 0) return complain(`there is no ${code} to ignore here`);
      for (const problem of warnings) suppressed.add(problem);
    });
  }
  return [...problems.filter((problem) => !suppressed.has(problem)), ...boundProblems(complaints)];
}

interface SuppressingComment {
  /** Where it begins in its line. */
  readonly start: number;
  readonly code: string | undefined;
  readonly reason: string | undefined;
}

/** `# rollcall-ignore CODE: reason` at the end of a line. */
function commentIn(line: string): SuppressingComment | undefined {
  for (const { index, 0: text } of line.matchAll(mark)) {
    const rest = line.slice(index + text.length).trimStart();
    const code = /^[A-Z_]+/u.exec(rest)?.[0];
    const after = rest.slice(code?.length ?? 0).trimStart();
    const reason = after.startsWith(":") ? after.slice(1).trim() : undefined;
    if (after !== "" && reason === undefined) continue;
    return { start: index, code, reason: reason === "" ? undefined : reason };
  }
  return undefined;
}

function lineKey({ file, line, code }: Pick<Problem, "file" | "line" | "code">): string {
  return `${line} ${code} ${file}`;
}

/** The line that a comment on each line is about: its own, or the first one below that is neither empty nor a comment. */
function meantLines(lines: readonly string[]): number[] {
  const meant: number[] = [];
  let next: number | undefined;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const trimmed = (lines[index] ?? "").trimStart();
    const isComment = trimmed.startsWith("#");
    if (trimmed !== "" && !isComment) next = index;
    meant[index] = isComment ? (next ?? index) : index;
  }
  return meant;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

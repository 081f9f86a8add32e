import { printable } from "../../core/printable.ts";
import type { Problem } from "../../model/problem.ts";

/** The line of a problem as it may be shown, and where in it the problem is. */
export interface Excerpt {
  readonly line: string;
  /** Characters before the place. */
  readonly offset: number;
}

const longestLine = 160;
/** A line of such a file may contain a secret, which must not appear in a log. */
const secretFile = /\bSecret\b|\bsops\b|PRIVATE KEY/u;

/** A file as it is shown: none of its lines when it may hold a secret. */
interface ShownFile {
  readonly file: string;
  readonly lines: readonly string[] | undefined;
}

/**
 * The excerpts of problems; undefined for one that has none to show: a whole file is meant, or it may hold a secret. A file
 * is read through once for all of its problems that follow each other.
 */
export function excerptsFrom(textOf: (file: string) => string | undefined): (problem: Problem) => Excerpt | undefined {
  let shown: ShownFile | undefined;
  return (problem) => {
    if (shown?.file !== problem.file) shown = { file: problem.file, lines: shownLines(textOf(problem.file)) };
    return shown.lines && excerptOf(problem, shown.lines);
  };
}

function shownLines(text: string | undefined): readonly string[] | undefined {
  return text === undefined || text === "" || secretFile.test(text) ? undefined : text.split("\n");
}

function excerptOf({ line, column, code }: Problem, lines: readonly string[]): Excerpt | undefined {
  if (code === "E_PLAIN_SECRET") return undefined;
  const source = lines[line - 1]?.replace(/\r$/u, "");
  if (source === undefined || source.trim() === "") return undefined;
  const before = printable(source.slice(0, column - 1).replaceAll("\t", " "));
  const shown = printable(source.replaceAll("\t", " "));
  const start = before.length > longestLine - 40 ? before.length - 40 : 0;
  return { line: shown.slice(start, start + longestLine), offset: before.length - start };
}

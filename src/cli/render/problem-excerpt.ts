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

/** The excerpt of a problem; undefined where there is none to show: a whole file is meant, or it may hold a secret. */
export function excerptOf({ line, column, code }: Problem, text: string | undefined): Excerpt | undefined {
  if (text === undefined || text === "" || code === "E_PLAIN_SECRET" || secretFile.test(text)) return undefined;
  const source = text.split("\n", line)[line - 1]?.replace(/\r$/u, "");
  if (source === undefined || source.trim() === "") return undefined;
  const before = printable(source.slice(0, column - 1).replaceAll("\t", " "));
  const shown = before + printable(source.slice(column - 1).replaceAll("\t", " "));
  const start = before.length > longestLine - 40 ? before.length - 40 : 0;
  return { line: shown.slice(start, start + longestLine), offset: before.length - start };
}

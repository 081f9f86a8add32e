import { countOf } from "../../core/count-of.ts";
import { createColors } from "picocolors";
import { printable } from "../../core/printable.ts";
import { excerptsFrom } from "./problem-excerpt.ts";
import type { Problem } from "../../model/problem.ts";
import { adviceOf, countProblems } from "../../model/problem.ts";

export interface RenderOptions {
  readonly isColour: boolean;
  /** Text of a file, for excerpts; without it there are none. */
  readonly textOf?: (file: string) => string | undefined;
}

/**
 * Problems as text for people: `file:line:column CODE message`, the line with a mark, and what to do about it. Names from files
 * are made visible, so that none can write to the terminal by itself.
 */
export function renderProblems(problems: readonly Problem[], { isColour, textOf }: RenderOptions): string {
  const colours = createColors(isColour);
  const excerptOf = textOf && excerptsFrom(textOf);
  return problems
    .map((problem) => {
      const { file, line, column, code, severity, message } = problem;
      const place = colours.bold(`${shownPath(file)}:${line}:${column}`);
      const marked = severity === "error" ? colours.red(code) : colours.yellow(`${code} warning:`);
      const excerpt = excerptOf?.(problem);
      const number = String(line);
      const lines = excerpt
        ? [
            `    ${colours.dim(`${number} |`)} ${excerpt.line}`,
            `    ${colours.dim(`${" ".repeat(number.length)} |`)} ${" ".repeat(excerpt.offset)}${colours.red("^")}`,
          ]
        : [];
      return `${[`${place} ${marked} ${printable(message)}`, ...lines, `    ${colours.dim(`fix: ${printable(adviceOf(problem))}`)}`].join("\n")}\n`;
    })
    .join("");
}

/** Runners of workflows take a line that begins with `::`, blanks aside, for a command. */
function shownPath(file: string): string {
  return `${/^\s*::/u.test(file) ? "./" : ""}${printable(file)}`;
}

/** `4 problems in 3 files`, `1 warning in 1 file`, `no problems`. */
export function summarizeProblems(problems: readonly Problem[]): string {
  if (problems.length === 0) return "no problems";
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const files = new Set(problems.map(({ file }) => file)).size;
  return `${countProblems(errors, problems.length - errors, "problem")} in ${countOf(files, "file")}`;
}

import { printable } from "../../core/printable.ts";
import type { Problem } from "../../model/problem.ts";
import { adviceOf } from "../../model/problem.ts";

/**
 * Problems as workflow commands: GitHub (and Gitea, Forgejo) show them at their lines of a pull request.
 * Source: GitHub, workflow commands for GitHub Actions.
 */
export function renderGithub(problems: readonly Problem[]): string {
  return problems
    .map((problem) => {
      const { severity, file, line, column, code, message } = problem;
      const place = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
      return `::${severity} ${place}::${data(`${printable(message)}\n${printable(adviceOf(problem))}`)}\n`;
    })
    .join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(printable(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

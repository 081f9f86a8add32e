import type { Log } from "../core/log.ts";
import type { Problem } from "../model/problem.ts";
import { adviceOf } from "../model/problem.ts";

/** More at once are counted only: the status branch has them all. */
const maxLines = 100;

/** Takes in the problems of a commit. */
export type ProblemReporter = (problems: readonly Problem[], commit: string) => void;

/**
 * Logs problems of files with their remedies, each once: one line when it appears, and another if it reappears. Texts of
 * files are in `message` only as far as the problem quotes them.
 */
export function createProblemReporter(log: Log): ProblemReporter {
  let reported = new Set<string>();
  return (problems, commit) => {
    const keys = problems.map((problem) => JSON.stringify(problem));
    const news = problems.filter((_, index) => !reported.has(keys[index] ?? ""));
    for (const { severity, ...problem } of news.slice(0, maxLines))
      log[severity === "error" ? "error" : "warn"]("a file has a problem", {
        ...problem,
        fix: adviceOf(problem),
        commit,
      });
    if (news.length > maxLines) log.warn("more files have problems", { count: news.length - maxLines, commit });
    reported = new Set(keys);
  };
}

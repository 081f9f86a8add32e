import { countOf } from "../core/count-of.ts";
import type { Problem } from "../model/problem.ts";

/** Problems of all files together that are kept. */
export const maxProblems = 2000;

/**
 * The first problems of a list in the order of listings, errors before warnings if some are dropped; the last one
 * states the number of dropped ones. A pull request may have a hundred thousand.
 */
export function boundProblems(problems: readonly Problem[], most = maxProblems): readonly Problem[] {
  if (problems.length <= most) return problems;
  const errors = problems.filter(({ severity }) => severity === "error");
  const room = most - Math.min(errors.length, most);
  let warnings = 0;
  let kept = 0;
  const first = problems.filter(({ severity }) => {
    if (severity === "error" ? kept >= most : warnings >= room) return false;
    if (severity === "error") kept += 1;
    else warnings += 1;
    return true;
  });
  // Warnings are kept only where no error is dropped.
  const last = first.findLast(({ severity }) => severity === "warning") ?? first.at(-1);
  if (last === undefined) return first;
  const { code, severity, file, line, column } = last;
  const message = `and ${countOf(problems.length - first.length, "more problem")} in these files`;
  return [...first, { code, severity, file, line, column, message }];
}

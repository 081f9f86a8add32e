import type { Issue } from "./expression.ts";

/** Each is shown with its line. */
const mostShown = 100;

/**
 * The first issues that were found in a text, in its order, each with its line and a mark below it, and how many more there are.
 * Source: cel-go 0.26, common errors.
 */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  const shown = issues.slice(0, mostShown).sort((left, right) => left.position - right.position);
  const texts = shown.map((issue) => describeIssue(text, issue));
  if (issues.length > mostShown) texts.push(`${issues.length - mostShown} more errors were truncated`);
  return texts.join("\n");
}

function describeIssue(text: string, { position, message }: Issue): string {
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  const start = before.lastIndexOf("\n") + 1;
  const end = text.indexOf("\n", start);
  const snippet = text.slice(start, end < 0 ? text.length : end).replaceAll("\t", " ");
  const column = [...text.slice(start, position)].length;
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  return `${head}\n | ${snippet}\n | ${".".repeat(column)}^`;
}

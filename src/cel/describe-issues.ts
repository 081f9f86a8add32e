import type { Issue } from "./expression.ts";

/**
 * All issues of a text, each with its line and a mark below it. Source: cel-go 0.26, common errors.
 */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  return [...issues]
    .sort((left, right) => left.position - right.position)
    .map((issue) => describeIssue(text, issue))
    .join("\n");
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

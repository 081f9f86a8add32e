import type { Issue } from "./expression.ts";

/** Why a text is no expression. */
export class SyntaxIssue extends Error {
  readonly issue: Issue;

  constructor(position: number, message: string) {
    super(message);
    this.issue = { position, message };
  }
}

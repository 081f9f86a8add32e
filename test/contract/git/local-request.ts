import type { CommitRequest } from "../../../src/git/git.ts";

/** A commit of these files. */
export function request(branch: string, parent: string | undefined, files: Record<string, string>): CommitRequest {
  const author = { name: "Rollcall", email: "rollcall@example.org" };
  const changes = new Map(Object.entries(files));
  return { branch, parent, changes, message: "status\n", author, committedAtMs: 1_800_000_000_000 };
}

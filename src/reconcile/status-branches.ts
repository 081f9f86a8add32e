import type { Repository } from "../model/generated/repository.ts";

/** Identity of the daemon's own commits. */
export const statusAuthor = { name: "Rollcall", email: "rollcall@rollcall.dev" } as const;

/** Where the status is written when a Repository names no branch. */
export const defaultStatusBranch = "rollcall/status";

/** Where the commits are that were on a status branch before it began anew. */
export function pastBranchOf(branch: string): string {
  return `${branch}-past`;
}

/** Where the status of a Repository is written, and where its past is. */
export function statusBranchesOf(repository: Repository | undefined): readonly [status: string, past: string] {
  const { branch = defaultStatusBranch } = repository?.spec.writeBack ?? {};
  return [branch, pastBranchOf(branch)];
}

const continues = "Rollcall-Continues: ";

/** The trailer of a first commit that represents another one and all before it. */
export function continuesTrailer(commit: string): string {
  return `${continues}${commit}`;
}

/** The commit that a first commit represents; undefined when it represents none. */
export function continuedCommit(message: string): string | undefined {
  const line = message.split("\n").find((each) => each.startsWith(continues)) ?? "";
  const id = line.slice(continues.length);
  return isCommitId(id) ? id : undefined;
}

/** Whether a text has the form of a whole id. */
export function isCommitId(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(text);
}

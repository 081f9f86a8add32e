import { AppError } from "../core/errors.ts";
import { countOf } from "../core/count-of.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { Repository } from "../model/generated/repository.ts";

export interface ApprovalRequest {
  /** The commit as a person types it: at least seven digits of its id. */
  readonly commit: string;
  readonly count: number;
}

/**
 * Checks an approval against what is withheld now, and says what it will do.
 * @returns the whole id of the commit and a sentence
 * @throws E_APPROVAL when the approval would let nothing through: the message says why and what to type
 */
export function checkApproval(
  { status, metadata }: Repository,
  { commit, count }: ApprovalRequest,
): { readonly commit: string; readonly message: string } {
  const repository = `${metadata.namespace}/${metadata.name}`;
  const withheld = status?.withheld;
  if (!withheld || withheld.count === 0) throw refuse(`no removal of Repository ${repository} is withheld`);
  const { commit: head = "", approvable, objects = [] } = withheld;
  if (approvable === undefined)
    throw refuse(
      `an approval does not let ${countOf(withheld.count, "withheld removal")} through (${withheld.reason})`,
    );
  const advice = `type: rollcall approve-deletions ${shortCommit(head)} ${approvable}`;
  if (!head.startsWith(commit)) {
    const isOld = (status.recentCommits ?? []).some((recent) => recent.commit.startsWith(commit));
    const what = isOld
      ? `commit ${commit} is superseded: the removals are withheld at ${shortCommit(head)}`
      : `${commit} is not the commit that removals are withheld at`;
    throw refuse(`${what}. Check what it removes (rollcall plan), then ${advice}`);
  }
  if (count < approvable)
    throw refuse(
      `${approvable} removals are withheld, and ${count} are too few: none would be removed. If all are meant, ${advice}`,
    );
  const named = objects.slice(0, 5).join(", ");
  const more = objects.length < withheld.count || objects.length > 5 ? ", ..." : "";
  return {
    commit: head,
    message: `${approvable} withheld removals of commit ${shortCommit(head)} are approved (${named}${more}). The daemon removes them with its next run. The approval does not hold for a later commit.`,
  };
}

function refuse(reason: string): AppError {
  return new AppError("E_APPROVAL", `approve removals: ${reason}`);
}

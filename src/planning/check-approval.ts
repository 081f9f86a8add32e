import { AppError } from "../core/errors.ts";
import { countOf, oneOrMany } from "../core/count-of.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { Repository } from "../model/generated/repository.ts";
import { explainHold } from "./plan-words.ts";

/** Names of removals in a message; the rest is counted. */
const mostNamed = 5;

export interface ApprovalRequest {
  /** The commit as a person types it: at least seven digits of its id. */
  readonly commit: string;
  readonly count: number;
}

/**
 * Checks an approval against the withheld changes, and describes its effect.
 * @returns the whole id of the commit and a sentence
 * @throws E_APPROVAL when the approval would allow no change: the message has the reason and the command to type
 */
export function checkApproval(
  { spec, status, metadata }: Repository,
  { commit, count }: ApprovalRequest,
): { readonly commit: string; readonly message: string } {
  const repository = `${metadata.namespace}/${metadata.name}`;
  const withheld = status?.withheld;
  if (!withheld || withheld.count === 0) throw refuse(`no removal of Repository ${repository} is withheld`);
  const { commit: head = "", approvable, objects = [] } = withheld;
  if (approvable === undefined)
    throw refuse(
      `an approval does not let ${countOf(withheld.count, "withheld removal")} through: ${explainHold(withheld.reason ?? "")}`,
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
      `${countOf(approvable, "removal")} ${oneOrMany(approvable, "is", "are")} withheld, and ${count} ${oneOrMany(count, "is", "are")} too few: none would be removed. If all are meant, ${advice}`,
    );
  // Those that an approval lets through come first. Of tokens, groups and Secrets none is counted.
  const most = approvable === 0 ? withheld.count : approvable;
  const named = objects.slice(0, Math.min(mostNamed, most));
  const more = most > named.length ? `${named.length === 0 ? "" : " and "}${most - named.length} more` : "";
  const what = countOf(most, approvable === 0 ? "withheld deletion" : "withheld removal");
  const when =
    spec.suspend === true
      ? "The Repository is suspended: the first run after it is resumed"
      : "The next run of the daemon";
  const others = withheld.count - most;
  const rest =
    others === 0
      ? ""
      : ` ${others} more of the ${withheld.count} ${oneOrMany(others, "is a token, group or Secret, which no approval counts, or waits", "are tokens, groups or Secrets, which no approval counts, or wait")} for another reason: see rollcall status.`;
  return {
    commit: head,
    message: `${what} of commit ${shortCommit(head)} ${oneOrMany(most, "is", "are")} approved (${named.join(", ")}${more}). ${when} removes ${oneOrMany(most, "it", "them")}. The approval does not count for a later commit.${rest}`,
  };
}

function refuse(reason: string): AppError {
  return new AppError("E_APPROVAL", `approve removals: ${reason}`);
}

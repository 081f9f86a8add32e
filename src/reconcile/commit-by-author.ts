import { appendAll } from "../core/append-all.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { CommitPerson } from "../planning/written-by.ts";
import { authorOf } from "../planning/written-by.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import { changeMessage } from "./change-message.ts";
import { changedFiles } from "./changed-files.ts";
import { statusAuthor } from "./status-branches.ts";

/** Changes of more authors than this are one commit of Rollcall, whose trailers name the users. */
const mostAuthors = 3;

/** Changes to commit, and the branch that gets them. */
export interface AuthoredCommits {
  readonly branch: string;
  /** What the first commit is made on. */
  readonly snapshot: Pick<SourceSnapshot, "commit" | "parsed">;
  readonly changes: readonly HubChange[];
  readonly hubId: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** A commit that was pushed, and the changes in it. */
export interface AuthoredCommit {
  readonly commit: string;
  readonly committed: readonly HubChange[];
}

/**
 * Commits and pushes the changes of each author, one commit after the other. What no single user made is of Rollcall, which is
 * the committer of all. Each commit is there when it is yielded, so an error leaves the later ones out.
 * @throws as GitEngine.commitAndPush
 */
export async function* commitByAuthor(
  git: Pick<GitEngine, "commitAndPush">,
  { branch, snapshot, changes, hubId, nowMs, signal }: AuthoredCommits,
): AsyncGenerator<AuthoredCommit> {
  let parent = snapshot.commit.id;
  const done: HubChange[] = [];
  for (const { author, committed } of groupsOf(changes)) {
    appendAll(done, committed);
    parent = await git.commitAndPush({
      branch,
      parent,
      // Two authors may have changed one file: it has the changes of those before, too.
      changes: changedFiles(done, snapshot),
      message: changeMessage(committed, hubId),
      author,
      committer: statusAuthor,
      committedAtMs: nowMs,
      signal,
    });
    yield { commit: parent, committed };
  }
}

function groupsOf(
  changes: readonly HubChange[],
): readonly { readonly author: CommitPerson; readonly committed: readonly HubChange[] }[] {
  const groups = new Map<string, { readonly author: CommitPerson; readonly committed: HubChange[] }>();
  for (const change of changes) {
    const author = authorOf(change.users) ?? statusAuthor;
    const group = groups.get(author.email) ?? { author, committed: [] };
    groups.set(author.email, group);
    group.committed.push(change);
  }
  return groups.size > mostAuthors ? [{ author: statusAuthor, committed: changes }] : [...groups.values()];
}

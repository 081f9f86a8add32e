import type { JSX } from "preact";
import { shortCommit } from "../../../../core/short-commit.ts";
import type { CommitSummary } from "../../../../model/generated/page-api.ts";
import { LinkOut } from "./link-out.tsx";
import { When } from "./when.tsx";

/** A commit in one line: its subject, who wrote it, when. */
export function Commit({ commit }: { readonly commit: CommitSummary }): JSX.Element {
  const { subject, author, committed } = commit;
  return (
    <span class="commit">
      <CommitId commit={commit} />
      {subject !== undefined && <span class="subject">{subject}</span>}
      {author !== undefined && <span class="soft">{author}</span>}
      {committed !== undefined && (
        <span class="soft">
          <When time={committed} />
        </span>
      )}
    </span>
  );
}

export function CommitId({ commit: { id, link } }: { readonly commit: CommitSummary }): JSX.Element {
  return (
    <LinkOut href={link}>
      <code title={id}>{shortCommit(id)}</code>
    </LinkOut>
  );
}

import type { JSX } from "preact";
import type { RecordCommit as RecordCommitOf } from "../../../../model/generated/page-api.ts";
import { Commit, CommitId } from "./commit.tsx";

/** A commit of the status branch and the source commit that it has worked in, with the user that made or merged that one. */
export function RecordCommit({ commit }: { readonly commit: RecordCommitOf }): JSX.Element {
  const { source } = commit;
  return (
    <p class="record-commit">
      {source && (
        <span>
          <span class="soft">By</span> <Commit commit={source} />
        </span>
      )}
      <span class="soft">
        recorded in <CommitId commit={commit} />
      </span>
    </p>
  );
}

import type { JSX } from "preact";
import type { RepositorySummary } from "../../../../model/generated/page-api.ts";
import { Commit } from "./commit.tsx";
import { LinkOut } from "./link-out.tsx";

/** The state of git and whether the hub has it, in two lines. */
export function RepositoryLine({ repository }: { readonly repository: RepositorySummary }): JSX.Element {
  const { url, branch, link, state, message, observed, applied, writeBackFailure } = repository;
  const isBehind = observed !== undefined && observed.id !== applied?.id;
  return (
    <div class="repository-line">
      <p class="soft">
        <LinkOut href={link}>{url}</LinkOut> · branch {branch}
      </p>
      {applied ? (
        <p>
          <span class="tag ready">Applied</span> <Commit commit={applied} />
        </p>
      ) : (
        <p class="soft">Nothing is applied yet.</p>
      )}
      {isBehind && (
        <p>
          <span class={`tag ${state === "stalled" ? "notReady" : "unknown"}`}>
            {state === "stalled" ? "Stuck" : "On its way"}
          </span>{" "}
          <Commit commit={observed} />
        </p>
      )}
      {state === "stalled" && <p class="failure">{message}</p>}
      {writeBackFailure !== undefined && <p class="failure">The status branch is not written: {writeBackFailure}</p>}
    </div>
  );
}

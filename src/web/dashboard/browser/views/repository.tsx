import type { JSX } from "preact";
import type { CommitView, RepositoryDetail, WithheldNotice } from "../../../../model/generated/page-api.ts";
import { goTo } from "../data/navigation.ts";
import { offersOfRepository } from "../data/action-offers.ts";
import { Actions } from "../parts/actions.tsx";
import { Answer } from "../parts/answer.tsx";
import { Card } from "../parts/card.tsx";
import { ChangeList } from "../parts/change-list.tsx";
import { Commit } from "../parts/commit.tsx";
import { LinkOut } from "../parts/link-out.tsx";
import { Problems } from "../parts/problems.tsx";
import { WaitingFiles } from "../parts/waiting-files.tsx";
import { WithheldRows } from "../parts/withheld.tsx";
import { RepositoryLine } from "../parts/repository-line.tsx";
import { formatSeconds } from "../data/time.ts";
import { count } from "../data/words.ts";
import { useAnswer } from "../data/use-live.ts";

/** The repository: its last commits, what each did, and what waits. */
export function RepositoryView(): JSX.Element {
  const repository = useAnswer<RepositoryDetail>("repository", { parts: ["repository"] });
  return (
    <>
      <h1>Repository</h1>
      <Answer of={repository}>{(detail) => <Repository detail={detail} />}</Answer>
    </>
  );
}

function Repository({ detail }: { readonly detail: RepositoryDetail }): JSX.Element {
  const { summary, commits, pending, branches } = detail;
  const { errors, warnings, problems, waiting, withheld } = summary;
  return (
    <>
      <RepositoryLine repository={summary} />
      <Actions offers={offersOfRepository(summary)} />
      {withheld && (
        <Card title={count(withheld.count, "removal waits", "removals wait")} tone="bad">
          {pending ? <WithheldRows plan={pending} /> : <PendingElsewhere withheld={withheld} />}
        </Card>
      )}
      {waiting && <WaitingFiles waiting={waiting} />}
      {problems.length > 0 && (
        <Card
          title="Problems in files"
          aside={`${count(errors, "error")}, ${count(warnings, "warning")}`}
          tone={errors > 0 ? "bad" : "warn"}
        >
          <Problems problems={problems} />
        </Card>
      )}
      <Card title="Plan a branch">
        <BranchForm branches={branches} />
      </Card>
      <Card title="Last commits" aside={commits.length}>
        <ol class="commits">
          {commits.map((commit) => (
            <CommitItem key={commit.commit.id} view={commit} />
          ))}
        </ol>
      </Card>
    </>
  );
}

/** What waits by the plan of another replica, which this one has not made: the first of it. */
function PendingElsewhere({ withheld }: { readonly withheld: WithheldNotice }): JSX.Element {
  const { objects, count: all, message } = withheld;
  return (
    <>
      <ul class="removals">
        {objects.map((object) => (
          <li key={object}>
            <strong>{object}</strong>
          </li>
        ))}
      </ul>
      {all > objects.length && <p class="soft">And {all - objects.length} more.</p>}
      <p>{message}</p>
    </>
  );
}

function BranchForm({ branches }: { readonly branches: readonly string[] }): JSX.Element {
  const plan = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const branch = new FormData(event.currentTarget).get("branch");
    if (typeof branch === "string" && branch.trim() !== "")
      goTo(`/repository/plan?branch=${encodeURIComponent(branch.trim())}`);
  };
  return (
    <>
      <form class="branch-form" onSubmit={plan}>
        <label>
          Branch{" "}
          <input
            name="branch"
            list="branches"
            placeholder="a branch or a pull request's head"
            required
            spellcheck={false}
          />
        </label>
        <datalist id="branches">
          {branches.map((branch) => (
            <option key={branch} value={branch} />
          ))}
        </datalist>
        <button type="submit">Show what merging it would do</button>
      </form>
      {branches.length > 0 && (
        <p class="branches">
          {branches.slice(0, 30).map((branch) => (
            <a key={branch} class="label" href={`/repository/plan?branch=${encodeURIComponent(branch)}`}>
              {branch}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

const tones = { Applied: "ready", Partial: "unknown", Withheld: "notReady", Failed: "notReady" } as const;

function CommitItem({ view }: { readonly view: CommitView }): JSX.Element {
  const { commit, outcome, message, tookSeconds, files, fileCount, changes, changeCount } = view;
  return (
    <li>
      <div class="commit-head">
        {outcome && <span class={`tag ${tones[outcome]}`}>{outcome}</span>}
        <Commit commit={commit} />
        {tookSeconds !== undefined && outcome === "Applied" && (
          <span class="soft">took {formatSeconds(tookSeconds)}</span>
        )}
      </div>
      {message !== undefined && <p class="failure">{message}</p>}
      {(fileCount > 0 || changes !== undefined) && (
        <details>
          <summary>
            {count(fileCount, "file")}
            {changeCount !== undefined && `, ${count(changeCount, "change")} on the hub`}
          </summary>
          <ul class="files">
            {files.map(({ path, kind, link }) => (
              <li key={path} class={kind}>
                <span class="soft">{kind}</span>{" "}
                <LinkOut href={link}>
                  <code>{path}</code>
                </LinkOut>
              </li>
            ))}
          </ul>
          {fileCount > files.length && <p class="soft">And {fileCount - files.length} more.</p>}
          {changes !== undefined && <ChangeList changes={changes} count={changeCount ?? changes.length} />}
        </details>
      )}
    </li>
  );
}

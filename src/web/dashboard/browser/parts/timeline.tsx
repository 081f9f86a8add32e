import type { JSX } from "preact";
import type { ClusterTimeline } from "../../../../model/generated/page-api.ts";
import { useAnswer } from "../data/use-live.ts";
import { historyPath } from "../data/routes.ts";
import { Answer } from "./answer.tsx";
import { RecordChanges } from "./record-changes.tsx";
import { RecordCommit } from "./record-commit.tsx";
import { When } from "./when.tsx";

/** What happened to a cluster, from the commits of the status branch, the newest first. */
export function Timeline({ workspace, name }: { readonly workspace: string; readonly name: string }): JSX.Element {
  const path = `timeline/${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
  const timeline = useAnswer<ClusterTimeline>(path, { parts: ["repository"] });
  return <Answer of={timeline}>{(value) => <Entries timeline={value} />}</Answer>;
}

function Entries({ timeline: { entries, isCut } }: { readonly timeline: ClusterTimeline }): JSX.Element {
  if (entries.length === 0)
    return <p class="soft">No commit of the status branch has changed it{isCut ? " lately" : " yet"}.</p>;
  return (
    <>
      <ol class="timeline">
        {entries.map(({ time, commit, changes }) => (
          <li key={`${time} ${commit?.id ?? ""}`}>
            {commit === undefined ? (
              <When time={time} />
            ) : (
              <a href={historyPath({ at: commit.id })}>
                <When time={time} />
                <span class="unseen"> the fleet then</span>
              </a>
            )}
            <div>
              <RecordChanges changes={changes} />
              {commit && <RecordCommit commit={commit} />}
            </div>
          </li>
        ))}
      </ol>
      {isCut && <p class="soft">What is older is on the status branch.</p>}
    </>
  );
}

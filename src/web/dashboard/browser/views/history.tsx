import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FleetThen, RecordCommit as RecordCommitOf, RecordList } from "../../../../model/generated/page-api.ts";
import { goTo } from "../data/navigation.ts";
import { clusterPath, historyPath } from "../data/routes.ts";
import type { Baseline } from "../data/then-choice.ts";
import { baselineNames, baselineOf, baselines, isListed, placeOf, readBaseline } from "../data/then-choice.ts";
import { formatExactly } from "../data/time.ts";
import { useAnswer } from "../data/use-live.ts";
import { count } from "../data/words.ts";
import { Answer, Notice } from "../parts/answer.tsx";
import { Card } from "../parts/card.tsx";
import { RecordChanges } from "../parts/record-changes.tsx";
import { RecordCommit } from "../parts/record-commit.tsx";
import { ShareBar } from "../parts/share-bar.tsx";
import { When } from "../parts/when.tsx";

/** The fleet as it was at a commit of the status branch. The address has the commit, so that a link shows the same. */
export function HistoryView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const records = useAnswer<RecordList>("records", { parts: ["repository"] });
  return (
    <>
      <h1>History</h1>
      <Answer of={records}>
        {({ commits, isCut }) =>
          commits.length === 0 ? (
            <p class="soft">Nothing is recorded yet: the status branch has no commit.</p>
          ) : (
            <Past commits={commits} isCut={isCut} query={query} />
          )
        }
      </Answer>
    </>
  );
}

interface PastProps {
  readonly commits: readonly RecordCommitOf[];
  readonly isCut: boolean;
  readonly query: URLSearchParams;
}

function Past({ commits, isCut, query }: PastProps): JSX.Element {
  const place = placeOf(commits, query.get("at"));
  const baseline = readBaseline(query.get("with"));
  const at = commits[place]?.id ?? "";
  const wanted = query.get("at");
  const go = (next: { readonly place?: number; readonly baseline?: Baseline }): void =>
    goTo(historyPath({ at: commits[next.place ?? place]?.id ?? at, baseline: next.baseline ?? baseline }), {
      isReplacing: true,
    });
  const from = baselineOf(commits, place, baseline);
  const then = useAnswer<FleetThen>(
    `records/fleet?${new URLSearchParams({ at, ...(from === undefined ? {} : { from }) }).toString()}`,
  );
  return (
    <>
      {wanted !== null && !isListed(commits, wanted) && (
        <Notice
          tone="bad"
          text={`Commit ${wanted.slice(0, 12)} is not among the ${count(commits.length, "commit")} of the status branch that are read. What you see is the newest one.`}
        />
      )}
      <Card
        title="When"
        aside={isCut ? `the last ${count(commits.length, "commit")}` : count(commits.length, "commit")}
      >
        <Slider commits={commits} place={place} onMoved={(moved) => go({ place: moved })} />
        <p class="compared">
          <label>
            Compared with{" "}
            <select
              value={baseline}
              onChange={({ currentTarget }) => go({ baseline: readBaseline(currentTarget.value) })}
            >
              {baselines.map((name) => (
                <option key={name} value={name}>
                  {baselineNames[name]}
                </option>
              ))}
            </select>
          </label>
        </p>
      </Card>
      <Answer of={then}>{(fleet) => <Then fleet={fleet} />}</Answer>
    </>
  );
}

interface SliderProps {
  readonly commits: readonly RecordCommitOf[];
  /** In the list, newest first. */
  readonly place: number;
  readonly onMoved: (place: number) => void;
}

/** The oldest commit is on the left. While it is dragged it only shows its place; the fleet is read when it is released. */
function Slider({ commits, place, onMoved }: SliderProps): JSX.Element {
  const last = commits.length - 1;
  const [shown, setShown] = useState(place);
  useEffect(() => setShown(place), [place]);
  const commit = commits[shown];
  const time = formatExactly(commit?.committed ?? "");
  // Not by `disabled`: the button that leads to the last place has the focus, and would lose it.
  const move = (next: number): void => {
    if (next >= 0 && next <= last) onMoved(next);
  };
  return (
    <div class="slider">
      <button type="button" class="quiet" aria-disabled={place === last} onClick={() => move(place + 1)}>
        Earlier
      </button>
      <input
        type="range"
        aria-label="Commit of the status branch"
        aria-valuetext={`${time}. ${commit?.subject ?? ""}`}
        min={0}
        max={last}
        value={last - shown}
        onInput={({ currentTarget }) => setShown(last - currentTarget.valueAsNumber)}
        onChange={({ currentTarget }) => onMoved(last - currentTarget.valueAsNumber)}
      />
      <button type="button" class="quiet" aria-disabled={place === 0} onClick={() => move(place - 1)}>
        Later
      </button>
      <p>
        <strong>{time}</strong> {commit?.subject}
      </p>
    </div>
  );
}

function Then({ fleet: { at, from, states, clusters, clusterCount } }: { readonly fleet: FleetThen }): JSX.Element {
  const more = clusterCount - clusters.length;
  return (
    <>
      <section class="headline" aria-label="The fleet then">
        <p class="soft">
          The fleet <When time={at.committed} />
        </p>
        <RecordCommit commit={at} />
        {states && <ShareBar states={states} isPast />}
      </section>
      <Card
        title={from ? `What changed since ${formatExactly(from.committed ?? "")}` : "What this commit changed"}
        aside={count(clusterCount, "cluster")}
      >
        {clusters.length === 0 && <p class="soft">The record of no cluster.</p>}
        <ul class="clusters-then">
          {clusters.map(({ workspace, name, changes }) => (
            <li key={`${workspace}/${name}`}>
              <h3>
                <a href={clusterPath({ workspace, name })}>{name}</a> <span class="soft">{workspace}</span>
              </h3>
              <RecordChanges changes={changes} />
            </li>
          ))}
        </ul>
        {more > 0 && <p class="soft">And {count(more, "further record")}.</p>}
      </Card>
    </>
  );
}

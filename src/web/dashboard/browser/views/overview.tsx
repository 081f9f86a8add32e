import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { oneOrMany } from "../../../../core/count-of.ts";
import type {
  FleetHistory,
  FleetOverview,
  ReasonCount,
  Session,
  StateSeries,
} from "../../../../model/generated/page-api.ts";
import { termText } from "../../../../model/filter/edit-filter.ts";
import { clustersPath } from "../data/routes.ts";
import { offersOfWithheld } from "../data/action-offers.ts";
import { Actions } from "../parts/actions.tsx";
import { Answer } from "../parts/answer.tsx";
import { Card } from "../parts/card.tsx";
import { HubAway, hubAwayEveryMs } from "../parts/hub-away.tsx";
import { HubObjects } from "../parts/hub-objects.tsx";
import type { Line } from "../parts/plot.tsx";
import { Plot } from "../parts/plot.tsx";
import { Problems } from "../parts/problems.tsx";
import { RepositoryLine } from "../parts/repository-line.tsx";
import { ShareBar } from "../parts/share-bar.tsx";
import { State } from "../parts/state.tsx";
import { TokenLife } from "../parts/token-life.tsx";
import { formatSeconds } from "../data/time.ts";
import { count, howToBegin } from "../data/words.ts";
import { useAnswer } from "../data/use-live.ts";

const historyEveryMs = 60_000;

/** The fleet at one glance: how many are well, the state of the repository, what needs attention. */
export function OverviewView({ session }: { readonly session: Session }): JSX.Element {
  const overview = useAnswer<FleetOverview>("fleet", {
    parts: ["fleet", "repository", "tokens"],
    everyMs: hubAwayEveryMs,
  });
  return (
    <Answer of={overview}>
      {(fleet) => (
        <>
          <Headline fleet={fleet} />
          <div class="columns">
            <div>
              <NeedsAttention fleet={fleet} />
              {fleet.hubObjects && <HubObjects hubObjects={fleet.hubObjects} />}
              <TokensEnding fleet={fleet} />
            </div>
            <div>{session.canSeeFleet && <History />}</div>
          </div>
        </>
      )}
    </Answer>
  );
}

function Headline({ fleet }: { readonly fleet: FleetOverview }): JSX.Element {
  const { states = [], repository, hubAwaySince } = fleet;
  return (
    <section class="headline" aria-label="The fleet">
      {hubAwaySince !== undefined && <HubAway since={hubAwaySince} />}
      <h1>{describeCounts(fleet)}</h1>
      {repository && <RepositoryLine repository={repository} />}
      {states.length > 0 && <ShareBar states={states} />}
    </section>
  );
}

function describeCounts({ counts: { clusters, ready } }: FleetOverview): string {
  if (clusters === 0) return "No cluster is declared yet";
  if (ready === clusters)
    return oneOrMany(clusters, "The one cluster is ready", `All ${count(clusters, "cluster")} are ready`);
  return `${ready.toLocaleString("en")} of ${count(clusters, "cluster")} ${oneOrMany(clusters, "is", "are")} ready`;
}

function NeedsAttention({ fleet }: { readonly fleet: FleetOverview }): JSX.Element {
  const { reasons, repository, counts } = fleet;
  const { errors = 0, warnings = 0, problems = [], withheld } = repository ?? {};
  const isStuck = repository?.state === "stalled" && errors === 0 && withheld === undefined;
  const isCalm = reasons.length + errors + warnings + counts.waiting === 0 && !isStuck && withheld === undefined;
  return (
    <>
      {withheld && (
        <Card title={count(withheld.count, "removal waits", "removals wait")} tone="bad">
          <p>{withheld.message}</p>
          <p class="soft">{withheld.objects.slice(0, 6).join(", ")}</p>
          <Actions offers={offersOfWithheld(repository ?? {})} />
          <p>
            <a href="/repository">See what would go</a>
          </p>
        </Card>
      )}
      {(isCalm || isStuck || reasons.length + counts.waiting > 0) && (
        <Card title="Needs attention">
          {isCalm && (
            <p class="soft">
              {counts.clusters === 0 ? howToBegin : "Nothing. Every cluster is ready and every file is in order."}
            </p>
          )}
          {isStuck && (
            <p>
              <a href="/repository">The repository</a>: {repository.message}
            </p>
          )}
          {reasons.length > 0 && <Reasons reasons={reasons} />}
          {counts.waiting > 0 && (
            <p>
              <a href="/tokens">
                {count(counts.waiting, "request")} to join {oneOrMany(counts.waiting, "waits", "wait")} for an answer
              </a>
            </p>
          )}
        </Card>
      )}
      {errors + warnings > 0 && (
        <Card
          title="Problems in files"
          aside={`${count(errors, "error")}, ${count(warnings, "warning")}`}
          tone={errors > 0 ? "bad" : "warn"}
        >
          <Problems problems={problems} />
        </Card>
      )}
    </>
  );
}

function Reasons({ reasons }: { readonly reasons: readonly ReasonCount[] }): JSX.Element {
  return (
    <ul class="reasons">
      {reasons.map(({ reason, state, phase = state, count: clusters }) => (
        <li key={`${phase} ${reason}`}>
          <a href={clustersPath(`${termText("state", phase)} ${termText("reason", reason)}`)}>
            <State of={state} word={phase} /> <strong>{clusters.toLocaleString("en")}</strong> {reason}
          </a>
        </li>
      ))}
    </ul>
  );
}

function TokensEnding({ fleet: { tokens } }: { readonly fleet: FleetOverview }): JSX.Element | null {
  if (tokens.length === 0) return null;
  return (
    <Card title="Tokens by time left" aside={<a href="/tokens">All tokens</a>}>
      <ul class="token-lives">
        {tokens.map((token) => (
          <li key={`${token.workspace}/${token.name}`}>
            <span>
              {token.workspace}/{token.name}
            </span>
            <TokenLife token={token} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function History(): JSX.Element {
  const history = useAnswer<FleetHistory>("history", { parts: ["repository"], everyMs: historyEveryMs });
  return <Answer of={history}>{(value) => <HistoryPlots history={value} />}</Answer>;
}

function HistoryPlots({ history }: { readonly history: FleetHistory }): JSX.Element {
  const { times, ready, states, commits } = history;
  const lines = useMemo(() => linesOf(states ?? []), [history]);
  const took = useMemo(
    () => [
      { label: "Seconds to applied", colour: "accent", values: commits.map(({ seconds }) => seconds), isPoints: true },
    ],
    [history],
  );
  const median = [...commits].sort((a, b) => a.seconds - b.seconds)[Math.floor(commits.length / 2)]?.seconds;
  return (
    <>
      <Card title="Clusters by state, the last day" aside={<a href="/history">Earlier</a>}>
        <Plot title={`Clusters by state over time; now ${ready.at(-1) ?? 0} are ready`} times={times} lines={lines} />
      </Card>
      <Card title="From commit to applied" aside={median === undefined ? undefined : `median ${formatSeconds(median)}`}>
        {commits.length === 0 ? (
          <p class="soft">No commit came since the daemon started.</p>
        ) : (
          <Plot
            title={`How long ${count(commits.length, "commit")} took from commit to applied`}
            times={commits.map(({ time }) => time)}
            lines={took}
            unit=" s"
          />
        )}
      </Card>
    </>
  );
}

/** A line a state. Those of one colour differ in their dashes. */
function linesOf(series: readonly StateSeries[]): Line[] {
  return series.map(({ phase, state, counts }, index) => ({
    label: phase,
    colour: state,
    values: counts,
    dash: series.slice(0, index).filter((before) => before.state === state).length,
  }));
}

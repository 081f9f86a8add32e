import type { JSX } from "preact";
import type { ClusterDetail, ConditionView } from "../../../../model/generated/page-api.ts";
import { termText } from "../../../../model/filter/edit-filter.ts";
import { clustersPath } from "../data/routes.ts";
import { offersOfCluster } from "../data/action-offers.ts";
import { Actions } from "../parts/actions.tsx";
import { Answer } from "../parts/answer.tsx";
import { HeartbeatStrip } from "../parts/heartbeat-strip.tsx";
import { Card } from "../parts/card.tsx";
import { ClusterFacts } from "../parts/cluster-facts.tsx";
import { Commit } from "../parts/commit.tsx";
import { LabelTable } from "../parts/label-table.tsx";
import { Resources } from "../parts/resources.tsx";
import { State, stateOfCondition, wordOfRow } from "../parts/state.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { When } from "../parts/when.tsx";
import { useAnswer } from "../data/use-live.ts";

/** Heartbeats do not come by the stream. */
const everyMs = 5_000;

/** One cluster, explained: its state, why, and what to do next. */
export function ClusterView({ workspace, name }: { readonly workspace: string; readonly name: string }): JSX.Element {
  const path = `clusters/${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
  const detail = useAnswer<ClusterDetail>(path, { cluster: `${workspace}/${name}`, parts: ["repository"], everyMs });
  const isGone = detail.error?.code === "NotFound";
  return (
    <>
      <nav class="trail" aria-label="Trail">
        <a href="/clusters">Clusters</a> / <a href={clustersPath(termText("workspace", workspace))}>{workspace}</a>
      </nav>
      <Answer of={isGone ? { value: undefined, error: detail.error } : detail}>
        {(value) => <Cluster detail={value} />}
      </Answer>
    </>
  );
}

function Cluster({ detail }: { readonly detail: ClusterDetail }): JSX.Element {
  const { cluster, conditions, beats, settings, labels, history, resources } = detail;
  return (
    <>
      <header class="cluster-head">
        <h1>
          {cluster.name} <State of={cluster.state} hasWord word={wordOfRow(cluster)} />
        </h1>
        {cluster.displayName !== undefined && (
          <p class="soft" dir="auto">
            {cluster.displayName}
          </p>
        )}
        <Actions of={cluster} offers={offersOfCluster(detail)} />
        {settings.isSuspended === true && <p class="notice soft">Suspended: git is not followed for this cluster.</p>}
        {detail.requests?.map(({ name, decision, reason, message }) => (
          <p class="notice soft" key={name}>
            An agent asked to be it and {decision === "Refused" ? "was refused" : "waits for its file to be merged"}:{" "}
            {reason}. {message}
          </p>
        ))}
      </header>
      <div class="columns">
        <div>
          <Card title="Conditions">
            <Conditions conditions={conditions} />
          </Card>
          <Card title="Heartbeat">
            <HeartbeatStrip
              beats={beats}
              periodSeconds={settings.heartbeatPeriodSeconds}
              threshold={settings.failureThreshold}
            />
          </Card>
          <Card title="Labels" aside={labels.length > 0 ? labels.length : undefined}>
            <LabelTable labels={labels} />
          </Card>
        </div>
        <div>
          <Card title="About it">
            <ClusterFacts detail={detail} />
          </Card>
          {resources !== undefined && resources.length > 0 && (
            <Card title="Resources">
              <Resources resources={resources} />
            </Card>
          )}
          <Card title="Timeline" aside="from the status branch">
            <Timeline workspace={cluster.workspace} name={cluster.name} />
          </Card>
          <Card title="Commits that touched its file">
            {history.length === 0 ? (
              <p class="soft">None is known.</p>
            ) : (
              <ul class="plain">
                {history.map((commit) => (
                  <li key={commit.id}>
                    <Commit commit={commit} />
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

function Conditions({ conditions }: { readonly conditions: readonly ConditionView[] }): JSX.Element {
  if (conditions.length === 0) return <p class="soft">The daemon has not reconciled it yet.</p>;
  return (
    <ol class="conditions">
      {conditions.map(({ type, status, isGood, reason, message, meaning, next, since }) => (
        <li key={type} class={isGood === true ? "good" : ""}>
          <State of={stateOfCondition(status, isGood)} />
          <div>
            <h3>
              <span title={meaning}>{type}</span> <span class="soft">{reason}</span>
            </h3>
            <p>{message}</p>
            {next !== undefined && <p class="next">{next}</p>}
          </div>
          <span class="soft since">
            <When time={since} />
          </span>
        </li>
      ))}
    </ol>
  );
}

import type { JSX } from "preact";
import type { PlanView } from "../../../../model/generated/page-api.ts";
import { Answer, Notice } from "../parts/answer.tsx";
import { AgentWaves } from "../parts/agent-waves.tsx";
import { Card } from "../parts/card.tsx";
import { ChangeList } from "../parts/change-list.tsx";
import { Commit } from "../parts/commit.tsx";
import { Deletions } from "../parts/deletions.tsx";
import { Problems } from "../parts/problems.tsx";
import { Removals } from "../parts/removals.tsx";
import { Withheld } from "../parts/withheld.tsx";
import { oneOrMany } from "../../../../core/count-of.ts";
import { count } from "../data/words.ts";
import { useAnswer } from "../data/use-live.ts";

/** What merging a branch would do to the fleet, as a diff. */
export function PlanPage({ branch }: { readonly branch: string }): JSX.Element {
  const plan = useAnswer<PlanView>(`plan?branch=${encodeURIComponent(branch)}`, { parts: ["repository"] });
  return (
    <>
      <nav class="trail" aria-label="Trail">
        <a href="/repository">Repository</a> /
      </nav>
      <h1>
        What merging <code>{branch}</code> would do
      </h1>
      {plan.error?.code === "NotFound" ? (
        <Notice tone="bad" text={`The repository has no branch ${branch}.`} />
      ) : (
        <Answer of={plan}>{(value) => <Plan plan={value} />}</Answer>
      )}
    </>
  );
}

function Plan({ plan }: { readonly plan: PlanView }): JSX.Element {
  const {
    commit,
    counts,
    changes,
    changeCount,
    removals,
    removalCount,
    withheldCount,
    heldDeleteCount,
    agents,
    notes,
    problems,
  } = plan;
  const deletes = changes.filter(({ kind }) => kind === "delete");
  const others = changes.filter(({ kind }) => kind !== "delete");
  const waiting = withheldCount + heldDeleteCount;
  const otherCount = changeCount - counts.delete;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return (
    <>
      {commit && (
        <p>
          <Commit commit={commit} />
        </p>
      )}
      {notes.map((note) => (
        <Notice key={note} tone="soft" text={note} />
      ))}
      <p class="plan-counts">
        <span class="create">{counts.create} to create</span>
        <span class="update">{counts.update} to change</span>
        <span class={counts.leave + counts.delete > 0 ? "gone" : ""}>{counts.leave + counts.delete} to remove</span>
        {waiting > 0 && <span class="gone">{waiting} withheld</span>}
        {agents.count > 0 && <span class="update">{count(agents.count, "agent")} to roll out</span>}
      </p>
      {removalCount > 0 && (
        <Card title={count(removalCount, "removal")} tone="bad">
          <Removals removals={removals} count={removalCount} />
        </Card>
      )}
      {deletes.length > 0 && (
        <Card title={count(counts.delete, "deletion")} tone="bad">
          <ChangeList changes={deletes} count={counts.delete} />
        </Card>
      )}
      <Withheld plan={plan} />
      <WaitingOnBase plan={plan} />
      {problems.length > 0 && (
        <Card title="Problems in files" tone={errors > 0 ? "bad" : "warn"}>
          <Problems problems={problems} />
        </Card>
      )}
      {agents.count > 0 && (
        <Card title={`${count(agents.count, "agent")} would be rolled out anew`}>
          <AgentWaves rollout={agents} />
        </Card>
      )}
      <Card title="On the hub">
        {otherCount === 0 ? (
          <p class="soft">Nothing {deletes.length > 0 ? "else " : ""}would change.</p>
        ) : (
          <ChangeList changes={others} count={otherCount} />
        )}
      </Card>
    </>
  );
}

/** What waits already, whatever this plan does. */
function WaitingOnBase({ plan }: { readonly plan: PlanView }): JSX.Element | null {
  const { waitingOnBase, waitingOnBaseCount: all } = plan;
  if (all === 0) return null;
  return (
    <Card title={count(all, "removal waits on the target branch", "removals wait on the target branch")}>
      <p class="soft">The commits of this branch do not cause {oneOrMany(all, "it", "them")}.</p>
      <Deletions deletions={waitingOnBase} count={all} />
    </Card>
  );
}

import { isTrueAt, textAt } from "../core/read-json.ts";
import { compareNames } from "../core/compare-names.ts";
import type { AgentRollout } from "../model/generated/agent-rollout.ts";
import type { AgentRoll } from "../model/generated/plan-report.ts";
import type { Plan } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { waveSize } from "./agent-waves.ts";
import type { Observed } from "./observed.ts";

/** Fields of a Cluster that its agent is installed with. */
const agentFields = /^spec\.agent(?:$|[.[])/u;
const versionField = "spec.agent.version";

/**
 * The agents that the changes of a plan roll out anew: those that run, or are about to, and are not paused; in the waves
 * in which they take their turns as long as each comes up. `clusterCount`: of the hub, when `observed` has only a part of it.
 */
export function reviewAgents(
  plan: Plan,
  observed: Observed,
  {
    rollout,
    clusterCount = observed.list(resourceTypes.cluster).length,
  }: { readonly rollout: AgentRollout; readonly clusterCount?: number | undefined },
): AgentRoll[] {
  const size = waveSize(rollout, clusterCount);
  return findRolls(plan, observed)
    .sort((a, b) => compareNames(a.cluster, b.cluster))
    .map((roll, index) => ({ ...roll, wave: Math.floor(index / size) + 1 }));
}

function findRolls(plan: Plan, observed: Observed): AgentRoll[] {
  return plan.changes.flatMap((change): AgentRoll[] => {
    if (change.kind !== "update" || change.ref.type !== resourceTypes.cluster) return [];
    const reasons = change.fields.map(({ path }) => path).filter((path) => agentFields.test(path));
    if (reasons.length === 0 || isTrueAt(change.object, "spec", "paused")) return [];
    const version = change.fields.find(({ path }) => path === versionField);
    const live = observed.get(change.ref);
    const from = textAt(version, "from") ?? textAt(live, "status", "agent", "version");
    const to = version ? textAt(version, "to") : from;
    return [
      {
        cluster: `${change.ref.namespace}/${change.ref.name}`,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        reasons,
      },
    ];
  });
}

import { compact } from "../../core/compact.ts";
import type {
  ClusterRow,
  FleetCounts,
  FleetOverview,
  HubObjectList,
  ReasonCount,
  RepositorySummary,
  StateCount,
  TokenList,
} from "../../model/generated/page-api.ts";
import { countStates, stateWord } from "../../model/count-states.ts";

const mostReasons = 12;
const mostTokens = 6;
const mostHubObjects = 20;

export interface FleetOverviewInputs {
  readonly version: string;
  readonly hubAwaySinceMs: number | undefined;
  readonly rows: Iterable<ClusterRow>;
  readonly tokens: TokenList;
  readonly repository: RepositorySummary | undefined;
  readonly hubObjects: HubObjectList["items"];
}

/** The fleet at one glance, from the rows that may be seen. */
export function fleetOverview({
  version,
  hubAwaySinceMs,
  rows,
  tokens,
  repository,
  hubObjects,
}: FleetOverviewInputs): FleetOverview {
  const { counts, states, reasons } = countRows(rows);
  return compact({
    version,
    hubAwaySince: hubAwaySinceMs === undefined ? undefined : new Date(hubAwaySinceMs).toISOString(),
    counts: {
      ...counts,
      tokens: tokens.tokens.length,
      waiting: tokens.registrations.filter(({ decision }) => decision === "Proposed" || decision === "Waiting").length,
    },
    states,
    reasons,
    repository,
    tokens: tokens.tokens.filter(({ expires }) => expires !== undefined).slice(0, mostTokens),
    hubObjects:
      hubObjects.length === 0 ? undefined : { count: hubObjects.length, items: hubObjects.slice(0, mostHubObjects) },
  });
}

function countRows(rows: Iterable<ClusterRow>): {
  readonly counts: Omit<FleetCounts, "tokens" | "waiting">;
  readonly states: StateCount[];
  readonly reasons: ReasonCount[];
} {
  const all = [...rows];
  const counts = { clusters: all.length, ready: 0, notReady: 0, unknown: 0, leaving: 0 };
  const reasons = new Map<string, ReasonCount>();
  for (const row of all) {
    const { state, reason } = row;
    counts[state] += 1;
    if (state === "ready") continue;
    const phase = stateWord(row);
    const known = reasons.get(`${phase} ${reason}`) ?? { reason, state, phase, count: 0 };
    known.count += 1;
    reasons.set(`${phase} ${reason}`, known);
  }
  return {
    counts,
    states: countStates(all),
    reasons: [...reasons.values()].sort((a, b) => b.count - a.count).slice(0, mostReasons),
  };
}

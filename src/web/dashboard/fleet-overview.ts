import { compact } from "../../core/compact.ts";
import type {
  ClusterRow,
  FleetCounts,
  FleetOverview,
  HubObjectList,
  ReasonCount,
  RepositorySummary,
  TokenList,
} from "../../model/generated/page-api.ts";

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
  const { states, reasons } = countRows(rows);
  return compact({
    version,
    hubAwaySince: hubAwaySinceMs === undefined ? undefined : new Date(hubAwaySinceMs).toISOString(),
    counts: {
      ...states,
      tokens: tokens.tokens.length,
      waiting: tokens.registrations.filter(({ decision }) => decision === "Proposed" || decision === "Waiting").length,
    },
    reasons,
    repository,
    tokens: tokens.tokens.filter(({ expires }) => expires !== undefined).slice(0, mostTokens),
    hubObjects:
      hubObjects.length === 0 ? undefined : { count: hubObjects.length, items: hubObjects.slice(0, mostHubObjects) },
  });
}

function countRows(rows: Iterable<ClusterRow>): {
  readonly states: Omit<FleetCounts, "tokens" | "waiting">;
  readonly reasons: ReasonCount[];
} {
  const states = { clusters: 0, ready: 0, notReady: 0, unknown: 0, leaving: 0 };
  const reasons = new Map<string, ReasonCount>();
  for (const { state, reason } of rows) {
    states.clusters += 1;
    states[state] += 1;
    if (state === "ready") continue;
    const known = reasons.get(`${state} ${reason}`) ?? { reason, state, count: 0 };
    known.count += 1;
    reasons.set(`${state} ${reason}`, known);
  }
  return { states, reasons: [...reasons.values()].sort((a, b) => b.count - a.count).slice(0, mostReasons) };
}

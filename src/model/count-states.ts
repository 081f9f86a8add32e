import type { ClusterRow, ClusterState, StateCount } from "./generated/page-api.ts";

type Stated = Pick<ClusterRow, "state" | "phase">;

/** For rows of a daemon that gives no state of docs/cluster-states.md. */
const signWords: Readonly<Record<ClusterState, string>> = {
  ready: "Ready",
  notReady: "NotReady",
  unknown: "Unknown",
  leaving: "Leaving",
};
const order: readonly ClusterState[] = ["ready", "notReady", "unknown", "leaving"];

/** The state of a cluster as docs/cluster-states.md names it, whether it is suspended or not. */
export function stateWord({ state, phase }: Stated): string {
  return phase?.split(",")[0] ?? signWords[state];
}

/** How many clusters are in each state: the ready ones first, then by sign, the most frequent state of each sign first. */
export function countStates(rows: Iterable<Stated>): StateCount[] {
  const counts = new Map<string, StateCount>();
  for (const row of rows) {
    const phase = stateWord(row);
    const known = counts.get(phase) ?? { phase, state: row.state, count: 0 };
    known.count += 1;
    counts.set(phase, known);
  }
  return sortStates([...counts.values()]);
}

/** Sorts counts as {@link countStates} does. */
export function sortStates(counts: readonly StateCount[]): StateCount[] {
  const rank = ({ state }: StateCount): number => order.indexOf(state);
  return [...counts].sort((a, b) => rank(a) - rank(b) || b.count - a.count || (a.phase < b.phase ? -1 : 1));
}

import type { RuleIndex } from "../model/rule-index.ts";
import { indexRules } from "../model/rule-index.ts";
import type { ClusterSelector } from "../model/selector.ts";
import type { SourcePosition } from "../model/source.ts";

/** A cluster as selectors see it. */
export interface Subject {
  readonly workspace: string;
  readonly name: string;
  /** Groups see all labels, rules all but those that rules give. */
  readonly labels: Readonly<Record<string, string>>;
  readonly labelsForRules: Readonly<Record<string, string>>;
}

/** A group or a rule. */
export interface Selecting {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly selector: ClusterSelector | undefined;
  readonly position?: SourcePosition;
}

/** A group or a rule as it was, and as it is planned. */
export interface SelectingPair {
  readonly was: Selecting | undefined;
  readonly is: Selecting | undefined;
}

/** The clusters that a group or a rule gains and loses. */
export interface Moves {
  readonly gains: string[];
  readonly loses: string[];
}

interface MoveInputs {
  readonly selectings: readonly SelectingPair[];
  /** The clusters that are compared. */
  readonly keys: readonly string[];
  readonly before: ReadonlyMap<string, Subject>;
  readonly after: ReadonlyMap<string, Subject>;
}

/** Adds what each pair gains and loses. A cluster is compared with the selectors that may select it, not with all. */
export function collectMoves(moves: Map<SelectingPair, Moves>, { selectings, keys, before, after }: MoveInputs): void {
  if (selectings.length === 0) return;
  const selectedBefore = finderOf(selectings, ({ was }) => was);
  const selectedAfter = finderOf(selectings, ({ is }) => is);
  const movesOf = (pair: SelectingPair): Moves => {
    const known = moves.get(pair) ?? { gains: [], loses: [] };
    moves.set(pair, known);
    return known;
  };
  for (const key of keys) {
    const wasIn = new Set(selectedBefore(before.get(key)));
    const isIn = new Set(selectedAfter(after.get(key)));
    for (const pair of isIn) if (!wasIn.has(pair)) movesOf(pair).gains.push(key);
    for (const pair of wasIn) if (!isIn.has(pair)) movesOf(pair).loses.push(key);
  }
}

/** How many clusters each of the pairs selects before the plan. */
export function countMembers(
  selectings: readonly SelectingPair[],
  before: ReadonlyMap<string, Subject>,
): ReadonlyMap<SelectingPair, number> {
  const counts = new Map<SelectingPair, number>();
  if (selectings.length === 0) return counts;
  const selectedBefore = finderOf(selectings, ({ was }) => was);
  for (const subject of before.values()) {
    for (const pair of selectedBefore(subject)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

/** Finds the pairs of which one side selects a cluster. */
function finderOf(
  selectings: readonly SelectingPair[],
  sideOf: (pair: SelectingPair) => Selecting | undefined,
): (subject: Subject | undefined) => SelectingPair[] {
  const indexOf = (pairs: readonly SelectingPair[]): RuleIndex<SelectingPair> =>
    indexRules(pairs, (pair) => ({ workspace: sideOf(pair)?.namespace, selector: sideOf(pair)?.selector }));
  const groups = indexOf(selectings.filter(isGroup));
  const rules = indexOf(selectings.filter((pair) => !isGroup(pair)));
  return (subject) => {
    if (subject === undefined) return [];
    const { workspace, name, labels, labelsForRules } = subject;
    return [
      ...groups.matching(workspace, { name, labels }),
      ...rules.matching(workspace, { name, labels: labelsForRules }),
    ];
  };
}

function isGroup({ was, is }: SelectingPair): boolean {
  return (is ?? was)?.kind === "ClusterGroup";
}

import { appendAll } from "../core/append-all.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import { isGlob } from "../core/name-glob.ts";
import type { ClusterSelector, SelectorSubject } from "./selector.ts";
import { matchesSelector } from "./selector.ts";

/** Finds the rules whose selector means a subject without trying every rule. */
export interface SelectorIndex<T> {
  /** The rules that match, in the order in which they were given. */
  matching(subject: SelectorSubject): T[];
  /** What `matching` costs at most: for each rule that it tries its weight, and one for each condition of its selector. */
  costOf(subject: SelectorSubject): number;
}

interface Entry<T> {
  readonly order: number;
  readonly rule: T;
  readonly selector: ClusterSelector;
}

/**
 * Indexes rules by what their selectors demand: a name written out, a label, or the key of a label; of several, the one
 * that the fewest rules demand. Only rules that demand none of these are tried on every subject, so thousands of rules
 * times ten thousand clusters stay cheap.
 * A rule weighs 1 by default.
 */
export function indexSelectors<T>(
  rules: readonly T[],
  selectorOf: (rule: T) => ClusterSelector | undefined,
  weightOf: (rule: T) => number = () => 1,
): SelectorIndex<T> {
  const entries = rules.flatMap((rule, order): Entry<T>[] => {
    const selector = selectorOf(rule);
    return selector === undefined ? [] : [{ order, rule, selector }];
  });
  const counts = countDemands(entries);
  const byName = new Map<string, Entry<T>[]>();
  const byLabel = new Map<string, Entry<T>[]>();
  const others: Entry<T>[] = [];
  const costOfAll = memoizeWeak((some: readonly Entry<T>[]) =>
    some.reduce((sum, { rule, selector }) => sum + weightOf(rule) + countConditions(selector), 0),
  );
  for (const entry of entries) {
    const { names } = entry.selector;
    if (names !== undefined && !names.some(isGlob)) {
      for (const name of new Set(names)) addTo(byName, name, entry);
      continue;
    }
    const labels = rarestOf(demandsOf(entry.selector), counts);
    if (labels === undefined) others.push(entry);
    else for (const label of labels) addTo(byLabel, label, entry);
  }
  return {
    matching(subject) {
      const candidates = [...(byName.get(subject.name) ?? []), ...others];
      if (byLabel.size > 0) {
        for (const [key, value] of Object.entries(subject.labels ?? {})) {
          appendAll(candidates, byLabel.get(labelText(key, value)) ?? []);
          appendAll(candidates, byLabel.get(key) ?? []);
        }
      }
      return candidates
        .filter(({ selector }) => matchesSelector(selector, subject))
        .sort((a, b) => a.order - b.order)
        .map(({ rule }) => rule);
    },
    costOf(subject) {
      let sum = costOfAll(others) + costOfAll(byName.get(subject.name) ?? nothing);
      if (byLabel.size === 0) return sum;
      for (const [key, value] of Object.entries(subject.labels ?? {})) {
        for (const label of [labelText(key, value), key]) sum += costOfAll(byLabel.get(label) ?? nothing);
      }
      return sum;
    },
  };
}

const nothing: readonly never[] = [];

/** Names, labels and expressions that a subject is compared with. */
export function countConditions({ names = [], matchLabels = {}, matchExpressions = [] }: ClusterSelector): number {
  return names.length + Object.keys(matchLabels).length + matchExpressions.length;
}

/** Labels and keys of labels; a subject that the selector means has exactly one of each set. */
function demandsOf({ matchLabels = {}, matchExpressions = [] }: ClusterSelector): ReadonlySet<string>[] {
  const labels = Object.entries(matchLabels).map(([key, value]) => new Set([labelText(key, value)]));
  const expressions = matchExpressions.flatMap(({ key, operator, values = [] }) => {
    if (operator === "In") return [new Set(values.map((value) => labelText(key, value)))];
    return operator === "Exists" ? [new Set([key])] : [];
  });
  return [...labels, ...expressions];
}

function countDemands(entries: readonly Entry<unknown>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { selector } of entries) {
    for (const label of demandsOf(selector).flatMap((labels) => [...labels])) {
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }
  return counts;
}

/** The set whose most demanded label is demanded by the fewest; the first of equals. */
function rarestOf(
  demands: readonly ReadonlySet<string>[],
  counts: ReadonlyMap<string, number>,
): ReadonlySet<string> | undefined {
  let rarest: ReadonlySet<string> | undefined;
  let least = Infinity;
  for (const labels of demands) {
    let most = 0;
    for (const label of labels) most = Math.max(most, counts.get(label) ?? 0);
    if (most >= least) continue;
    rarest = labels;
    least = most;
  }
  return rarest;
}

/** Keys of labels have no `=`, so a label is never taken for a key. */
function labelText(key: string, value: string): string {
  return `${key}=${value}`;
}

function addTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

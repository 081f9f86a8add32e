import { appendAll } from "../core/append-all.ts";
import { isGlob } from "../core/name-glob.ts";
import type { ClusterSelector, SelectorSubject } from "./selector.ts";
import { matchesSelector } from "./selector.ts";

/** Finds the rules whose selector means a subject without trying every rule. */
export interface SelectorIndex<T> {
  /** The rules that match, in the order in which they were given. */
  matching(subject: SelectorSubject): T[];
}

interface Entry<T> {
  readonly order: number;
  readonly rule: T;
  readonly selector: ClusterSelector;
}

/**
 * Indexes rules by what their selectors demand: a name written out, or one label. Only rules that demand neither are
 * tried on every subject, so thousands of rules times ten thousand clusters stay cheap.
 */
export function indexSelectors<T>(
  rules: readonly T[],
  selectorOf: (rule: T) => ClusterSelector | undefined,
): SelectorIndex<T> {
  const byName = new Map<string, Entry<T>[]>();
  const byLabel = new Map<string, Entry<T>[]>();
  const others: Entry<T>[] = [];
  rules.forEach((rule, order) => {
    const selector = selectorOf(rule);
    if (selector === undefined) return;
    const entry = { order, rule, selector };
    const labels = demandedLabels(selector);
    if (selector.names !== undefined && !selector.names.some(isGlob)) {
      for (const name of new Set(selector.names)) addTo(byName, name, entry);
    } else if (labels !== undefined) {
      for (const label of labels) addTo(byLabel, label, entry);
    } else {
      others.push(entry);
    }
  });
  return {
    matching(subject) {
      const candidates = [...(byName.get(subject.name) ?? []), ...others];
      if (byLabel.size > 0) {
        for (const [key, value] of Object.entries(subject.labels ?? {})) {
          appendAll(candidates, byLabel.get(labelText(key, value)) ?? []);
        }
      }
      return candidates
        .filter(({ selector }) => matchesSelector(selector, subject))
        .sort((a, b) => a.order - b.order)
        .map(({ rule }) => rule);
    },
  };
}

/** Labels of which a subject must have exactly one, or undefined when the selector demands none. */
function demandedLabels(selector: ClusterSelector): Set<string> | undefined {
  const [first] = Object.entries(selector.matchLabels ?? {});
  if (first !== undefined) return new Set([labelText(...first)]);
  const choice = selector.matchExpressions?.find(({ operator }) => operator === "In");
  return choice && new Set((choice.values ?? []).map((value) => labelText(choice.key, value)));
}

function labelText(key: string, value: string): string {
  return `${key}=${value}`;
}

function addTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

import { memoizeWeak } from "../core/memoize-weak.ts";
import { matchesGlob } from "../core/name-glob.ts";

/** Source: Kubernetes API, meta/v1 LabelSelectorRequirement. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/**
 * Which clusters are meant. All parts that are given must hold; a selector without parts means every cluster.
 * Kubernetes' LabelSelector, plus `names`: globs of which one must fit.
 */
export interface ClusterSelector {
  readonly names?: readonly string[];
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

/** What a selector evaluates. */
export interface SelectorSubject {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const noLabels: Readonly<Record<string, string>> = {};

/**
 * True when the selector means the subject. As in Kubernetes, `NotIn` and `DoesNotExist` hold where the key is absent,
 * and a selector that is absent itself means nothing. Source: Kubernetes, LabelSelectorAsSelector.
 */
export function matchesSelector(selector: ClusterSelector | undefined, subject: SelectorSubject): boolean {
  if (selector === undefined) return false;
  const { names, matchLabels, matchExpressions } = selector;
  const labels = subject.labels ?? noLabels;
  if (names !== undefined && !names.some((pattern) => matchesGlob(pattern, subject.name))) return false;
  if (matchLabels !== undefined) {
    for (const key of Object.keys(matchLabels)) {
      if (labelOf(labels, key) !== matchLabels[key]) return false;
    }
  }
  return matchExpressions === undefined || matchExpressions.every((item) => matchesRequirement(item, labels));
}

/**
 * True when further labels on a subject can only make the selector match more, never less: no `NotIn`, no
 * `DoesNotExist`. What such a selector matches by the labels of files stays matched, whatever token and agent add.
 */
export function isMonotone(selector: ClusterSelector): boolean {
  return (selector.matchExpressions ?? []).every(({ operator }) => operator === "In" || operator === "Exists");
}

function matchesRequirement(requirement: SelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const { key, operator, values = [] } = requirement;
  const value = labelOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && isAmong(values, value);
    case "NotIn":
      return value === undefined || !isAmong(values, value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

/** From so many values on, a set is made: a selector may list thousands, and ten thousand clusters are compared with it. */
const manyValues = 16;
const setOf = memoizeWeak((values: readonly string[]): ReadonlySet<string> => new Set(values));

function isAmong(values: readonly string[], value: string): boolean {
  return values.length < manyValues ? values.includes(value) : setOf(values).has(value);
}

/** Own properties only: a label may be called `constructor`. */
function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

import type { ClusterSelector, SelectorSubject } from "./selector.ts";
import type { SelectorIndex } from "./selector-index.ts";
import { indexSelectors } from "./selector-index.ts";

/** A rule as an index sees it. */
export interface IndexedRule {
  /** Undefined: the rule holds in all workspaces. */
  readonly workspace: string | undefined;
  readonly selector: ClusterSelector | undefined;
  /** What its use for one cluster costs, beside a comparison. Default: 1. */
  readonly weight?: number;
}

/** Finds the rules that select a cluster of a workspace without trying every rule. */
export interface RuleIndex<T> {
  /** The rules of the workspace, and those of all, whose selector matches; in the order in which they were given. */
  matching(workspace: string | undefined, subject: SelectorSubject): T[];
  /** What `matching` costs at most; see {@link SelectorIndex}. */
  costOf(workspace: string | undefined, subject: SelectorSubject): number;
}

interface Numbered<T> {
  readonly order: number;
  readonly rule: T;
  readonly selector: ClusterSelector | undefined;
  readonly weight: number;
}

/** Indexes rules by workspace, and within it by what their selectors demand. */
export function indexRules<T>(rules: readonly T[], describe: (rule: T) => IndexedRule): RuleIndex<T> {
  const byWorkspace = new Map<string | undefined, Numbered<T>[]>();
  rules.forEach((rule, order) => {
    const { workspace, selector, weight = 1 } = describe(rule);
    const numbered = { order, rule, selector, weight };
    const others = byWorkspace.get(workspace);
    if (others === undefined) byWorkspace.set(workspace, [numbered]);
    else others.push(numbered);
  });
  const indexes = new Map<string | undefined, SelectorIndex<Numbered<T>>>(
    [...byWorkspace].map(([workspace, numbered]) => [
      workspace,
      indexSelectors(
        numbered,
        ({ selector }) => selector,
        ({ weight }) => weight,
      ),
    ]),
  );
  return {
    matching(workspace, subject) {
      const everywhere = indexes.get(undefined)?.matching(subject) ?? [];
      const own = workspace === undefined ? [] : (indexes.get(workspace)?.matching(subject) ?? []);
      if (own.length === 0) return everywhere.map(({ rule }) => rule);
      return [...everywhere, ...own].sort((a, b) => a.order - b.order).map(({ rule }) => rule);
    },
    costOf(workspace, subject) {
      const own = workspace === undefined ? undefined : indexes.get(workspace);
      return (indexes.get(undefined)?.costOf(subject) ?? 0) + (own?.costOf(subject) ?? 0);
    },
  };
}

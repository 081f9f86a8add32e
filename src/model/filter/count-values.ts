import { compareNames } from "../../core/compare-names.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { ClusterRow } from "../generated/page-api.ts";
import type { FilterKey, FilterProblem, ParsedFilter } from "./filter.ts";
import { filterFields, keyText, valuesOf } from "./filter.ts";

export interface ValueCount {
  readonly value: string;
  /** How many clusters have it. */
  readonly count: number;
}

/** The values of a key among these clusters, sorted as people read. */
export function countValues(rows: readonly ClusterRow[], key: FilterKey): ValueCount[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row, key)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => compareNames(a.value, b.value));
}

/** The label keys of these clusters as they are typed, sorted as people read. */
export function countLabelKeys(rows: readonly ClusterRow[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const { labels } of rows) for (const key of Object.keys(labels)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ value: keyText({ kind: "label", name }), count }))
    .sort((a, b) => compareNames(a.value, b.value));
}

/** Labels that a filter names and that no cluster has: mostly a typing error. */
export function missingLabels(rows: readonly ClusterRow[], { terms }: Pick<ParsedFilter, "terms">): FilterProblem[] {
  const asked = terms.flatMap(({ test, start, end }) =>
    test.kind !== "text" && test.key.kind === "label" ? [{ name: test.key.name, start, end }] : [],
  );
  const missing = asked.filter(({ name }) => !rows.some(({ labels }) => Object.hasOwn(labels, name)));
  if (missing.length === 0 || rows.length === 0) return [];
  const known = [...Object.keys(filterFields), ...countLabelKeys(rows).map(({ value }) => value)];
  return missing.map(({ name, start, end }) => {
    const meant = nearestName(name, known);
    const remedy = meant === undefined ? "Choose a key that is offered." : `Did you mean ${meant}?`;
    return { start, end, message: `No cluster has the label "${name}".`, remedy };
  });
}

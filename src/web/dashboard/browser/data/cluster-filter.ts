import { compareNames } from "../../../../core/compare-names.ts";
import { countValues } from "../../../../model/filter/count-values.ts";
import type { ValueCount } from "../../../../model/filter/count-values.ts";
import { chooseValue, chosenValue, termText } from "../../../../model/filter/edit-filter.ts";
import type { FilterField } from "../../../../model/filter/filter.ts";
import { createMatcher } from "../../../../model/filter/match-filter.ts";
import { parseFilter } from "../../../../model/filter/parse-filter.ts";
import type { ClusterRow, ClusterState } from "../../../../model/generated/page-api.ts";
import type { GridColour } from "./fleet-grid.ts";
import { gridColours } from "./fleet-grid.ts";

/** Columns that the table can be sorted by. */
const sortKeys = ["name", "workspace", "state", "version", "agent", "nodes", "protocol", "since"] as const;
export type SortKey = (typeof sortKeys)[number];

/** Which clusters are shown and in which order. The address has all of it. */
export interface ClusterFilter {
  /** Read by parseFilter. */
  readonly text: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
  /** A line or a cell for each cluster. */
  readonly view: "table" | "grid";
  /** The key that cells are grouped by; empty: none. */
  readonly by: string;
  /** What cells are coloured by. */
  readonly colour: GridColour;
}

const usualKey = "workspace";

/** Fields whose values are offered with their counts. */
const facetFields = ["state", "reason", "workspace", "group", "protocol", "version"] as const;
type FacetField = (typeof facetFields)[number];

/** The filter of an address. A field that has a parameter of its own, as in links of before, becomes a term. */
export function readFilter(query: URLSearchParams): ClusterFilter {
  const sort = query.get("sort") ?? "name";
  const key = sort.replace(/^-/u, "");
  const terms = facetFields.flatMap((field) => {
    const value = query.get(field) ?? "";
    return value === "" ? [] : [termText(field, value)];
  });
  return {
    text: [query.get("q") ?? "", ...terms].filter((part) => part !== "").join(" "),
    sort: sortKeys.find((known) => known === key) ?? "name",
    isDescending: sort.startsWith("-"),
    view: query.get("view") === "grid" ? "grid" : "table",
    by: query.get("by") ?? usualKey,
    colour: gridColours.find((known) => known === query.get("colour")) ?? "state",
  };
}

/** The query of a filter, without what is as usual; empty when all is. */
export function writeFilter({ text, sort, isDescending, view, by, colour }: ClusterFilter): string {
  const query = new URLSearchParams();
  if (text !== "") query.set("q", text);
  if (sort !== "name" || isDescending) query.set("sort", `${isDescending ? "-" : ""}${sort}`);
  if (view !== "table") query.set("view", view);
  if (by !== usualKey) query.set("by", by);
  if (colour !== "state") query.set("colour", colour);
  const written = query.toString();
  return written === "" ? "" : `?${written}`;
}

/** The clusters that every understood term of the filter means, sorted. */
export function filterClusters(rows: readonly ClusterRow[], filter: ClusterFilter, nowMs: number): ClusterRow[] {
  return sortClusters(matching(rows, filter.text, nowMs), filter);
}

function matching(rows: readonly ClusterRow[], text: string, nowMs: number): ClusterRow[] {
  const matches = createMatcher(parseFilter(text));
  return rows.filter((row) => matches(row, nowMs));
}

/** What needs attention comes first. */
const urgency: Readonly<Record<ClusterState, number>> = { notReady: 0, unknown: 1, leaving: 2, ready: 3 };

function sortClusters(rows: ClusterRow[], { sort, isDescending }: ClusterFilter): ClusterRow[] {
  const direction = isDescending ? -1 : 1;
  return rows.sort(
    (a, b) =>
      direction * compareBy(a, b, sort) || compareNames(a.name, b.name) || compareNames(a.workspace, b.workspace),
  );
}

function compareBy(a: ClusterRow, b: ClusterRow, key: SortKey): number {
  switch (key) {
    case "name":
      return compareNames(a.name, b.name);
    case "workspace":
      return compareNames(a.workspace, b.workspace);
    case "state":
      return urgency[a.state] - urgency[b.state] || compareNames(a.reason, b.reason);
    case "version":
      return compareNames(a.kubernetesVersion ?? "", b.kubernetesVersion ?? "");
    case "agent":
      return compareNames(a.agentVersion ?? "", b.agentVersion ?? "");
    case "nodes":
      return (a.nodes ?? -1) - (b.nodes ?? -1);
    case "protocol":
      return compareNames(a.protocol, b.protocol);
    case "since":
      return compareNames(a.since ?? "", b.since ?? "");
  }
}

export interface Facet {
  readonly field: FacetField;
  /** Empty: any. */
  readonly chosen: string;
  readonly values: readonly ValueCount[];
}

const mostValues = 500;

/** What can be chosen in each field, and how many clusters of those that the rest of the filter means have it. */
export function filterFacets(
  rows: readonly ClusterRow[],
  { text, shown, nowMs }: { readonly text: string; readonly shown: readonly ClusterRow[]; readonly nowMs: number },
): Facet[] {
  return facetFields.map((field) => {
    const chosen = chosenValue(text, field);
    const others = chosen === "" ? shown : matching(rows, chooseValue(text, { field, value: "" }), nowMs);
    const values = countValues(others, keyOfField(field)).slice(0, mostValues);
    const known = values.find(({ value }) => value.toLowerCase() === chosen.toLowerCase());
    return {
      field,
      chosen: known?.value ?? chosen,
      values: chosen === "" || known ? values : [{ value: chosen, count: 0 }, ...values],
    };
  });
}

function keyOfField(name: FilterField): { readonly kind: "field"; readonly name: FilterField } {
  return { kind: "field", name };
}

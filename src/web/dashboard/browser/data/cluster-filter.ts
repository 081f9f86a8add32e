import { compareNames } from "../../../../core/compare-names.ts";
import type { ClusterRow, ClusterState } from "../../../../model/generated/page-api.ts";

/** Columns that the table can be sorted by. */
const sortKeys = ["name", "workspace", "state", "version", "agent", "nodes", "protocol", "since"] as const;
export type SortKey = (typeof sortKeys)[number];

/** Which clusters are shown and in which order. It stands in the address as a whole. */
export interface ClusterFilter {
  /** Words of name, display name or reason; `key=value` and `key` are labels. All must match. */
  readonly text: string;
  readonly state: string;
  readonly reason: string;
  readonly protocol: string;
  readonly version: string;
  readonly workspace: string;
  readonly group: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

const fields = ["state", "reason", "protocol", "version", "workspace", "group"] as const;

export function readFilter(query: URLSearchParams): ClusterFilter {
  const sort = query.get("sort") ?? "name";
  const key = sort.replace(/^-/u, "");
  const [state = "", reason = "", protocol = "", version = "", workspace = "", group = ""] = fields.map(
    (field) => query.get(field) ?? "",
  );
  return {
    text: query.get("q") ?? "",
    ...{ state, reason, protocol, version, workspace, group },
    sort: sortKeys.find((known) => known === key) ?? "name",
    isDescending: sort.startsWith("-"),
  };
}

/** The query of a filter, without what is as usual; empty when all is. */
export function writeFilter(filter: ClusterFilter): string {
  const query = new URLSearchParams();
  if (filter.text !== "") query.set("q", filter.text);
  for (const field of fields) if (filter[field] !== "") query.set(field, filter[field]);
  if (filter.sort !== "name" || filter.isDescending)
    query.set("sort", `${filter.isDescending ? "-" : ""}${filter.sort}`);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

export function filterClusters(rows: readonly ClusterRow[], filter: ClusterFilter): ClusterRow[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const isWanted = (row: ClusterRow): boolean =>
    (filter.state === "" || row.state === filter.state) &&
    (filter.reason === "" || row.reason === filter.reason) &&
    (filter.protocol === "" || row.protocol === filter.protocol) &&
    (filter.version === "" || (row.kubernetesVersion ?? "") === filter.version) &&
    (filter.workspace === "" || row.workspace === filter.workspace) &&
    (filter.group === "" || (row.groups ?? []).includes(filter.group)) &&
    words.every((word) => matchesWord(row, word));
  return sortClusters(rows.filter(isWanted), filter);
}

function matchesWord(row: ClusterRow, word: string): boolean {
  const texts = [row.name, row.workspace, row.displayName ?? "", row.reason];
  if (texts.some((text) => text.toLowerCase().includes(word))) return true;
  if (`${row.workspace}/${row.name}`.includes(word)) return true;
  return Object.entries(row.labels).some(([key, value]) => `${key}=${value}`.toLowerCase().includes(word));
}

/** What needs a look comes first. */
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

/** What can be chosen in each field, from the clusters there are. */
export function filterChoices(
  rows: readonly ClusterRow[],
): Readonly<Record<(typeof fields)[number], readonly string[]>> {
  const choices = Object.fromEntries(fields.map((field) => [field, new Set<string>()])) as Record<
    (typeof fields)[number],
    Set<string>
  >;
  for (const row of rows) {
    choices.state.add(row.state);
    choices.reason.add(row.reason);
    choices.protocol.add(row.protocol);
    if (row.kubernetesVersion !== undefined) choices.version.add(row.kubernetesVersion);
    choices.workspace.add(row.workspace);
    for (const group of row.groups ?? []) choices.group.add(group);
  }
  const sorted = (values: Set<string>): string[] => [...values].sort((a, b) => compareNames(a, b)).slice(0, 500);
  return {
    state: sorted(choices.state),
    reason: sorted(choices.reason),
    protocol: sorted(choices.protocol),
    version: sorted(choices.version),
    workspace: sorted(choices.workspace),
    group: sorted(choices.group),
  };
}

import { termText } from "../../../../model/filter/edit-filter.ts";
import type { ClusterRow, FleetOverview, TokenList } from "../../../../model/generated/page-api.ts";
import { clusterPath, clustersPath } from "./routes.ts";

/** A place that the palette leads to. */
export interface PaletteEntry {
  readonly kind: "page" | "cluster" | "group" | "token" | "reason" | "file" | "filter";
  readonly title: string;
  /** Beside the title: what distinguishes it from others of the name. */
  readonly detail: string;
  readonly href: string;
}

export interface PaletteSources {
  readonly rows: readonly ClusterRow[];
  readonly tokens: TokenList["tokens"];
  readonly overview: FleetOverview | undefined;
}

const pages: readonly PaletteEntry[] = [
  { title: "Overview", detail: "", href: "/" },
  { title: "Clusters", detail: "table", href: "/clusters" },
  { title: "Grid", detail: "one cell a cluster", href: "/clusters?view=grid" },
  { title: "Repository", detail: "commits and plans", href: "/repository" },
  { title: "Tokens", detail: "", href: "/tokens" },
  { title: "History", detail: "the fleet as it was", href: "/history" },
].map((page) => ({ kind: "page", ...page }));

const mostEntries = 12;

/** Clusters of several workspaces may have one name and one display name. */
function detailOf({ workspace, displayName }: ClusterRow): string {
  return displayName === undefined ? workspace : `${workspace}, ${displayName}`;
}

/** Every place, in the order of its kinds. Clusters come last: there are the most of them. */
export function paletteEntries({ rows, tokens, overview }: PaletteSources): PaletteEntry[] {
  const groups = new Map<string, { readonly workspace: string; readonly group: string }>();
  const reasons = new Set<string>();
  for (const { workspace, groups: own = [], reason } of rows) {
    reasons.add(reason);
    for (const group of own) groups.set(`${workspace}/${group}`, { workspace, group });
  }
  const problems = overview?.repository?.problems ?? [];
  const files = new Map(problems.map(({ file, line, code, link }) => [file, { line, code, link }]));
  return [
    ...pages,
    ...[...groups.values()].map(({ workspace, group }): PaletteEntry => ({
      ...{ kind: "group", title: group, detail: workspace },
      href: clustersPath(`${termText("workspace", workspace)} ${termText("group", group)}`),
    })),
    ...[...reasons].map((reason): PaletteEntry => ({
      ...{ kind: "reason", title: reason, detail: "" },
      href: clustersPath(termText("reason", reason)),
    })),
    ...tokens.map(({ name, workspace }): PaletteEntry => ({
      ...{ kind: "token", title: name, detail: workspace, href: "/tokens" },
    })),
    ...[...files].map(([file, { line, code, link }]): PaletteEntry => ({
      ...{ kind: "file", title: file, detail: `line ${line}: ${code}` },
      href: link?.startsWith("https://") === true ? link : "/",
    })),
    ...rows.map((row): PaletteEntry => ({
      ...{ kind: "cluster", title: row.name, detail: detailOf(row), href: clusterPath(row) },
    })),
  ];
}

/**
 * The entries that a text may mean: those that begin with it before those that have it elsewhere, and last the filter of
 * the text itself. Without a text: the pages.
 */
export function findEntries(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const text = typed.trim().toLowerCase();
  if (text === "") return entries.filter(({ kind }) => kind === "page");
  // One list for each rank, in the order of the entries; none longer than what is shown.
  const byRank: PaletteEntry[][] = [[], [], [], []];
  for (const entry of entries) {
    const ranked = byRank[rankOf(entry, text)];
    if (ranked && ranked.length < mostEntries) ranked.push(entry);
  }
  const filter: PaletteEntry = {
    ...{ kind: "filter", title: typed.trim(), detail: "filter clusters" },
    href: clustersPath(typed.trim()),
  };
  return [...byRank.flat().slice(0, mostEntries - 1), filter];
}

const noRank = -1;

function rankOf({ title, detail }: PaletteEntry, text: string): number {
  const name = title.toLowerCase();
  if (name === text) return 0;
  if (name.startsWith(text)) return 1;
  if (name.includes(text)) return 2;
  return detail.toLowerCase().includes(text) ? 3 : noRank;
}

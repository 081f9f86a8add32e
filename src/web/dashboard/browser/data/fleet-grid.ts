import { compareNames } from "../../../../core/compare-names.ts";
import { termText } from "../../../../model/filter/edit-filter.ts";
import type { FilterKey } from "../../../../model/filter/filter.ts";
import { keyText, valuesOf } from "../../../../model/filter/filter.ts";
import { countStates, stateWord } from "../../../../model/count-states.ts";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";

/** What the cells of the grid are coloured by. */
export const gridColours = ["state", "version", "agent", "heartbeat", "age"] as const;
export type GridColour = (typeof gridColours)[number];

/** Clusters that are drawn the same: a colour, and a mark for viewers who cannot distinguish colours. */
export interface GridClass {
  readonly title: string;
  /** Class of the style sheet that has the colour. */
  readonly colour: string;
  /** Index of the mark that drawMark draws; 0 is none. */
  readonly mark: number;
  readonly count: number;
  /** The filter that means these clusters; absent where there is none. */
  readonly filter?: string;
}

export interface GridClasses {
  readonly classes: readonly GridClass[];
  /** The index of each row's class. */
  readonly classOf: ReadonlyMap<ClusterRow, number>;
}

/** Ages in milliseconds. A class has what is younger than its bound and than no bound before. */
const heartbeatSteps = [
  { title: "under 2 minutes", belowMs: 120_000 },
  { title: "2 to 10 minutes", belowMs: 600_000 },
  { title: "10 to 60 minutes", belowMs: 3_600_000 },
  { title: "over an hour", belowMs: Number.POSITIVE_INFINITY },
] as const;
const ageSteps = [
  { title: "under an hour", belowMs: 3_600_000, filter: "age<1h" },
  { title: "an hour to a day", belowMs: 86_400_000, filter: "age>=1h age<1d" },
  { title: "a day to a week", belowMs: 604_800_000, filter: "age>=1d age<1w" },
  { title: "over a week", belowMs: Number.POSITIVE_INFINITY, filter: "age>=1w" },
] as const;
/** Further versions are one class. */
const mostVersions = 7;
const unknownTitle = "not known";

interface ClassInputs {
  readonly colour: GridColour;
  readonly nowMs: number;
  /** Milliseconds since the last heartbeat of a cluster; undefined when it is not known. */
  readonly heartbeatAgeMs: (row: ClusterRow) => number | undefined;
}

/** Divides the clusters by what they are coloured by. Classes without a cluster are left out. */
export function gridClasses(rows: readonly ClusterRow[], inputs: ClassInputs): GridClasses {
  const versions = versionTitles(rows, inputs.colour);
  const titles = rows.map(titleReader(versions, inputs));
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
  const classes = appearancesOf({ rows, versions }, inputs).flatMap((appearance): GridClass[] => {
    const count = counts.get(appearance.title) ?? 0;
    return count === 0 ? [] : [{ ...appearance, count }];
  });
  const indexes = new Map(classes.map(({ title }, index) => [title, index]));
  return { classes, classOf: new Map(rows.map((row, index) => [row, indexes.get(titles[index] ?? "") ?? 0])) };
}

type Appearance = Omit<GridClass, "count">;

function appearancesOf(
  { rows, versions }: { readonly rows: readonly ClusterRow[]; readonly versions: readonly string[] },
  { colour }: ClassInputs,
): Appearance[] {
  const shade = (index: number): Pick<Appearance, "colour" | "mark"> => ({ colour: `shade-${index}`, mark: index });
  const unknown: Appearance = { title: unknownTitle, colour: "shade-none", mark: 8 };
  switch (colour) {
    case "state":
      return stateAppearances(rows);
    case "age":
      return [...ageSteps.map(({ title, filter }, index) => ({ title, filter, ...shade(index) })), unknown];
    case "heartbeat":
      return [...heartbeatSteps.map(({ title }, index) => ({ title, ...shade(index) })), unknown];
    case "version":
    case "agent": {
      const appearances = versions.map((title, index): Appearance => {
        const filter = title === otherTitle ? {} : { filter: termText(colour, title.replace(/^v/u, "")) };
        return { title, ...filter, ...shade(index) };
      });
      return [...appearances, unknown];
    }
  }
}

const stateMarks: Readonly<Record<string, number>> = {
  ...{ Ready: 0, Leaving: 1, Rejected: 2, Joining: 3, Unhealthy: 4, Revoked: 5, Unresponsive: 6, AwaitingReport: 7 },
  ...{ Declared: 8, Moving: 9 },
};
const otherMark = 8;

/** The states that occur; the ready clusters last, as nothing is to be done about them. */
function stateAppearances(rows: readonly ClusterRow[]): Appearance[] {
  const [troubled, ready] = [false, true].map((isReady) =>
    countStates(rows).filter(({ state }) => (state === "ready") === isReady),
  );
  return [...(troubled ?? []), ...(ready ?? [])].map(({ phase, state }) => ({
    title: phase,
    filter: termText("state", phase),
    colour: state,
    mark: stateMarks[phase] ?? otherMark,
  }));
}

const otherTitle = "others";

function titleReader(versions: readonly string[], inputs: ClassInputs): (row: ClusterRow) => string {
  const { colour, nowMs, heartbeatAgeMs } = inputs;
  const stepTitle = (ageMs: number | undefined, steps: readonly { title: string; belowMs: number }[]): string =>
    (ageMs === undefined ? undefined : steps.find(({ belowMs }) => ageMs < belowMs)?.title) ?? unknownTitle;
  switch (colour) {
    case "state":
      return stateWord;
    case "age":
      return ({ since }) => stepTitle(since === undefined ? undefined : nowMs - Date.parse(since), ageSteps);
    case "heartbeat":
      return (row) => stepTitle(heartbeatAgeMs(row), heartbeatSteps);
    case "version":
    case "agent": {
      const known = new Set(versions);
      return (row) => {
        const version = versionOf(row, colour);
        return version === undefined ? unknownTitle : known.has(version) ? version : otherTitle;
      };
    }
  }
}

/** A Kubernetes version by its minor version, an agent by its whole one. */
function versionOf(row: ClusterRow, colour: "version" | "agent"): string | undefined {
  if (colour === "agent") return row.agentVersion;
  const version = row.kubernetesVersion;
  return version === undefined ? undefined : (/^v?\d+\.\d+/u.exec(version)?.[0] ?? version);
}

/**
 * The versions among the rows, where they are coloured by one: the newest first; what is over the bound is one class of the
 * oldest.
 */
function versionTitles(rows: readonly ClusterRow[], colour: GridColour): string[] {
  if (colour !== "version" && colour !== "agent") return [];
  const found = new Set<string>();
  for (const row of rows) {
    const version = versionOf(row, colour);
    if (version !== undefined) found.add(version);
  }
  const sorted = [...found].sort((a, b) => compareNames(b, a));
  return sorted.length <= mostVersions ? sorted : [...sorted.slice(0, mostVersions - 1), otherTitle];
}

export interface GridGroup {
  readonly title: string;
  readonly rows: readonly ClusterRow[];
  /** The filter that means this group; absent where there is none. */
  readonly filter?: string;
}

const mostGroups = 120;

/** The clusters by one value of a key each, sorted as people read; those without the key come last. */
export function groupRows(rows: readonly ClusterRow[], key: FilterKey | undefined): GridGroup[] {
  if (key === undefined) return rows.length === 0 ? [] : [{ title: "All clusters", rows }];
  const byValue = new Map<string, ClusterRow[]>();
  const without: ClusterRow[] = [];
  for (const row of rows) {
    const [value] = valuesOf(row, key);
    const group = value === undefined ? without : (byValue.get(value) ?? []);
    group.push(row);
    if (value !== undefined) byValue.set(value, group);
  }
  const name = keyText(key);
  const groups = [...byValue]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([value, members]): GridGroup => ({ title: value, rows: members, filter: termText(name, value) }));
  const further = groups.slice(mostGroups).flatMap((group) => group.rows);
  const last = without.length === 0 ? [] : [{ title: `without ${name}`, rows: without, filter: `${name}!=*` }];
  return [
    ...groups.slice(0, mostGroups),
    ...(further.length === 0 ? [] : [{ title: "others", rows: further }]),
    ...last,
  ];
}

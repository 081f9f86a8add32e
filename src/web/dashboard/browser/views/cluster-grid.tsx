import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { countLabelKeys } from "../../../../model/filter/count-values.ts";
import { readKey } from "../../../../model/filter/filter.ts";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";
import type { ClusterFilter } from "../data/cluster-filter.ts";
import { writeFilter } from "../data/cluster-filter.ts";
import type { GridClasses, GridColour, GridGroup } from "../data/fleet-grid.ts";
import { gridClasses, gridColours, groupRows } from "../data/fleet-grid.ts";
import { useHeartbeatAges } from "../data/use-heartbeat-ages.ts";
import { useColourScheme } from "../data/use-colour-scheme.ts";
import { FleetGrid } from "../parts/fleet-grid.tsx";
import { GridLegend } from "../parts/grid-legend.tsx";

const colourTitles: Readonly<Record<GridColour, string>> = {
  state: "state",
  version: "Kubernetes version",
  agent: "agent version",
  heartbeat: "last heartbeat",
  age: "time since Ready changed",
};
const fieldsToGroupBy = ["workspace", "group", "version", "protocol", "reason"] as const;

interface ClusterGridProps {
  readonly shown: readonly ClusterRow[];
  readonly filter: ClusterFilter;
  readonly nowMs: number;
  readonly onChange: (changes: Partial<ClusterFilter>) => void;
}

/** The clusters of a filter as one cell each, grouped and coloured as chosen, and their counts as a table. */
export function ClusterGrid({ shown, filter, nowMs, onChange }: ClusterGridProps): JSX.Element {
  const { by, colour, text } = filter;
  const theme = useColourScheme();
  const ages = useHeartbeatAges(colour === "heartbeat");
  const heartbeatAgeMs = (row: ClusterRow): number | undefined => ages.get(`${row.workspace}/${row.name}`);
  const groups = useMemo(() => groupRows(shown, by === "" ? undefined : readKey(by)), [shown, by]);
  const colours = useMemo(() => gridClasses(shown, { colour, nowMs, heartbeatAgeMs }), [shown, colour, nowMs, ages]);
  const hrefOf = (term: string): string => `/clusters${writeFilter({ ...filter, text: `${text} ${term}`.trim() })}`;
  const labels = useMemo(() => countLabelKeys(shown).map(({ value }) => value), [shown]);
  const keys = [...new Set([...fieldsToGroupBy, ...labels, ...(by === "" ? [] : [by])])];
  return (
    <>
      <div class="grid-bar">
        <label>
          Group by{" "}
          <select value={by} onChange={({ currentTarget }) => onChange({ by: currentTarget.value })}>
            <option value="">nothing</option>
            {keys.map((key) => (
              <option key={key} value={key}>
                {key}
              </option>
            ))}
          </select>
        </label>
        <label>
          Colour by{" "}
          <select
            value={colour}
            onChange={({ currentTarget }) =>
              onChange({ colour: gridColours.find((known) => known === currentTarget.value) ?? "state" })
            }
          >
            {gridColours.map((key) => (
              <option key={key} value={key}>
                {colourTitles[key]}
              </option>
            ))}
          </select>
        </label>
        <GridLegend classes={colours.classes} theme={theme} hrefOf={hrefOf} />
      </div>
      <FleetGrid groups={groups} colours={colours} hrefOf={hrefOf} />
      <CountTable groups={groups} colours={colours} />
    </>
  );
}

/** What the cells show, as numbers. */
function CountTable(props: { readonly groups: readonly GridGroup[]; readonly colours: GridClasses }): JSX.Element {
  const { groups, colours } = props;
  return (
    <details class="grid-table">
      <summary>As a table</summary>
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">Group</th>
            {colours.classes.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ title, rows }) => (
            <tr key={title}>
              <th scope="row" dir="auto">
                {title}
              </th>
              {colours.classes.map((item, index) => (
                <td key={item.title}>{rows.filter((row) => colours.classOf.get(row) === index).length}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";
import type { ClusterFilter, SortKey } from "../data/cluster-filter.ts";
import { filterClusters, filterFacets, readFilter, writeFilter } from "../data/cluster-filter.ts";
import { keyOf } from "../data/fleet-store.ts";
import { goTo } from "../data/navigation.ts";
import { useNow } from "../data/time.ts";
import { count, howToBegin } from "../data/words.ts";
import { Answer } from "../parts/answer.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Labels } from "../parts/labels.tsx";
import { State, wordOfRow } from "../parts/state.tsx";
import type { Column } from "../parts/virtual-table.tsx";
import { VirtualTable } from "../parts/virtual-table.tsx";
import { When } from "../parts/when.tsx";
import { ClusterGrid } from "./cluster-grid.tsx";
import { clusterPath } from "../data/routes.ts";
import { useClusters } from "../data/use-live.ts";

const columns: readonly Column<ClusterRow, SortKey | "labels">[] = [
  { key: "name", title: "Cluster", isSortable: true, cell: nameCell },
  { key: "workspace", title: "Workspace", isSortable: true, cell: workspaceCell },
  { key: "state", title: "State", isSortable: true, cell: stateCell },
  { key: "since", title: "Since", isSortable: true, cell: ({ since }) => <When time={since} /> },
  { key: "version", title: "Kubernetes", isSortable: true, cell: ({ kubernetesVersion = "–" }) => kubernetesVersion },
  { key: "agent", title: "Agent", isSortable: true, cell: ({ agentVersion = "–" }) => agentVersion },
  { key: "nodes", title: "Nodes", isSortable: true, cell: nodesCell },
  { key: "protocol", title: "Protocol", isSortable: true, cell: ({ protocol }) => protocol },
  { key: "labels", title: "Labels", isSortable: false, cell: (row) => <Labels row={row} /> },
];

/** How often clusters are compared with an age again. */
const ageStepMs = 30_000;

/** Every cluster in a table. What is searched and filtered is in the address. */
export function ClustersView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const clusters = useClusters();
  const filter = readFilter(query);
  const change = (changes: Partial<ClusterFilter>): void =>
    goTo(`/clusters${writeFilter({ ...filter, ...changes })}`, { isReplacing: true });
  return (
    <>
      <h1 class="unseen">Clusters</h1>
      <Answer of={clusters}>{(rows) => <FilteredTable rows={rows} filter={filter} onChange={change} />}</Answer>
    </>
  );
}

interface FilteredTableProps {
  readonly rows: readonly ClusterRow[];
  readonly filter: ClusterFilter;
  readonly onChange: (changes: Partial<ClusterFilter>) => void;
}

function FilteredTable({ rows, filter, onChange }: FilteredTableProps): JSX.Element {
  const nowMs = useNow(ageStepMs);
  const shown = useMemo(() => filterClusters(rows, filter, nowMs), [rows, writeFilter(filter), nowMs]);
  const facets = useMemo(() => filterFacets(rows, { text: filter.text, shown, nowMs }), [shown, filter.text]);
  const sortBy = (key: SortKey | "labels"): void => {
    if (key !== "labels") onChange({ sort: key, isDescending: key === filter.sort && !filter.isDescending });
  };
  return (
    <>
      <FilterBar
        text={filter.text}
        rows={rows}
        facets={facets}
        shownCount={shown.length}
        viewLinks={<ViewSwitch filter={filter} />}
        onChange={(text) => onChange({ text })}
      />
      {shown.length === 0 ? (
        <p class="empty">
          {rows.length === 0
            ? howToBegin
            : `No cluster matches. Change the filter, or clear it to see ${count(rows.length, "cluster")}.`}
        </p>
      ) : filter.view === "grid" ? (
        <ClusterGrid shown={shown} filter={filter} nowMs={nowMs} onChange={onChange} />
      ) : (
        <VirtualTable
          title="Clusters"
          rows={shown}
          columns={columns}
          keyOf={keyOf}
          sort={filter.sort}
          isDescending={filter.isDescending}
          onSort={sortBy}
        />
      )}
    </>
  );
}

function ViewSwitch({ filter }: { readonly filter: ClusterFilter }): JSX.Element {
  const titles = { table: "Table", grid: "Grid" } as const;
  return (
    <span class="view-switch">
      {(["table", "grid"] as const).map((view) => (
        <a
          key={view}
          href={`/clusters${writeFilter({ ...filter, view })}`}
          aria-current={filter.view === view ? "true" : undefined}
        >
          {titles[view]}
        </a>
      ))}
    </span>
  );
}

function nameCell(row: ClusterRow): JSX.Element {
  return (
    <a
      class="name"
      href={clusterPath(row)}
      title={row.displayName === undefined ? row.name : `${row.name}, ${row.displayName}`}
    >
      <span>{row.name}</span>
      {row.displayName !== undefined && (
        <span class="soft" dir="auto">
          {row.displayName}
        </span>
      )}
    </a>
  );
}

function workspaceCell({ workspace }: ClusterRow): JSX.Element {
  return <span title={workspace}>{workspace}</span>;
}

function stateCell(row: ClusterRow): JSX.Element {
  const { state, reason, message } = row;
  const word = wordOfRow(row);
  return (
    <span class="state-cell" title={message}>
      <State of={state} hasWord word={word} /> {reason !== word && <span class="soft">{reason}</span>}
    </span>
  );
}

function nodesCell({ nodes, readyNodes }: ClusterRow): string {
  if (nodes === undefined) return "–";
  return readyNodes === nodes ? String(nodes) : `${readyNodes ?? 0} of ${nodes}`;
}

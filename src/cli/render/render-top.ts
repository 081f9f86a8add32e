import { formatAge } from "../../core/duration.ts";
import { printable } from "../../core/printable.ts";
import { formatSize, numberOfQuantity } from "../../core/quantity.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ResourceView } from "../../model/generated/page-api.ts";
import { resourceViews } from "../../planning/views/cluster-detail.ts";
import { renderTable } from "./render-table.ts";

export interface TopRow {
  readonly cluster: Cluster;
  /** The last heartbeat (RFC 3339); undefined: none was sent, or the user may not read it. */
  readonly heartbeat: string | undefined;
}

const header = [
  ...["NAMESPACE", "NAME", "HEARTBEAT", "VERSION", "AGENT", "NODES"],
  ...["CPU", "CPU%", "MEMORY", "MEMORY%"],
];

/** Clusters in a table, in the order given. What an agent does not report is empty. */
export function renderTop(rows: readonly TopRow[], nowMs: number): string {
  return renderTable([header, ...rows.map((row) => cellsOf(row, nowMs))]);
}

function cellsOf({ cluster, heartbeat }: TopRow, nowMs: number): string[] {
  const { metadata, status } = cluster;
  const resources = resourceViews(status?.resources) ?? [];
  const [cpu, memory] = ["cpu", "memory"].map((wanted) => resources.find(({ name }) => name === wanted));
  const nodes = status?.nodes;
  return [
    printable(metadata.namespace ?? ""),
    printable(metadata.name),
    heartbeat === undefined ? "none" : formatAge(nowMs - Date.parse(heartbeat)),
    printable(status?.kubernetesVersion ?? ""),
    printable(status?.agent?.version ?? ""),
    nodes === undefined ? "" : `${nodes.ready}/${nodes.total}`,
    amountOf(cpu, (cores) => String(Math.round(cores * 10) / 10)),
    percentOf(cpu),
    amountOf(memory, formatSize),
    percentOf(memory),
  ];
}

/** What the nodes can give to Pods; where that is not reported, what they have. */
function amountOf(resource: ResourceView | undefined, format: (amount: number) => string): string {
  const amount = numberOfQuantity(resource?.allocatable ?? resource?.capacity);
  return amount === undefined ? "" : format(amount);
}

function percentOf(resource: ResourceView | undefined): string {
  return resource?.usedPercent === undefined ? "" : `${Math.round(resource.usedPercent)}%`;
}

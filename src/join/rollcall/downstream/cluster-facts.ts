import type { JsonObject } from "../../../core/json.ts";
import { isJsonEqual } from "../../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../../core/read-json.ts";
import type { ClusterReportSpec } from "../../../model/generated/cluster-report.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { formatQuantity, parseQuantity } from "./quantity.ts";

/** What an agent found out about its cluster. */
export interface ClusterFacts {
  /** Answer of /version, parsed. */
  readonly version: unknown;
  readonly isLive: boolean;
  readonly isReady: boolean;
  readonly nodes: NodeSummary;
}

/** What a report has of all nodes together. */
export type NodeSummary = Pick<ClusterReportSpec, "nodes" | "resources">;

/** What {@link summarizeNodes} needs of a node. A whole one has tens of kilobytes: images, conditions, who wrote what. */
export function nodeFacts(node: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = node;
  const status = {
    conditions: [{ type: "Ready", status: readiness(node) }],
    capacity: objectAt(node, "status", "capacity"),
    allocatable: objectAt(node, "status", "allocatable"),
  };
  return { apiVersion, kind, metadata: { name: metadata.name }, status };
}

/** Facts as a report contains them. */
export function summarizeFacts({ version, isLive, isReady, nodes }: ClusterFacts): ClusterReportSpec {
  const kubernetesVersion = textAt(version, "gitVersion");
  const platform = textAt(version, "platform");
  return {
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
    ...(platform === undefined ? {} : { platform }),
    ...nodes,
    health: { livez: isLive, readyz: isReady },
  };
}

export function summarizeNodes(nodes: readonly KubeObject[]): NodeSummary {
  const ready = nodes.filter((node) => readiness(node) === "True").length;
  const unknown = nodes.filter((node) => readiness(node) === "Unknown").length;
  return {
    nodes: { total: nodes.length, ready, notReady: nodes.length - ready - unknown, unknown },
    resources: { capacity: sumOf(nodes, "capacity"), allocatable: sumOf(nodes, "allocatable") },
  };
}

/** Reported only while they hold. Any other field that is missing could not be read: its last report stays. */
const passingFields = ["refusedManifestDigest", "refusedVersion"] as const;

/**
 * The merge patch from the previous report to the current one; undefined when nothing changed. A change of time alone
 * does not count.
 */
export function reportPatch(sent: ClusterReportSpec | undefined, now: ClusterReportSpec): JsonObject | undefined {
  const changed = Object.entries(now).filter(
    ([key, value]) => key !== "time" && !isJsonEqual(value, (sent as Record<string, unknown> | undefined)?.[key]),
  );
  const ended = passingFields.filter((key) => sent?.[key] !== undefined && now[key] === undefined);
  if (sent !== undefined && changed.length + ended.length === 0) return undefined;
  const patch: Record<string, unknown> = { time: now.time };
  for (const [key, value] of changed) patch[key] = withRemovals(objectAt(sent, key), value);
  for (const key of ended) patch[key] = null;
  return patch as JsonObject;
}

/** A merge patch must name removed keys explicitly. */
function withRemovals(before: JsonObject | undefined, after: unknown): unknown {
  if (before === undefined || typeof after !== "object" || after === null || Array.isArray(after)) return after;
  const merged: Record<string, unknown> = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
  for (const [key, value] of Object.entries(after)) merged[key] = withRemovals(objectAt(before, key), value);
  return merged;
}

function readiness(node: KubeObject): string {
  const ready = objectsAt(node, "status", "conditions").find(({ type }) => type === "Ready");
  return textAt(ready, "status") ?? "Unknown";
}

function sumOf(nodes: readonly KubeObject[], kind: "capacity" | "allocatable"): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const node of nodes) {
    for (const [resource, amount] of Object.entries(objectAt(node, "status", kind) ?? {})) {
      const parsed = parseQuantity(amount);
      if (parsed !== undefined) sums.set(resource, (sums.get(resource) ?? 0n) + parsed);
    }
  }
  // Those of Kubernetes itself, which have no slash, come first.
  const sorted = [...sums].sort().sort(([a], [b]) => Number(a.includes("/")) - Number(b.includes("/")));
  return Object.fromEntries(
    sorted.slice(0, mostResources).map(([resource, sum]) => [resource, formatQuantity(sum, isBytes(resource))]),
  );
}

/** A report with more is refused as a whole: schemas/fragments/quantities.schema.json. */
const mostResources = 64;

function isBytes(resource: string): boolean {
  return resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");
}

import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";

export const filterNowMs = Date.parse("2026-03-12T12:00:00Z");

/** A cluster's line, ready unless `more` has another state. */
export function filterRow(name: string, more: Partial<ClusterRow> = {}): ClusterRow {
  return {
    ...{ workspace: "fleet", name, protocol: "rollcall", state: "ready", ready: "True", healthy: "True" },
    ...{ reason: "Ready", labels: {} },
    ...more,
  };
}

export const filterRows: readonly ClusterRow[] = [
  filterRow("eu-2", {
    ...{ kubernetesVersion: "v1.9.1", agentVersion: "1.0.0", nodes: 3, since: "2026-03-12T11:59:00Z" },
    ...{ labels: { env: "prod", region: "eu", slots: "12" }, groups: ["europe", "old"] },
  }),
  filterRow("eu-10", {
    ...{ kubernetesVersion: "v1.33.7+k3s1", agentVersion: "0.9.3", nodes: 12, since: "2026-03-01T12:00:00Z" },
    ...{ labels: { env: "dev", region: "eu-north", state: "hot" }, displayName: "Frankfurt (main)" },
  }),
  filterRow("us-1", {
    ...{ workspace: "other", state: "unknown", reason: "HeartbeatMissed", protocol: "fleet" },
    ...{ labels: { env: "prod", empty: "" } },
  }),
];

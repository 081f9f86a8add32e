import type { ClusterTimeline, FleetThen, RecordChange, RecordCommit } from "../../src/model/generated/page-api.ts";
import type { RecordReader } from "../../src/web/dashboard/dashboard-options.ts";
import { exampleCommits, timeAgo } from "./example-fleet.ts";

/** Of the status branch, the newest first. */
export const exampleRecordIds = [
  "e41c7a90d3",
  "5b0e9d1c72",
  "c09b7f22ab",
  "97d8830e17",
  "12b2c9e0d4",
  "08e04fa6c8",
].map((start) => start.padEnd(40, "7a1"));

const commits: readonly RecordCommit[] = [
  ["Ready: prod-eu-north-2", 600],
  ["Unresponsive: prod-us-west-2, store-us-east-4 and 1 other cluster", 2_400],
  ["4 clusters are Ready again", 4_700],
  ["3 clusters were declared", 10_700],
  ["Credentials of 12 clusters were renewed", 21_000],
  ["Agent 1.0.0 in 140 clusters", 90_000],
].map(([subject, seconds], index) => {
  const source = exampleCommits[Math.min(index, exampleCommits.length - 1)];
  return {
    id: exampleRecordIds[index] ?? "",
    subject: String(subject),
    author: "Rollcall",
    committed: timeAgo(Number(seconds)),
    link: `https://github.com/example/fleet/commit/${exampleRecordIds[index]}`,
    ...(source ? { source } : {}),
  };
});

const lost: RecordChange = {
  kind: "State",
  state: "unknown",
  phase: "Unresponsive",
  message: "Unresponsive, before Ready. HeartbeatMissed: The agent has missed 3 heartbeats of 60 s.",
};
const found: RecordChange = { kind: "State", state: "ready", phase: "Ready", message: "Ready, before Unresponsive." };
const renewed: RecordChange = { kind: "Credential", message: "Credential 13 replaced 12." };
const labelled: RecordChange = { kind: "Labels", message: "tier=bronze, before gold." };

const changed: FleetThen["clusters"] = [
  { workspace: "fleet-prod", name: "prod-us-west-2", state: "unknown", changes: [lost] },
  { workspace: "fleet-edge", name: "store-us-east-4", state: "unknown", changes: [lost, labelled] },
  { workspace: "fleet-edge", name: "store-us-east-5", state: "ready", changes: [found, renewed] },
];

const states: NonNullable<FleetThen["states"]> = [
  { phase: "Ready", state: "ready", count: 388 },
  { phase: "Joining", state: "notReady", count: 6 },
  { phase: "Unhealthy", state: "notReady", count: 5 },
  { phase: "Unresponsive", state: "unknown", count: 19 },
  { phase: "Leaving", state: "leaving", count: 2 },
];

/** The history of the example's fleet. */
export const exampleRecords: RecordReader = {
  list: async () => ({ commits: [...commits], isCut: false }),
  fleetAt: async ({ at, from }) => {
    const commit = commits.find(({ id }) => id === at);
    const base = commits.find(({ id }) => id === from);
    if (!commit) return undefined;
    return { at: commit, ...(base ? { from: base } : {}), states, clusters: changed, clusterCount: changed.length };
  },
  timeline: async (): Promise<ClusterTimeline> => ({
    entries: [[found, renewed], [lost], [labelled]].map((changes, index) => ({
      time: commits[index]?.committed ?? "",
      ...(commits[index] ? { commit: commits[index] } : {}),
      changes,
    })),
    isCut: false,
  }),
};

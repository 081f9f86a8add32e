import type { ClusterGroup } from "../../src/model/generated/cluster-group.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import type {
  CommitSummary,
  CommitView,
  FleetHistory,
  RepositorySummary,
  TokenList,
} from "../../src/model/generated/page-api.ts";
import type { Condition } from "../../src/model/kubernetes.ts";
import { matchesSelector } from "../../src/model/selector.ts";
import type { PlacedHubObject } from "../../src/web/dashboard/dashboard-options.ts";

/** The moment at which the example is shown. */
export const exampleNowMs = Date.parse("2026-03-12T14:30:00Z");

const regions = ["eu-west", "eu-north", "us-east", "us-west", "ap-south", "sa-east"];
const teams = ["payments", "search", "stores", "media", "platform"];
const versions = ["v1.34.4", "v1.34.2", "v1.33.7", "v1.32.11"];
const commitIds = ["8c1f5a90d3", "3be27704fa", "f0917c22ab", "a4d8830e17", "77b2c9e0d4", "19e04fa6c8"].map((start) =>
  start.padEnd(40, "5d0"),
);

/** A fleet as a company might have it: mostly well, with some of everything that can be the matter. */
export function exampleClusters(count: number): Cluster[] {
  return Array.from({ length: count }, (_, index) => exampleCluster(index));
}

export const exampleGroups: readonly ClusterGroup[] = ["eu-west", "us-east"].map((region) => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterGroup",
  metadata: { name: region, namespace: "fleet-prod" },
  spec: { selector: { matchLabels: { region } } },
}));

export function groupsOf(cluster: Cluster): string[] {
  return exampleGroups
    .filter(({ spec }) => matchesSelector(spec?.selector, cluster.metadata))
    .map(({ metadata }) => metadata.name);
}

export function exampleCluster(index: number): Cluster {
  const region = pick(regions, index);
  const isEdge = index % 3 === 2;
  const number = Math.floor(index / regions.length) + 1;
  const name = isEdge ? `store-${region}-${number}` : `prod-${region}-${number}`;
  const trouble = troubleOf(index);
  const { isJoined } = trouble;
  const file = `clusters/${isEdge ? "stores" : "prod"}/${name}.yaml`;
  const labels = { env: "prod", region, team: pick(teams, index * 7), tier: isEdge ? "bronze" : "gold" };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: isEdge ? "fleet-edge" : "fleet-prod", generation: 3, labels },
    spec: {
      displayName: `${isEdge ? "Store" : "Production"}, ${region} ${number}`,
      protocol: index % 11 === 5 ? "fleet" : "rollcall",
      heartbeat: { periodSeconds: 60, failureThreshold: 3 },
      ...(isEdge ? {} : { kubeConfigSecretRef: { name: `${name}-kubeconfig` } }),
    },
    status: {
      conditions: conditionsOf(trouble, index),
      ...(isJoined
        ? {
            agent: { version: index % 17 === 4 ? "0.9.3" : "1.0.0", namespace: "rollcall-agent" },
            kubernetesVersion: pick(versions, index * 5),
            platform: "linux/amd64",
            nodes: { total: 3 + (index % 9), ready: 3 + (index % 9) - (trouble.reason === "NoNodeReady" ? 2 : 0) },
            resources: {
              capacity: { cpu: "48", memory: "196608Mi", pods: "330" },
              allocatable: { cpu: "46", memory: "188416Mi", pods: "330" },
              available: { cpu: String(8 + (index % 30)), memory: `${60_000 + index * 37}Mi`, pods: "171" },
            },
            join: {
              mode: isEdge ? "AgentInitiated" : "HubInitiated",
              time: timeAgo(86_400 * (3 + (index % 200))),
              ...(isEdge ? { token: "stores" } : {}),
            },
            credential: { number: 1 + (index % 40), expires: timeAgo(-51_000), rotates: true },
          }
        : {}),
      source: { file, line: 4, commit: pick(commitIds, index) },
      labelOwners: {
        env: "rule fleet-prod/everything",
        region: "file",
        team: "file",
        tier: isEdge ? "token stores" : "file",
      },
      effective: {
        protocol: "rollcall",
        joinMode: isEdge ? "AgentInitiated" : "HubInitiated",
        deletionPolicy: isEdge ? "Detach" : "Uninstall",
        hubURL: "https://hub.example.com",
        clientID: `6f1c${String(index).padStart(4, "0")}-66fc-4a0f-ae5f-af648110641c`,
      },
    },
  };
}

interface Trouble {
  readonly isJoined: boolean;
  readonly type: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

const well: Trouble = {
  isJoined: true,
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "The cluster is accepted, joined and healthy.",
};

function troubleOf(index: number): Trouble {
  if (index % 61 === 7)
    return {
      ...{ isJoined: true, type: "Healthy", status: "Unknown", reason: "HeartbeatMissed" },
      message: "The agent has missed 3 heartbeats of 60 s. Check its Pod, and whether its cluster can reach the hub.",
    };
  if (index % 97 === 20)
    return {
      ...{ isJoined: false, type: "Joined", status: "False", reason: "DownstreamUnreachable" },
      message: "install the agent: no answer (E_KUBE_UNREACHABLE, https://10.4.7.21:6443)",
    };
  if (index % 89 === 33)
    return {
      ...{ isJoined: true, type: "Healthy", status: "False", reason: "NoNodeReady" },
      message: "None of 5 nodes is ready.",
    };
  if (index % 131 === 50)
    return {
      ...{ isJoined: false, type: "Joined", status: "False", reason: "WaitingForAgent" },
      message: "No agent has joined yet. Install one with the values of a token that names this cluster.",
    };
  return well;
}

function conditionsOf(trouble: Trouble, index: number): Condition[] {
  const since = trouble === well ? timeAgo(86_400 * (1 + (index % 60))) : timeAgo(240 + (index % 7) * 1700);
  const old = timeAgo(86_400 * (3 + (index % 200)));
  const condition = (type: string, status: Condition["status"], reason: string, message: string): Condition => ({
    ...{ type, status, reason, message },
    lastTransitionTime: status === "True" ? old : since,
  });
  const isTrouble = (type: string): boolean => trouble.type === type && trouble !== well;
  const evaluated = (type: string, reason: string, message: string): Condition => {
    if (isTrouble(type)) return condition(type, trouble.status, trouble.reason, trouble.message);
    if (!trouble.isJoined && type !== "Accepted")
      return condition(type, "Unknown", "NotJoined", "No agent has joined yet.");
    return condition(type, "True", reason, message);
  };
  const ready = trouble === well ? well : { ...trouble, status: "False" as const };
  return [
    { ...condition("Ready", ready.status, ready.reason, ready.message), lastTransitionTime: since },
    evaluated("Accepted", "Accepted", "The cluster is declared and allowed."),
    evaluated("Joined", "Joined", "The agent has joined with its own keys."),
    evaluated("Healthy", "AgentReports", "The agent reports, and the API server is ready."),
    evaluated("AgentUpToDate", "UpToDate", "The agent runs version 1.0.0 as wanted."),
    evaluated(
      "CredentialsValid",
      "Rotating",
      "Credential 12 is valid until 2026-03-13T04:40:00Z; the agent renews it before.",
    ),
  ];
}

export const exampleCommits: readonly CommitSummary[] = [
  ["Move store-eu-north to the bronze tier", "Ada Okafor", 11 * 60],
  ["Add three clusters in ap-south", "Jonas Lind", 3 * 3600],
  ["Raise the heartbeat window of the stores", "Mina Park", 7 * 3600],
  ["Agent 1.0.0 for everybody", "Ada Okafor", 26 * 3600],
  ["Retire prod-us-west-9", "Jonas Lind", 49 * 3600],
  ["Label by rule: env=prod", "Mina Park", 75 * 3600],
].map(([subject, author, seconds], index) => ({
  id: pick(commitIds, index),
  subject: String(subject),
  author: String(author),
  committed: timeAgo(Number(seconds)),
  link: `https://github.com/example/fleet/commit/${pick(commitIds, index)}`,
}));

export const exampleRepository: RepositorySummary = {
  url: "https://github.com/example/fleet.git",
  branch: "main",
  link: "https://github.com/example/fleet",
  state: "stalled",
  message: "1 error in the files; everything else is on the hub.",
  ...pair(exampleCommits),
  errors: 1,
  warnings: 1,
  problems: [
    {
      code: "E_UNKNOWN_FIELD",
      severity: "error",
      file: "clusters/stores/store-eu-north-4.yaml",
      line: 9,
      message: 'spec has no field "heartbeet"; did you mean heartbeat?',
      link: "https://github.com/example/fleet/blob/main/clusters/stores/store-eu-north-4.yaml#L9",
    },
    {
      code: "W_EMPTY_SELECTOR",
      severity: "warning",
      file: "labels/tiers.yaml",
      line: 12,
      message: "The selector matches no cluster.",
      link: "https://github.com/example/fleet/blob/main/labels/tiers.yaml#L12",
    },
  ],
};

export const exampleChanges: NonNullable<CommitView["changes"]> = [
  {
    kind: "update",
    object: "Cluster/fleet-edge/store-eu-north-1",
    source: { file: "clusters/stores/store-eu-north-1.yaml", line: 4 },
    fields: [{ path: "metadata.labels.tier", from: "gold", to: "bronze" }],
  },
  {
    kind: "update",
    object: "Cluster/fleet-edge/store-eu-north-2",
    source: { file: "clusters/stores/store-eu-north-2.yaml", line: 4 },
    fields: [{ path: "metadata.labels.tier", from: "gold", to: "bronze" }],
  },
];

export const exampleCommitViews: readonly CommitView[] = exampleCommits.map((commit, index) => ({
  commit,
  outcome: index === 0 ? "Partial" : "Applied",
  ...(index === 0 ? { message: "clusters/stores/store-eu-north-4.yaml:9:3 E_UNKNOWN_FIELD" } : {}),
  finished: commit.committed ?? "",
  tookSeconds: 2.1 + index * 0.7,
  files: [{ path: `clusters/stores/store-eu-north-${index + 1}.yaml`, kind: index === 4 ? "removed" : "changed" }],
  fileCount: 1,
  ...(index === 0 ? { changes: exampleChanges, changeCount: 2 } : {}),
}));

export const exampleHubObjects: readonly PlacedHubObject[] = [
  {
    workspace: "fleet-edge",
    row: {
      object: "Cluster/fleet-edge/store-0042",
      reason: "EditedOnHub",
      message: "No file has what was set on the hub, so it has no effect: metadata.labels[window] (kubectl-label).",
    },
  },
];

export const exampleTokens: TokenList = {
  tokens: [
    exampleToken("onboarding", { expires: timeAgo(-5 * 3600), uses: 3, maximumUses: 5, reason: "ExpiresSoon" }),
    exampleToken("stores", { expires: timeAgo(-19 * 86_400), uses: 138, clusterNames: ["store-*"] }),
    exampleToken("partners", { approval: "PullRequest", uses: 2 }),
    exampleToken("migration", { state: "False", reason: "Expired", expires: timeAgo(3 * 86_400), uses: 44 }),
  ],
  registrations: [
    {
      workspace: "fleet-edge",
      name: "partners-4e1f09ab22c7",
      token: "partners",
      cluster: "partner-lisbon",
      decision: "Proposed",
      reason: "WaitingForApproval",
      message: "The cluster's file waits to be merged.",
      time: timeAgo(1300),
    },
    {
      workspace: "fleet-edge",
      name: "stores-90ac77d1e034",
      token: "stores",
      cluster: "store-eu-west-44",
      decision: "Granted",
      time: timeAgo(5200),
    },
    {
      workspace: "fleet-edge",
      name: "migration-0b1ed3c9a411",
      token: "migration",
      cluster: "old-rack-7",
      decision: "Refused",
      reason: "TokenExpired",
      message: "The token ended at 2026-03-09T14:30:00Z.",
      time: timeAgo(80_000),
    },
  ],
};

function exampleToken(name: string, more: Partial<TokenList["tokens"][number]>): TokenList["tokens"][number] {
  return {
    workspace: "fleet-edge",
    name,
    protocol: "rollcall",
    state: "True",
    reason: "Open",
    message: `Secret ${name} has the values to install an agent with.`,
    uses: 0,
    approval: "Automatic",
    clusterNames: [],
    labels: { env: "prod" },
    lastUses: [{ cluster: "store-eu-west-44", time: timeAgo(5200) }],
    source: { file: `tokens/${name}.yaml`, line: 1 },
    ...more,
  };
}

/** The last day, with an outage of a region in it. */
export function exampleHistory(clusterCount: number): FleetHistory {
  const times = Array.from({ length: 24 * 12 }, (_, index) => exampleNowMs / 1000 - (24 * 12 - index) * 300);
  const unknown = times.map((_, index) => (index > 120 && index < 150 ? Math.round(clusterCount / 14) : 7));
  const notReady = times.map((_, index) => 4 + (index % 50 < 9 ? 6 : 0));
  const leaving = times.map((_, index) => (index > 200 && index < 230 ? 2 : 0));
  const ready = times.map(
    (_, index) => clusterCount - (unknown[index] ?? 0) - (notReady[index] ?? 0) - (leaving[index] ?? 0),
  );
  return {
    times,
    unknown,
    notReady,
    ready,
    states: [
      { phase: "Ready", state: "ready", counts: ready },
      { phase: "Joining", state: "notReady", counts: notReady.map((number) => Math.min(number, 4)) },
      { phase: "Unhealthy", state: "notReady", counts: notReady.map((number) => Math.max(0, number - 4)) },
      { phase: "Unresponsive", state: "unknown", counts: unknown },
      { phase: "Leaving", state: "leaving", counts: leaving },
    ],
    commits: Array.from({ length: 22 }, (_, index) => ({
      commit: pick(commitIds, index),
      time: exampleNowMs / 1000 - (22 - index) * 3900,
      seconds: 1.6 + ((index * 37) % 23) / 8,
    })),
  };
}

export function timeAgo(seconds: number): string {
  return new Date(exampleNowMs - seconds * 1000).toISOString();
}

function pair([observed, applied]: readonly CommitSummary[]): Pick<RepositorySummary, "observed" | "applied"> {
  return { ...(observed ? { observed } : {}), ...(applied ? { applied } : {}) };
}

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

import { join } from "node:path";
import { silentLog } from "../../src/core/log.ts";
import { realClock } from "../../src/system/real-clock.ts";
import type { RepositorySummary } from "../../src/model/generated/page-api.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { clusterDetail } from "../../src/planning/views/cluster-detail.ts";
import { clusterRow } from "../../src/planning/views/cluster-row.ts";
import { forgeLinks } from "../../src/planning/views/forge-links.ts";
import type { Access } from "../../src/web/dashboard/access.ts";
import { openAccess } from "../../src/web/dashboard/access.ts";
import { dashboardRoutes } from "../../src/web/dashboard/dashboard.ts";
import type { FleetReader } from "../../src/web/dashboard/dashboard-options.ts";
import { FleetFeed } from "../../src/web/dashboard/fleet-feed.ts";
import { readPageAssets } from "../../src/web/dashboard/page-assets.ts";
import type { PageActions } from "../../src/web/dashboard/page-actions.ts";
import { RowTable } from "../../src/web/dashboard/row-table.ts";
import type { WebRoute, WebServer } from "../../src/web/web.ts";
import { startWebServer } from "../../src/web/web.ts";
import { freePort } from "../support/free-port.ts";
import {
  exampleCommitViews,
  exampleCommits,
  exampleHistory,
  exampleHubObjects,
  exampleNowMs,
  exampleRepository,
  exampleTokens,
  groupsOf,
  timeAgo,
} from "./example-fleet.ts";
import { exampleRecords } from "./example-records.ts";
import { examplePlan } from "./example-plan.ts";

/** The page on a fleet that a test makes up: the real server, routes and browser code, without a hub. */
export interface Stage {
  readonly url: string;
  readonly feed: FleetFeed;
  /** Puts clusters there, or changes them. */
  put(...clusters: readonly Cluster[]): void;
  remove(cluster: Cluster): void;
  /** From then on the hub cannot be watched. */
  loseHub(sinceMs: number | undefined): void;
  /** Ends the server; `start` brings it back at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface StageOptions {
  /** Default: open to all. */
  readonly access?: Access;
  /** Default: the page is read-only. */
  readonly actions?: PageActions;
  /** Default: of the example. */
  readonly nowMs?: number;
  readonly repository?: () => RepositorySummary;
}

export async function openStage(
  clusters: readonly Cluster[],
  {
    access = openAccess(() => ["fleet-edge", "fleet-prod"]),
    actions,
    nowMs = exampleNowMs,
    repository = () => exampleRepository,
  }: StageOptions = {},
): Promise<Stage> {
  const objects = new Map<string, Cluster>();
  const rows = new RowTable((key) => {
    const cluster = objects.get(key);
    return cluster && clusterRow(cluster, groupsOf(cluster));
  });
  const feed = new FleetFeed("stage");
  const put = (...changed: readonly Cluster[]): void => {
    for (const cluster of changed) {
      const key = keyOf(cluster);
      objects.set(key, cluster);
      if (rows.update(key)) feed.recordCluster(key);
    }
  };
  put(...clusters);
  const state = { port: await freePort(), hubAwaySinceMs: undefined as number | undefined };
  const reader: FleetReader = {
    version: "1.0.0",
    hubAwaySinceMs: () => state.hubAwaySinceMs,
    clusters: () => rows.all(),
    cluster: (workspace, name) => rows.get(`${workspace}/${name}`),
    clusterDetail: async (workspace, name) => {
      const cluster = objects.get(`${workspace}/${name}`);
      const row = rows.get(`${workspace}/${name}`);
      return cluster && row && detailOf(cluster, row, nowMs);
    },
    lastHeartbeat: (workspace, name) => {
      const reason = rows.get(`${workspace}/${name}`)?.reason;
      if (reason === "WaitingForAgent") return undefined;
      return new Date(realClock.nowMs() - (reason === "HeartbeatMissed" ? 720_000 : 20_000)).toISOString();
    },
    tokens: () => exampleTokens,
    repository,
    repositoryDetail: async () => ({
      summary: repository(),
      commits: [...exampleCommitViews],
      branches: ["retire-sa-east", "agent-1.1", "rollcall/join/fleet-edge/partners"],
    }),
    plan: async (branch) => (branch === "retire-sa-east" ? examplePlan : undefined),
    history: () => exampleHistory(rows.all().length),
    records: exampleRecords,
    hubObjects: () => exampleHubObjects,
  };
  const assets = await readPageAssets(join(import.meta.dirname, "../../dist/page"));
  let running: { readonly server: WebServer; readonly stopping: AbortController } | undefined;
  const start = async (): Promise<void> => {
    const stopping = new AbortController();
    const options = { reader, feed, access, assets, clock: realClock, signal: stopping.signal };
    const routes = dashboardRoutes({ ...options, ...(actions ? { actions } : {}) }).map((route) => dated(route, nowMs));
    const server = await startWebServer({ host: "127.0.0.1", port: state.port, routes, log: silentLog });
    state.port = server.port;
    running = { server, stopping };
  };
  await start();
  return {
    url: `http://127.0.0.1:${state.port}`,
    feed,
    put,
    remove: (cluster) => {
      objects.delete(keyOf(cluster));
      if (rows.update(keyOf(cluster))) feed.recordCluster(keyOf(cluster));
    },
    loseHub: (sinceMs) => {
      state.hubAwaySinceMs = sinceMs;
      feed.recordPart("fleet");
    },
    start,
    stop: async () => {
      running?.stopping.abort();
      await running?.server.close();
    },
  };
}

/** The page shows ages by the date of answers. */
function dated(route: WebRoute, nowMs: number): WebRoute {
  const date = new Date(nowMs).toUTCString();
  return {
    ...route,
    answer: async (request) => {
      const answer = await route.answer(request);
      return { ...answer, headers: { ...answer.headers, date } };
    },
  };
}

function detailOf(
  cluster: Cluster,
  row: ReturnType<typeof clusterRow>,
  nowMs: number,
): ReturnType<typeof clusterDetail> {
  const isUnresponsive = row.reason === "HeartbeatMissed";
  const heartbeats = Array.from({ length: 60 }, (_, index) => timeAgo((59 - index) * 60 + (isUnresponsive ? 240 : 20)));
  return clusterDetail({
    cluster,
    row,
    state: {
      credential: { number: 12, issuedAt: timeAgo(35_000), expiresAt: timeAgo(-51_000) },
    },
    beats: { last: heartbeats.at(-1) ?? "", watchedSince: timeAgo(50 * 60), seen: heartbeats },
    links: forgeLinks({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "fleet" },
      spec: { url: "https://github.com/example/fleet.git" },
    }),
    requests: [],
    history: exampleCommits.slice(0, 3),
    nowMs,
  });
}

function keyOf({ metadata }: Cluster): string {
  return `${metadata.namespace}/${metadata.name}`;
}

import type { Clock } from "../../core/clock.ts";
import type {
  ClusterDetail,
  ClusterRow,
  ClusterTimeline,
  FleetHistory,
  FleetThen,
  HubObjectList,
  PlanView,
  RecordList,
  RepositoryDetail,
  RepositorySummary,
  TokenList,
} from "../../model/generated/page-api.ts";
import type { Access } from "./access.ts";
import type { FleetFeed } from "./fleet-feed.ts";
import type { PageActions } from "./page-actions.ts";
import type { PageAssets } from "./page-assets.ts";

/** An object of the hub that no file declares, and its place. */
export interface PlacedHubObject {
  /** Undefined: it has no namespace. */
  readonly workspace: string | undefined;
  readonly row: HubObjectList["items"][number];
}

/** What the status branch recorded of the past. */
export interface RecordReader {
  list(): Promise<RecordList>;
  /**
   * The fleet at a commit of `list`, and what changed since another one of it (default: since the commit before). Undefined
   * when either is none of them. Only the clusters of workspaces that `canSee` admits are read.
   */
  fleetAt(
    commits: { readonly at: string; readonly from: string | undefined },
    canSee: (workspace: string) => boolean,
  ): Promise<FleetThen | undefined>;
  /** Empty for a cluster that no record is about. */
  timeline(workspace: string, name: string): Promise<ClusterTimeline>;
}

/** What the daemon sees, as a page may show it. Nothing here is filtered yet: the routes do that, by viewer. */
export interface FleetReader {
  readonly version: string;
  /** Since when (clock ms) the hub cannot be watched; undefined while it can. */
  hubAwaySinceMs(): number | undefined;
  /** Sorted by workspace and name. */
  clusters(): readonly ClusterRow[];
  cluster(workspace: string, name: string): ClusterRow | undefined;
  clusterDetail(workspace: string, name: string): Promise<ClusterDetail | undefined>;
  /** The time (RFC 3339) of a cluster's last heartbeat. */
  lastHeartbeat(workspace: string, name: string): string | undefined;
  tokens(): TokenList;
  repository(): RepositorySummary | undefined;
  repositoryDetail(): Promise<RepositoryDetail | undefined>;
  /** Undefined when there is no such branch. @throws E_BRANCH_LIMIT when many others wait for their plans */
  plan(branch: string): Promise<PlanView | undefined>;
  history(): FleetHistory;
  readonly records: RecordReader;
  /** What is on the hub and in no file, by name. */
  hubObjects(): readonly PlacedHubObject[];
}

export interface DashboardOptions {
  readonly reader: FleetReader;
  readonly feed: FleetFeed;
  readonly access: Access;
  /** Absent: the page is read-only. */
  readonly actions?: PageActions;
  readonly assets: PageAssets;
  readonly clock: Clock;
  /** Ends the streams. */
  readonly signal: AbortSignal;
}

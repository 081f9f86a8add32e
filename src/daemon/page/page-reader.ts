import { isJsonEqual } from "../../core/json.ts";
import { version } from "../../core/version.ts";
import type { HubView, ViewChange } from "../../hub/hub-view.ts";
import { writableTypes } from "../../hub/report-hub-objects.ts";
import type { ClusterGroup } from "../../model/generated/cluster-group.ts";
import type { ClusterRegistrationToken } from "../../model/generated/cluster-registration-token.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterDetail, RepositorySummary } from "../../model/generated/page-api.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { clusterDetail } from "../../planning/views/cluster-detail.ts";
import { clusterRow } from "../../planning/views/cluster-row.ts";
import { groupsOfCluster } from "../../planning/views/groups-of-cluster.ts";
import { forgeLinks } from "../../planning/views/forge-links.ts";
import { requestViews } from "../../planning/views/request-views.ts";
import { repositorySummary } from "../../planning/views/repository-summary.ts";
import { tokenList } from "../../planning/views/token-list.ts";
import { HeartbeatLog } from "../../web/dashboard/heartbeat-log.ts";
import type { FleetReader, RecordReader } from "../../web/dashboard/dashboard-options.ts";
import type { FleetFeed } from "../../web/dashboard/fleet-feed.ts";
import type { FleetRecorder } from "../../web/dashboard/fleet-recorder.ts";
import { RowTable } from "../../web/dashboard/row-table.ts";
import { HubObjectTable } from "./hub-object-table.ts";
import type { BranchPlanner } from "./page-branch-plan.ts";
import type { BranchLister } from "./page-branches.ts";
import type { PageCommits } from "./page-commits.ts";
import { heartbeatTime } from "../read-heartbeat.ts";
import { realClock } from "../../system/real-clock.ts";
import type { RepositorySource } from "../known-repository.ts";
import type { Daemon } from "../wire-run.ts";

export interface PageReaderOptions {
  readonly daemon: Pick<Daemon, "view" | "protocols">;
  readonly repository: RepositorySource;
  readonly feed: FleetFeed;
  readonly commits: PageCommits;
  readonly planBranch: BranchPlanner;
  readonly listBranches: BranchLister;
  readonly recorder: FleetRecorder;
  readonly records: RecordReader;
}

/** What the daemon sees, as the page shows it, and the feed of what changes in it. */
export function createPageReader(options: PageReaderOptions): FleetReader {
  const { daemon, repository, feed, commits, planBranch, listBranches, recorder, records } = options;
  const { view, protocols } = daemon;
  const rows = new RowTable((key) => rowOf(view, key));
  const heartbeats = new HeartbeatLog(realClock.nowMs());
  const hubObjects = new HubObjectTable(view, writableTypes(protocols));
  const registrationTypes = [...new Set([...protocols.values()].map(({ registrations }) => registrations.type))];

  const recordChange = (change: ViewChange): void => {
    const { ref, object, before } = change;
    const workspace = ref.namespace ?? "";
    const beating = heartbeatIn(change, daemon);
    if (beating !== undefined && rows.get(beating)) heartbeats.record(beating, realClock.nowMs());
    if (hubObjects.record(change)) feed.recordPart("fleet");
    if (ref.type === resourceTypes.cluster) {
      const key = `${workspace}/${ref.name}`;
      if (rows.update(key)) feed.recordCluster(key);
      if (!object) heartbeats.forget(key);
    } else if (ref.type === resourceTypes.clusterGroup) {
      if (object && before && selectsTheSame(object, before)) return;
      for (const { metadata } of clustersOf(view).filter((cluster) => cluster.metadata.namespace === workspace)) {
        const key = `${workspace}/${metadata.name}`;
        if (rows.update(key)) feed.recordCluster(key);
      }
    } else if (ref.type === resourceTypes.clusterRegistrationToken || registrationTypes.includes(ref.type)) {
      feed.recordPart("tokens");
    }
  };
  view.subscribe(recordChange);
  for (const { metadata } of clustersOf(view)) rows.update(`${metadata.namespace}/${metadata.name}`);
  repository.onNews(() => void commits.prefetch(repository.read()).then(() => feed.recordPart("repository")));
  void commits.prefetch(repository.read()).then(() => feed.recordPart("repository"));

  const links = (): ReturnType<typeof forgeLinks> => forgeLinks(repository.read());
  const summary = (): RepositorySummary | undefined => {
    const live = repository.read();
    return live && repositorySummary(live, { links: links(), commitOf: (id) => commits.peek(id) });
  };
  return {
    version,
    hubAwaySinceMs: () => view.failingSinceMs(resourceTypes.cluster),
    clusters: () => rows.all(),
    cluster: (workspace, name) => rows.get(`${workspace}/${name}`),
    clusterDetail: async (workspace, name): Promise<ClusterDetail | undefined> => {
      const cluster = clusterOf(view, `${workspace}/${name}`);
      const row = rows.get(`${workspace}/${name}`);
      if (!cluster || !row) return undefined;
      const file = cluster.status?.source?.file;
      return clusterDetail({
        cluster,
        row,
        state: view.memberStateOf(workspace, name),
        beats: heartbeats.read(`${workspace}/${name}`, lastHeartbeatOf(daemon, workspace, name)),
        links: links(),
        requests: requestViews(cluster, view.list(resourceTypes.clusterRegistration)),
        history: file === undefined ? [] : await commits.touching(file, repository.read()),
        nowMs: realClock.nowMs(),
      });
    },
    lastHeartbeat: (workspace, name) => lastHeartbeatOf(daemon, workspace, name),
    tokens: () =>
      tokenList(
        view.list(resourceTypes.clusterRegistrationToken) as readonly ClusterRegistrationToken[],
        registrationTypes.flatMap((type) => view.list(type)),
        links(),
      ),
    repository: summary,
    repositoryDetail: async () => {
      const shown = summary();
      if (!shown) return undefined;
      const live = repository.read();
      const [detail, branches] = await Promise.all([commits.detail(live), listBranches(live)]);
      return { summary: shown, ...detail, branches: [...branches] };
    },
    plan: planBranch,
    history: () => recorder.read(rows.all()),
    records,
    hubObjects: () => hubObjects.all(),
  };
}

function rowOf(view: HubView, key: string): ReturnType<typeof clusterRow> | undefined {
  const cluster = clusterOf(view, key);
  if (!cluster) return undefined;
  const groups = view.list(resourceTypes.clusterGroup) as readonly unknown[] as readonly ClusterGroup[];
  return clusterRow(cluster, groupsOfCluster(cluster, groups));
}

/** The status of a group changes with each cluster that it counts, and each row of the workspace is compared with all groups. */
function selectsTheSame(group: KubeObject, before: KubeObject): boolean {
  return isJsonEqual(group["spec"], before["spec"]) && isJsonEqual(group.metadata.labels, before.metadata.labels);
}

/**
 * The cluster, `workspace/name`, whose heartbeat a change is. A heartbeat is a marker that differs from the one before; the first
 * that is seen may be old. The last ones of a cluster that was removed may come after it.
 */
function heartbeatIn({ object, before }: ViewChange, { protocols }: PageReaderOptions["daemon"]): string | undefined {
  if (!object || !before) return undefined;
  for (const protocol of protocols.values()) {
    const heartbeat = protocol.heartbeatIn(object);
    if (!heartbeat) continue;
    const isNew = protocol.heartbeatIn(before)?.marker !== heartbeat.marker;
    return isNew ? `${heartbeat.workspace}/${heartbeat.cluster}` : undefined;
  }
  return undefined;
}

function lastHeartbeatOf(
  { view, protocols }: PageReaderOptions["daemon"],
  workspace: string,
  name: string,
): string | undefined {
  const cluster = clusterOf(view, `${workspace}/${name}`);
  const protocol = protocols.get(cluster?.spec?.protocol ?? "rollcall");
  if (!cluster || !protocol) return undefined;
  return heartbeatTime(protocol, view.get(protocol.heartbeatRef({ workspace, name, cluster })));
}

function clusterOf(view: HubView, key: string): Cluster | undefined {
  const slash = key.indexOf("/");
  const ref = { type: resourceTypes.cluster, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  return view.get(ref) as Cluster | undefined;
}

function clustersOf(view: HubView): readonly Cluster[] {
  return view.list(resourceTypes.cluster) as readonly unknown[] as readonly Cluster[];
}

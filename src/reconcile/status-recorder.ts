import { compareNames } from "../core/compare-names.ts";
import { compareText } from "../core/compare-text.ts";
import { matchesGlob } from "../core/name-glob.ts";
import { SortedLines } from "../core/sorted-lines.ts";
import { countObjects } from "../hub/fleet-counts.ts";
import type { HubView, ViewChange } from "../hub/hub-view.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { HubFacts } from "../model/member.ts";
import { memberStateSubject } from "../model/member-state.ts";
import type { Plan } from "../model/plan.ts";
import { belongsTo, repositoryLabelOf } from "../model/repository-label.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { HubObject } from "../planning/hub-objects.ts";
import { hubObjectOf } from "../planning/hub-objects.ts";
import { MemberTally } from "../planning/member-tally.ts";
import { clusterRecordPath, clusterRow, renderFleetFiles, toYamlFile } from "../planning/render-status.ts";
import { StatusFiles } from "../planning/status-files.ts";
import { clusterRecord, computeFleetRecords, heldClusters } from "../planning/status-records.ts";
import { clustersOf } from "./fleet-of-repository.ts";

/** So often all records are made anew, whatever changed: what an earlier write may have missed does not stay. */
const anewMs = 3_600_000;

type RecordedView = Pick<HubView, "get" | "list" | "memberStateOf" | "tokenOf" | "workspaces" | "subscribe">;

export interface RecordedRun {
  /** As it was written last. */
  readonly repository: Repository;
  readonly hub: HubFacts;
  readonly plan: Plan | undefined;
  /** Where the status branch begins. Default: nothing of it is squashed. */
  readonly history?: FleetSummary["history"];
  /** Monotonic. */
  readonly nowMs: number;
}

export interface RecordedStatus {
  readonly files: StatusFiles;
  readonly summary: FleetSummary;
}

/** What was recorded last, and what changed on the hub since. */
interface Recorded {
  readonly repositoryLabel: string;
  readonly sinceMs: number;
  readonly files: StatusFiles;
  readonly rows: SortedLines;
  readonly tally: MemberTally;
  held: ReadonlySet<string>;
  /** Of everything but clusters. */
  fleetPaths: ReadonlySet<string>;
  /** By object. */
  readonly hubObjects: Map<string, { readonly namespace: string | undefined; readonly found: HubObject }>;
  /** `workspace/name` of clusters. */
  readonly changedClusters: Set<string>;
  readonly changedObjects: Map<string, ObjectRef>;
}

/**
 * Keeps the files of the status branch: a write visits the clusters and objects that changed since the one before. All
 * files are made anew after a start, for another Repository, and once an hour.
 */
export class StatusRecorder {
  readonly #view: RecordedView;
  /** Kinds of which objects without a file are reported. */
  readonly #types: ReadonlySet<ResourceType>;
  readonly #unsubscribe: () => void;
  #recorded: Recorded | undefined;

  constructor(view: RecordedView, types: readonly ResourceType[] = []) {
    this.#view = view;
    this.#types = new Set(types);
    this.#unsubscribe = view.subscribe((change) => this.#recordChange(change));
  }

  /** The files as they are to be now. They stay current only until the next call. */
  record(run: RecordedRun): RecordedStatus {
    const recorded = this.#open(run);
    const held = heldClusters(run.plan);
    for (const key of [...held, ...recorded.held])
      if (held.has(key) !== recorded.held.has(key)) recorded.changedClusters.add(key);
    recorded.held = held;
    for (const key of recorded.changedClusters) this.#recordCluster(key, recorded);
    for (const ref of recorded.changedObjects.values()) this.#findHubObject(ref, recorded);
    recorded.changedClusters.clear();
    recorded.changedObjects.clear();
    return { files: recorded.files, summary: this.#recordFleet(run, recorded) };
  }

  stop(): void {
    this.#unsubscribe();
    this.#recorded = undefined;
  }

  #open({ repository, nowMs }: RecordedRun): Recorded {
    const known = this.#recorded;
    const repositoryLabel = repositoryLabelOf(repository);
    if (known?.repositoryLabel === repositoryLabel && nowMs - known.sinceMs <= anewMs) return known;
    const clusters = clustersOf(this.#view, repository);
    const refs = [...this.#types].flatMap((type) => this.#view.list(type).map((object) => refOf(type, object)));
    this.#recorded = {
      repositoryLabel,
      sinceMs: nowMs,
      files: new StatusFiles(),
      rows: new SortedLines(compareNames),
      tally: new MemberTally(),
      held: new Set(),
      fleetPaths: new Set(),
      hubObjects: new Map(),
      changedClusters: new Set(clusters.map(({ metadata: { namespace = "", name } }) => `${namespace}/${name}`)),
      changedObjects: new Map(refs.map((ref) => [describeRef(ref), ref])),
    };
    return this.#recorded;
  }

  #recordChange({ ref }: ViewChange): void {
    const recorded = this.#recorded;
    if (!recorded) return;
    const subject = ref.type === resourceTypes.configMap ? memberStateSubject(ref.name) : undefined;
    const cluster = ref.type === resourceTypes.cluster ? ref.name : subject;
    if (cluster !== undefined) recorded.changedClusters.add(`${ref.namespace ?? ""}/${cluster}`);
    if (this.#types.has(ref.type)) recorded.changedObjects.set(describeRef(ref), ref);
  }

  #recordCluster(key: string, { repositoryLabel, files, rows, tally, held }: Recorded): void {
    const slash = key.indexOf("/");
    const [workspace, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const live = this.#view.get({ type: resourceTypes.cluster, namespace: workspace, name });
    const isOurs = live !== undefined && belongsTo(live, repositoryLabel);
    const state = this.#view.memberStateOf(workspace, name);
    const member = isOurs ? { workspace, name, cluster: live as unknown as Cluster, state } : undefined;
    const record = member && clusterRecord(member, { isHeld: held.has(key) });
    tally.set(key, member);
    rows.set(key, record && clusterRow(record));
    files.set(clusterRecordPath(key), record && toYamlFile(record));
  }

  #findHubObject(ref: ObjectRef, { hubObjects }: Recorded): void {
    const live = this.#view.get(ref);
    const found = live && hubObjectOf(live);
    if (found) hubObjects.set(describeRef(ref), { namespace: ref.namespace, found });
    else hubObjects.delete(describeRef(ref));
  }

  #recordFleet({ repository, hub, plan, history }: RecordedRun, recorded: Recorded): FleetSummary {
    const { repositoryLabel, files, rows, tally, hubObjects } = recorded;
    const view = this.#view;
    const isAllowed = (name: string): boolean =>
      (repository.spec.workspaces ?? ["*"]).some((pattern) => matchesGlob(pattern, name));
    const tokens = view
      .list(resourceTypes.clusterRegistrationToken)
      .filter((object: KubeObject) => belongsTo(object, repositoryLabel));
    const records = computeFleetRecords(
      {
        repository,
        hub,
        plan,
        history,
        tokens: tokens.flatMap(({ metadata }) => view.tokenOf(metadata.namespace ?? "", metadata.name) ?? []),
        groupCount: countObjects(view, repositoryLabel).groups,
        workspaces: view.workspaces.filter(isAllowed),
        problems: plan?.problems ?? [],
        hubObjects: [...hubObjects.values()]
          .filter(({ namespace }) => namespace === undefined || isAllowed(namespace))
          .map(({ found }) => found)
          .sort((a, b) => compareText(a.object, b.object)),
      },
      tally,
    );
    const fleetFiles = renderFleetFiles(records, rows.bytes());
    for (const path of recorded.fleetPaths) if (!fleetFiles.has(path)) files.set(path, undefined);
    for (const [path, file] of fleetFiles) files.set(path, file);
    recorded.fleetPaths = new Set(fleetFiles.keys());
    return records.summary;
  }
}

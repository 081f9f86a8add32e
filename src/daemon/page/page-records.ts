import { BoundedCache } from "../../core/bounded-cache.ts";
import type { Clock } from "../../core/clock.ts";
import { compact } from "../../core/compact.ts";
import { isAppError } from "../../core/errors.ts";
import { createGate, passThrough } from "../../core/gate.ts";
import type { Json } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { numberAt, objectAt } from "../../core/read-json.ts";
import type { Commit, GitEngine, PathChange, TreeFile } from "../../git/git.ts";
import { readYaml } from "../../manifests/read-yaml.ts";
import { sortStates } from "../../model/count-states.ts";
import type {
  ClusterTimeline,
  FleetThen,
  RecordCommit,
  RecordList,
  StateCount,
} from "../../model/generated/page-api.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { clusterRecordPath } from "../../planning/render-status.ts";
import { signOfState } from "../../planning/views/cluster-row.ts";
import { forgeLinks } from "../../planning/views/forge-links.ts";
import { recordChanges } from "../../planning/views/record-changes.ts";
import type { RecordedCluster } from "../../planning/views/recorded-cluster.ts";
import { readRecordedCluster } from "../../planning/views/recorded-cluster.ts";
import { commitSummary } from "../../planning/views/repository-summary.ts";
import type { RecordReader } from "../../web/dashboard/dashboard-options.ts";
import { ShortMemory } from "../../core/short-memory.ts";
import { mostStatusCommits, StatusCommits } from "./status-commits.ts";

/** For so long pages share a list or a timeline. */
const keptMs = 5_000;
const mostEntries = 60;
const mostClusters = 200;
const mostRecordBytes = 256 * 1024;
/** Parsed records, by blob. */
const mostKept = 2_000;
/** An answer that takes longer is cut. */
const answerMs = 4_000;

/** The repository that the history is read from. */
export interface PageRecordsOptions {
  readonly git: GitEngine;
  readonly repository: () => Repository | undefined;
  readonly clock: Clock;
  /** A commit of the source branch; undefined when it is not here. */
  readonly readSource: (id: string) => Promise<Commit | undefined>;
}

/**
 * Reads the history of the status branch: at most 500 commits, 60 entries a timeline, 200 clusters a comparison, 256 KiB a
 * record and 4 s an answer. One answer is made at a time: others wait, and the daemon's own work continues between two reads.
 */
export class PageRecords implements RecordReader {
  readonly #options: PageRecordsOptions;
  readonly #commits: StatusCommits;
  readonly #lists: ShortMemory<readonly Commit[]>;
  readonly #timelines: ShortMemory<ClusterTimeline>;
  readonly #records = new BoundedCache<string, { readonly value: Json | undefined }>({ limit: mostKept });
  readonly #turns = createGate(1);

  constructor(options: PageRecordsOptions) {
    this.#options = options;
    this.#commits = new StatusCommits(options.git, options.repository);
    this.#lists = new ShortMemory(options.clock, { keptMs, most: 1 });
    this.#timelines = new ShortMemory(options.clock, { keptMs, most: 50 });
  }

  async list(): Promise<RecordList> {
    const commits = await this.#list();
    return { commits: commits.map((commit) => this.#summary(commit)), isCut: commits.length === mostStatusCommits };
  }

  async timeline(workspace: string, name: string): Promise<ClusterTimeline> {
    const key = `${workspace}/${name}`;
    const [newest] = await this.#list();
    return this.#timelines.recall(`${newest?.id ?? ""} ${key}`, () =>
      passThrough(this.#turns, () => this.#readTimeline(clusterRecordPath(key))),
    );
  }

  fleetAt(
    { at, from }: { readonly at: string; readonly from: string | undefined },
    canSee: (workspace: string) => boolean,
  ): Promise<FleetThen | undefined> {
    return passThrough(this.#turns, async () => {
      const commits = await this.#list();
      const commit = commits.find(({ id }) => id === at);
      const base = from === undefined ? undefined : commits.find(({ id }) => id === from);
      if (!commit || (from !== undefined && !base)) return undefined;
      return this.#compare({ commit, base }, canSee);
    });
  }

  async #compare(
    { commit, base }: { readonly commit: Commit; readonly base: Commit | undefined },
    canSee: (workspace: string) => boolean,
  ): Promise<FleetThen> {
    const paths = base ? await this.#commits.compare(base.id, commit.id) : await this.#commits.changesOf(commit);
    const changed = paths.flatMap((change) => {
      const [, workspace, name] = /^clusters\/([^/]+)\/([^/]+)\.yaml$/u.exec(change.path) ?? [];
      return workspace !== undefined && name !== undefined && canSee(workspace) ? [{ workspace, name, change }] : [];
    });
    const isLate = this.#deadline();
    const clusters: FleetThen["clusters"] = [];
    for (const { workspace, name, change } of changed.slice(0, mostClusters)) {
      if (isLate()) break;
      const { changes, after } = await this.#changesIn(change);
      if (changes.length > 0) clusters.push(compact({ workspace, name, state: after?.sign, changes }));
    }
    return compact({
      at: await this.#withSource(commit),
      from: base && this.#summary(base),
      states: await this.#statesAt(commit),
      clusters,
      clusterCount: changed.length,
    });
  }

  async #readTimeline(path: string): Promise<ClusterTimeline> {
    const commits = await this.#list();
    const isLate = this.#deadline();
    const entries: ClusterTimeline["entries"] = [];
    let read = 0;
    for (const commit of commits) {
      if (entries.length === mostEntries || isLate()) break;
      read += 1;
      for (const change of await this.#commits.changesOf(commit, path)) {
        const { changes } = await this.#changesIn(change);
        if (changes.length === 0) continue;
        const time = new Date(commit.committedAtMs).toISOString();
        entries.push({ time, commit: await this.#withSource(commit), changes });
      }
    }
    return { entries, isCut: read < commits.length || commits.length === mostStatusCommits };
  }

  async #changesIn({ before, after }: PathChange): Promise<{
    readonly changes: ReturnType<typeof recordChanges>;
    readonly after: RecordedCluster | undefined;
  }> {
    const [old, now] = [await this.#readCluster(before), await this.#readCluster(after)];
    // A record that cannot be read shows nothing: neither that the cluster joined nor that it left.
    const isUnread = (before !== undefined && !old) || (after !== undefined && !now);
    return { changes: isUnread ? [] : recordChanges(old, now), after: now };
  }

  async #readCluster(file: TreeFile | undefined): Promise<RecordedCluster | undefined> {
    const record = await this.#readRecord(file);
    return isJsonObject(record) ? readRecordedCluster(record) : undefined;
  }

  /** The clusters by state, as the summary of a commit counts them; undefined when it does not. */
  async #statesAt(commit: Commit): Promise<StateCount[] | undefined> {
    const [file] = await this.#options.git.listFiles(commit.id, ["summary.yaml"]);
    const counts = objectAt(await this.#readRecord(file), "counts", "byState");
    if (counts === undefined) return undefined;
    const states = Object.keys(counts).slice(0, 50);
    return sortStates(
      states.map((phase) => ({ phase, state: signOfState(phase), count: numberAt(counts, phase) ?? 0 })),
    );
  }

  async #readRecord(file: TreeFile | undefined): Promise<Json | undefined> {
    if (file?.mode !== "file") return undefined;
    const known = this.#records.get(file.blobId) ?? { value: await this.#parse(file.blobId) };
    this.#records.set(file.blobId, known);
    return known.value;
  }

  async #parse(blobId: string): Promise<Json | undefined> {
    try {
      const bytes = await this.#options.git.readBlob(blobId, { maximumBytes: mostRecordBytes });
      return readYaml(new TextDecoder().decode(bytes)).documents[0]?.value;
    } catch (error) {
      if (isAppError(error, "E_FILE_TOO_LARGE") || isAppError(error, "E_GIT_OBJECT")) return undefined;
      throw error;
    }
  }

  #list(): Promise<readonly Commit[]> {
    // What this daemon has written since is read at once: the page asks again when it is there.
    return this.#lists.recall(this.#options.repository()?.status?.statusCommit ?? "", () => this.#commits.list());
  }

  #summary(commit: Commit): RecordCommit {
    const links = forgeLinks(this.#options.repository());
    const source = sourceOf(commit);
    const record = commitSummary(commit.id, commit, links);
    return compact({
      ...record,
      subject: record.subject?.replace(/ \[skip ci\]$/u, ""),
      source: source === undefined ? undefined : commitSummary(source, undefined, links),
    });
  }

  /** With the author of the source commit, who for a merge is the user that merged. */
  async #withSource(commit: Commit): Promise<RecordCommit> {
    const id = sourceOf(commit);
    if (id === undefined) return this.#summary(commit);
    const links = forgeLinks(this.#options.repository());
    return { ...this.#summary(commit), source: commitSummary(id, await this.#options.readSource(id), links) };
  }

  #deadline(): () => boolean {
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + answerMs;
    return () => clock.monotonicMs() >= endMs;
  }
}

/** The newest source commit that a status commit has worked in. */
function sourceOf({ message }: Commit): string | undefined {
  return /^Rollcall-Source-Commit: ([0-9a-f]{40}|[0-9a-f]{64})$/mu.exec(message)?.[1];
}

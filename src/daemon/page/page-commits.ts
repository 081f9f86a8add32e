import { compact } from "../../core/compact.ts";
import { isAppError } from "../../core/errors.ts";
import { createGate, passThrough } from "../../core/gate.ts";
import type { Commit, GitEngine, PathChange } from "../../git/git.ts";
import type { ChangeOutcome } from "../../hub/execute-changes.ts";
import type {
  ChangeView,
  CommitSummary,
  CommitView,
  FileChange,
  RepositoryDetail,
} from "../../model/generated/page-api.ts";
import type { CommitOutcome, Repository } from "../../model/generated/repository.ts";
import type { Plan } from "../../model/plan.ts";
import { describeError } from "../../core/errors.ts";
import { forgeLinks } from "../../planning/views/forge-links.ts";
import type { ForgeLinks } from "../../planning/views/forge-links.ts";
import { changeView, planView } from "../../planning/views/plan-view.ts";
import { commitSummary } from "../../planning/views/repository-summary.ts";
import { describeWithheld } from "../../reconcile/withheld-removals.ts";

const mostKept = 60;
const mostCommits = 20;
const mostFiles = 20;
const mostChanges = 100;
const mostSearched = 200;
/** With as many as are searched, each new commit would push out the one that is searched next, and so all of them. */
const mostKeptChanges = 2 * mostSearched;
/** Files of all kept commits together: a merge may bring hundreds of commits that change every file. */
const mostKeptFiles = 200_000;

interface ChangedFiles {
  /** All, or only the first ones where those of other commits take the room. */
  readonly changes: readonly PathChange[];
  readonly count: number;
}

const none: ChangedFiles = { changes: [], count: 0 };

interface CarriedOut {
  readonly changes: ChangeView[];
  count: number;
}

/** What is known of commits: themselves, the files they changed, and what this process did for them. Bounded. */
export class PageCommits {
  readonly #git: GitEngine;
  readonly #commits = new Map<string, Commit>();
  readonly #files = new Map<string, ChangedFiles>();
  #keptFiles = 0;
  readonly #done = new Map<string, CarriedOut>();
  #plan: Plan | undefined;
  /** The newest commits of the head that was asked for last. */
  #newest: { readonly head: string; readonly commits: readonly Commit[] } | undefined;
  readonly #turns = createGate(1);

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /** Takes in what came of a plan. */
  recordPlan(plan: Plan, outcomes: readonly ChangeOutcome[], repository: Repository | undefined): void {
    this.#plan = plan;
    if (plan.commit === undefined || outcomes.length === 0) return;
    const links = forgeLinks(repository);
    const known = this.#done.get(plan.commit) ?? { changes: [], count: 0 };
    known.count += outcomes.length;
    for (const { change, error } of outcomes.slice(0, mostChanges - known.changes.length)) {
      const failure = error === undefined ? {} : { error: describeError(error) };
      known.changes.push(changeView(change, { links, commit: plan.commit, ...failure }));
    }
    keep(this.#done, plan.commit, known);
  }

  /** A commit that was read before. */
  peek(id: string): Commit | undefined {
    return this.#commits.get(id);
  }

  /**
   * Reads the commits that the summary of a repository names. Never rejects: of an unreadable one only the id is shown,
   * and the daemon, which reads it too, reports the error.
   */
  async prefetch(repository: Repository | undefined): Promise<void> {
    const { observedCommit, appliedCommit } = repository?.status ?? {};
    for (const id of [observedCommit, appliedCommit]) if (id !== undefined) await this.read(id).catch(() => undefined);
  }

  /** The last commits that changed a file, newest first. One answer is made at a time: the next ones find what it has read. */
  touching(file: string, repository: Repository | undefined): Promise<CommitSummary[]> {
    return passThrough(this.#turns, () => this.#findTouching(file, repository));
  }

  async #findTouching(file: string, repository: Repository | undefined): Promise<CommitSummary[]> {
    const head = repository?.status?.observedCommit;
    const found: CommitSummary[] = [];
    if (head === undefined || !(await this.read(head))) return found;
    const links = forgeLinks(repository);
    for (const commit of await this.#newestOf(head)) {
      const { changes } = await this.#changesOf(commit);
      if (changes.some(({ path }) => path === file)) found.push(commitSummary(commit.id, commit, links));
      if (found.length === mostCommits) break;
    }
    return found;
  }

  async #newestOf(head: string): Promise<readonly Commit[]> {
    if (this.#newest?.head === head) return this.#newest.commits;
    const commits = await this.#git.listCommits({ to: head, limit: mostSearched });
    this.#newest = { head, commits };
    return commits;
  }

  async detail(repository: Repository | undefined): Promise<Omit<RepositoryDetail, "summary" | "branches">> {
    const links = forgeLinks(repository);
    const outcomes = [...(repository?.status?.recentCommits ?? [])].sort((a, b) => (a.time < b.time ? 1 : -1));
    const commits = await Promise.all(outcomes.slice(0, mostCommits).map((outcome) => this.#view(outcome, links)));
    const plan = this.#waitingPlan(repository);
    const pending =
      plan &&
      planView(plan, { links, ...(plan.budget.trailer !== undefined ? { advice: describeWithheld(plan) } : {}) });
    return compact({ commits, pending });
  }

  /** The last plan, if it has what waits by the status: another replica may have led, and made a newer one. */
  #waitingPlan(repository: Repository | undefined): Plan | undefined {
    const plan = this.#plan;
    const { commit, count } = repository?.status?.withheld ?? {};
    if (plan === undefined || count === undefined || plan.commit !== commit) return undefined;
    return plan.withheld.length + plan.heldDeletes.length === count ? plan : undefined;
  }

  async #view(outcome: CommitOutcome, links: ForgeLinks): Promise<CommitView> {
    const { commit: id, time, message } = outcome;
    const commit = await this.read(id);
    const files = commit ? await this.#changesOf(commit) : none;
    const done = this.#done.get(id);
    return compact({
      commit: commitSummary(id, commit, links),
      outcome: outcome.outcome,
      message: outcome.outcome === "Applied" ? undefined : message,
      finished: time,
      tookSeconds: commit && Math.max(0, Date.parse(time) - commit.committedAtMs) / 1000,
      files: files.changes.slice(0, mostFiles).map((change) => fileChange(change, { id, links })),
      fileCount: files.count,
      changes: done?.changes,
      changeCount: done?.count,
    });
  }

  /** Undefined when it is not here: another replica fetched it, or its history was removed. */
  async read(id: string): Promise<Commit | undefined> {
    const known = this.#commits.get(id);
    if (known) return known;
    try {
      const commit = await this.#git.readCommit(id);
      keep(this.#commits, id, commit);
      return commit;
    } catch (error) {
      if (isAppError(error, "E_GIT_OBJECT")) return undefined;
      throw error;
    }
  }

  async #changesOf({ id, parents }: Commit): Promise<ChangedFiles> {
    const known = this.#files.get(id);
    if (known) return known;
    try {
      const changes = await this.#git.changedPaths(parents[0], id);
      const isRoom = this.#keptFiles + changes.length <= mostKeptFiles;
      return this.#keepFiles(id, { changes: isRoom ? changes : changes.slice(0, mostFiles), count: changes.length });
    } catch (error) {
      if (isAppError(error, "E_GIT_OBJECT")) return none;
      if (!isAppError(error, "E_TOO_MANY_FILES")) throw error;
      // Found by reading as many as are read at most.
      return this.#keepFiles(id, none);
    }
  }

  #keepFiles(id: string, files: ChangedFiles): ChangedFiles {
    const replaced = [this.#files.get(id), keep(this.#files, id, files, mostKeptChanges)];
    for (const { changes } of replaced.filter((each) => each !== undefined)) this.#keptFiles -= changes.length;
    this.#keptFiles += files.changes.length;
    return files;
  }
}

function fileChange(
  { path, before, after }: PathChange,
  { id, links }: { readonly id: string; readonly links: ForgeLinks },
): FileChange {
  const kind = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return compact({ path, kind, link: kind === "removed" ? undefined : links.file(path, { commit: id }) });
}

/** @returns what had to give way */
function keep<T>(map: Map<string, T>, key: string, value: T, most = mostKept): T | undefined {
  map.delete(key);
  map.set(key, value);
  const [[oldest, evicted] = []] = map;
  if (map.size <= most || oldest === undefined) return undefined;
  map.delete(oldest);
  return evicted;
}

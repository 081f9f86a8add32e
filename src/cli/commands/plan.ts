import { join } from "node:path";
import { compact } from "../../core/compact.ts";
import { AppError, describeError, isAppError } from "../../core/errors.ts";
import { shortCommit } from "../../core/short-commit.ts";
import type { GitEngine } from "../../git/git.ts";
import { workTreeOf } from "../../git/local/local-repository.ts";
import { isShallowClone, resolveBranch } from "../../git/local/resolve-revision.ts";
import { canRead } from "../../git/objects/git-object.ts";
import type { PlanReport } from "../../model/generated/plan-report.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { withRangeBase } from "../../planning/repository-state.ts";
import { hasChanges } from "../../planning/plan-words.ts";
import type { CommandContext } from "./command-context.ts";
import type { Settings } from "../../settings/settings.ts";
import { planAgainstRecords } from "../../review/plan-against-records.ts";
import type { BaseIndexes } from "../../review/base-index.ts";
import { hasNextCommand } from "../../system/has-next-command.ts";
import { openKeptValues } from "../../system/kept-values.ts";
import { userCacheDir } from "../../system/cache-dir.ts";
import type { ParseCache } from "../../work-tree/parse-cache.ts";
import { programKey } from "../../work-tree/program-key.ts";
import { readStatusBranch } from "../../review/read-status-branch.ts";
import { realClock } from "../../system/real-clock.ts";
import { openParsedFiles, saveParsedFiles } from "./parsed-files.ts";
import type { Followed } from "./planned-commits.ts";
import { baseOf, headOf, isCheckedOut } from "./planned-commits.ts";
import { writePlan } from "./write-plan.ts";
import { openRepository } from "../../daemon/open-repository.ts";
import { isLocalPath, readPath } from "../../settings/read-path.ts";
import { withWorkTreeBlobs } from "../../work-tree/work-tree-blobs.ts";
import { cloneNotes, workTreeNotes } from "../../work-tree/work-tree-notes.ts";

/** What the command needs of its surroundings. */
export type PlanContext = Pick<CommandContext, "settings" | "environment" | "signal"> & {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
};

interface RepositoryName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * `rollcall plan`: what a commit would change on the hub, by the code of `run`; from the hub, or (`--offline`) from the
 * status branch. Exit code 0 with or without changes, 1 when files have errors; with `--detailed-exitcode` 4 when there
 * are changes.
 */
export async function runPlan(context: PlanContext): Promise<number> {
  const { settings, stderr, environment } = context;
  let named: RepositoryName = {
    namespace: settings.requiredText("namespace"),
    name: settings.requiredText("repository"),
  };
  const making = settings.isOn("offline")
    ? planOffline(context, (recorded) => (named = { ...named, ...recorded }))
    : planOnline(context);
  const report = await making.catch(async (error: unknown) => {
    if (settings.isOn("comment")) stderr.write(`${await describeNoPlan(error, named, context)}\n`);
    throw error;
  });
  writePlan(report, context);
  if (settings.isOn("comment")) {
    const { postPlan } = await import("./post-plan.ts");
    stderr.write(`${await postPlan(report, environment, context.signal)}\n`);
  }
  if (report.counts.errors > 0) return 1;
  return settings.isOn("detailed-exitcode") && hasChanges(report) ? 4 : 0;
}

/** A check that waits for the status of the commit must not wait for ever. */
async function describeNoPlan(
  reason: unknown,
  repository: RepositoryName,
  { environment, signal }: PlanContext,
): Promise<string> {
  const { postNoPlan } = await import("./post-plan.ts");
  // What ended the plan is reported in any case.
  return postNoPlan(reason, repository, { environment, signal }).catch(describeError);
}

async function planOnline({ settings, environment, signal }: PlanContext): Promise<PlanReport> {
  // What talks to a hub is not loaded by a plan that needs none.
  const { connectHub } = await import("../../daemon/connect-hub.ts");
  const { planAgainstHub } = await import("../../daemon/plan-against-hub.ts");
  const { hubApi } = await connectHub(settings, environment);
  try {
    const namespace = settings.requiredText("namespace");
    const name = settings.requiredText("repository");
    const live = (await hubApi.get({ type: resourceTypes.repository, namespace, name }, { signal })) as
      | Repository
      | undefined;
    const url = settings.text("repo") ?? live?.spec.url;
    if (url === undefined) {
      throw new AppError(
        "E_USAGE",
        `the hub has no Repository ${namespace}/${name}: name the repository to plan with --repo`,
      );
    }
    const made: Repository = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { namespace, name },
      spec: { url },
    };
    const place = (await cloneToPlan(settings, environment, live)) ?? url;
    return await withGit(settings, place, environment, async (git) => {
      const branch = branchOf(settings, live?.spec.ref?.branch);
      const followed = { url: place, git, branch, signal };
      const base = await baseOf(settings, followed);
      const repository = withBase(live ?? made, base);
      const head = await headOf(settings, followed);
      const cache = await openParsedFiles(settings, place, environment);
      const report = await planAgainstHub({
        hubApi,
        git,
        head,
        repository,
        parsedFiles: cache,
        ...(base === undefined ? {} : { base }),
        isDryRun: settings.isOn("dry-run"),
        nowMs: realClock.nowMs(),
        signal,
      });
      await saveParsedFiles(cache, environment);
      const known = await withHistoryNote(report, { url: place, git, base: repository.status?.appliedCommit, head });
      if (settings.text("commit") !== undefined) return withComparison(known, undefined);
      const notes = settings.text("repo") === undefined ? await notesOfThisFolder(settings, environment, head) : [];
      return withComparison({ ...known, notes: [...notes, ...known.notes] }, `head of branch ${branch}`);
    });
  } finally {
    await hubApi.close();
  }
}

/**
 * The clone that the current folder is in, if --commit names a commit of it, which may not be pushed yet. A clone of the
 * Repository has the applied commit; before the first run it is unknown what a folder is a clone of.
 */
async function cloneToPlan(
  settings: Settings,
  environment: PlanContext["environment"],
  live: Repository | undefined,
): Promise<string | undefined> {
  const applied = live?.status?.appliedCommit;
  const isLookedUp = settings.text("commit") !== undefined && settings.text("repo") === undefined;
  const clone = isLookedUp ? await workTreeOf(".") : undefined;
  if (clone === undefined || applied === undefined) return undefined;
  try {
    return await withGit(settings, clone, environment, async (git) =>
      (await canRead(applied, (id) => git.readCommit(id))) ? clone : undefined,
    );
  } catch (error) {
    // A folder that cannot be read as a repository is no clone of it.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Where the current folder is a clone: what it has that the head of the branch has not. */
async function notesOfThisFolder(
  settings: Settings,
  environment: PlanContext["environment"],
  head: string,
): Promise<string[]> {
  const dir = await workTreeOf(".");
  if (dir === undefined) return [];
  try {
    return await withGit(settings, dir, environment, (git) => cloneNotes(git, { dir, head }));
  } catch (error) {
    // The plan does not need the folder.
    if (error instanceof AppError) return [`The clone in this folder was not compared: ${error.message}`];
    throw error;
  }
}

/** `onNamed` gets the name that the status branch has for the Repository. */
async function planOffline(
  { settings, environment, signal }: PlanContext,
  onNamed: (recorded: Partial<RepositoryName>) => void,
): Promise<PlanReport> {
  const url = settings.text("repo") ?? (await workTreeOf(".")) ?? ".";
  let cache: ParseCache | undefined;
  const openCache = async (): Promise<ParseCache | undefined> =>
    (cache = await openParsedFiles(settings, url, environment));
  return withGit(settings, url, environment, async (git) => {
    const { rehearseOnRecords } = await import("../../daemon/rehearse-on-records.ts");
    const statusCommit = await findStatusCommit(settings, { url, git, signal });
    try {
      const records = statusCommit === undefined ? undefined : await readStatusBranch(git, statusCommit);
      const { namespace, name } = records?.summary.repository ?? {};
      onNamed(compact({ namespace, name }));
      const branch = branchOf(settings, records?.summary.repository?.branch);
      const followed = { url, git, branch, signal };
      const base = await baseOf(settings, followed);
      const head = await headOf(settings, followed);
      const isHere = isLocalPath(url);
      const report = await planAgainstRecords({
        git: isHere ? await withWorkTreeBlobs(git, pathOf(url), head) : git,
        head,
        records,
        base,
        namespace: settings.requiredText("namespace"),
        name: settings.requiredText("repository"),
        nowMs: realClock.nowMs(),
        openCache,
        indexes: baseIndexes(settings, environment),
        rehearse: rehearseOnRecords(signal),
      });
      await saveParsedFiles(cache, environment);
      const known = await withHistoryNote(report, { url, git, base: base ?? records?.summary.appliedCommit, head });
      if (settings.text("commit") !== undefined) return withComparison(known, undefined);
      const notes = isHere ? await workTreeNotes(git, { dir: pathOf(url), head, branch }) : [];
      return withComparison(
        { ...known, notes: [...notes, ...known.notes] },
        isCheckedOut(settings) ? "the commit that is checked out" : `head of branch ${branch}`,
      );
    } catch (error) {
      throw await explainMissing(error, url);
    }
  });
}

/** Of a base with fewer files, all are read in less time than a process takes to start. */
const leastIndexedFiles = 100;

function baseIndexes(settings: Settings, environment: PlanContext["environment"]): BaseIndexes {
  const folder = settings.text("cache-dir") ?? userCacheDir(environment);
  const kept =
    folder === undefined ? undefined : openKeptValues({ folder: join(folder, "bases"), program: programKey() });
  return {
    leastFiles: leastIndexedFiles,
    read: async (key) => kept?.read(key),
    write: async (key, index) => {
      if (hasNextCommand(environment)) await kept?.write(key, index);
    },
  };
}

async function withGit<T>(
  settings: Settings,
  url: string,
  environment: PlanContext["environment"],
  work: (git: GitEngine) => Promise<T>,
): Promise<T> {
  const git = await openRepository(settings, url, environment);
  try {
    return await work(git);
  } finally {
    await git.close();
  }
}

async function findStatusCommit(
  settings: Settings,
  { url, git, signal }: Omit<Followed, "branch">,
): Promise<string | undefined> {
  const branch = settings.requiredText("status-branch");
  try {
    const commit = isLocalPath(url) ? await resolveBranch(branch, pathOf(url)) : await git.fetchHead(branch, signal);
    if (commit !== undefined) return commit;
  } catch (error) {
    if (!isAppError(error, "E_GIT_BRANCH_MISSING")) throw error;
  }
  if (settings.text("base") !== undefined) return undefined;
  throw new AppError(
    "E_GIT_BRANCH_MISSING",
    `read branch ${branch} of ${git.url}: it is not there. Fetch it (git fetch origin refs/heads/${branch}:refs/remotes/origin/${branch}), or compare with a commit instead: --base <commit>`,
    {
      remedy:
        "The daemon writes this branch. Fetch it as the message describes; before its first commit, give --base COMMIT.",
    },
  );
}

/** Names what an incomplete clone lacks. */
async function explainMissing(error: unknown, url: string): Promise<unknown> {
  if (!isAppError(error, "E_GIT_OBJECT") || !isLocalPath(url)) return error;
  const isShallow = await isShallowClone(pathOf(url));
  const fix = isShallow
    ? "the clone is shallow and ends before that commit: fetch the whole history (git fetch --unshallow; in a workflow, fetch-depth: 0)"
    : "it is not in this clone: fetch the branch that the hub follows, and the status branch";
  const remedy = isShallow
    ? "Run `git fetch --unshallow` (in CI: fetch-depth: 0)."
    : "Fetch all branches: `git fetch origin '+refs/heads/*:refs/remotes/origin/*'`. If that does not help, `git fsck` names what is missing.";
  return new AppError("E_GIT_OBJECT", `${error.message}: ${fix}`, { cause: error, recovery: "stalled", remedy });
}

/** A base that is not behind the commit makes a plan that also takes back what the base has and the commit has not. */
async function withHistoryNote(
  report: PlanReport,
  {
    url,
    git,
    base,
    head,
  }: Pick<Followed, "url" | "git"> & { readonly base: string | undefined; readonly head: string },
): Promise<PlanReport> {
  if (base === undefined || base === head || (await git.isAncestor(base, head))) return report;
  const isShallow = isLocalPath(url) && (await isShallowClone(pathOf(url)));
  const note = isShallow
    ? `The clone is shallow, so it is unknown whether ${shortCommit(base)} is behind ${shortCommit(head)}: every file counts as changed. Fetch the whole history (git fetch --unshallow; in a workflow, fetch-depth: 0).`
    : `Commit ${shortCommit(base)}, which is compared with, is not behind ${shortCommit(head)}: what it has and this commit has not is taken back here. Bring a pull request up to date with its target branch, and plan again.`;
  return { ...report, notes: [note, ...report.notes] };
}

/** The branch that is named, else the one that is followed already. */
function branchOf(settings: Settings, followed: string | undefined): string {
  return (settings.isGiven("branch") ? undefined : followed) ?? settings.requiredText("branch");
}

/** Adds at the start what is compared with what. */
function withComparison(report: PlanReport, place: string | undefined): PlanReport {
  const { commit, base, basis } = report;
  const planned = `commit ${shortCommit(commit ?? "")}${place === undefined ? "" : ` (${place})`}`;
  const hub =
    basis.source === "Hub" ? "the hub" : basis.statusCommit === undefined ? "files alone" : "the status branch";
  const from = base === undefined ? "no commit was applied yet" : `commit ${shortCommit(base)} is the base`;
  return { ...report, notes: [`Compares ${planned} with ${hub}; ${from}.`, ...report.notes] };
}

function withBase(repository: Repository, base: string | undefined): Repository {
  if (base === undefined) return repository;
  return withRangeBase(repository, base);
}

function pathOf(url: string): string {
  return readPath(url, {});
}

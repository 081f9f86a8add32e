import { compareText } from "../core/compare-text.ts";
import type { Commit, GitEngine, PathChange } from "../git/git.ts";
import { ignoreFileName } from "../manifests/select-files.ts";
import type { Problem } from "../model/problem.ts";
import { problemsOfChange } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import type { BaseHolds, InForce, PlanCommitInputs, PlannedCommit } from "./plan-commit.ts";
import { planCommit, readRange } from "./plan-commit.ts";
import { changesSince, findMergeBase, isSameFile } from "./merge-base.ts";
import type { SourceOptions, SourceSnapshot } from "./read-source.ts";
import type { Repository } from "../model/generated/repository.ts";
import { isElsewhere, rangeBaseOf, withRangeBase } from "../planning/repository-state.ts";
import { readFile } from "./read-file.ts";
import { readSource } from "./read-source.ts";

export interface MergeInputs extends Pick<
  PlanCommitInputs,
  "git" | "source" | "repository" | "checkFleet" | "openKeys" | "isSigned" | "observed" | "rememberedLabels" | "nowMs"
> {
  /** The target branch. Its files are not parsed again. */
  readonly main: SourceSnapshot;
  /** The newest commit of the branch; its objects are here. */
  readonly head: string;
  /** Commits that the two branches do not share, of which more are not compared. Default: all are. */
  readonly maximumCommits?: number;
  /** Further problems of the branch's commits, reported where they begin. */
  readonly evaluate?: (range: { readonly base?: string; readonly head: string }) => Promise<readonly Problem[]>;
}

export interface PlannedMerge extends PlannedCommit {
  /** The head of the branch. */
  readonly commit: Commit;
  /** Paths that the branch changed. */
  readonly changed: ReadonlySet<string>;
  /** Files that both sides changed since the branch began, by name: the plan takes the branch's. */
  readonly conflicts: readonly string[];
}

/**
 * What merging a branch would do: the files of the main branch with what the branch changed laid over them, planned as the
 * merge would be. The commit range is what the branch adds, whatever came onto the main branch since.
 * @throws E_BRANCH_LIMIT beyond `maximumCommits`
 */
export async function planMerge(inputs: MergeInputs): Promise<PlannedMerge> {
  const { git, source, repository, main, head, evaluate } = inputs;
  const mergeBase = await findMergeBase(inputs);
  const common = mergeBase.commit;
  const onBranch = await readSource(head, main, undefined, { git, ...source });
  const ofBranch = new Map((await changesSince(mergeBase, head, git)).map(({ path, after }) => [path, after]));
  const changed = new Set(ofBranch.keys());
  const onMain = common === main.commit.id ? [] : await changesSince(mergeBase, main.commit.id, git);
  const conflicts = onMain
    .filter(({ path, after }) => changed.has(path) && !isSameFile(after, ofBranch.get(path)))
    .map(({ path }) => path);
  const base = common ?? main.commit.id;
  const planned = await planCommit({
    git,
    source,
    repository: withRangeBase(repository, base),
    snapshot: await readMerged({ main, onBranch, changed, onMain }, { git, ...source }),
    ...(evaluate ? { problems: await evaluate({ ...(common === undefined ? {} : { base: common }), head }) } : {}),
    checkFleet: inputs.checkFleet,
    ...(inputs.openKeys ? { openKeys: inputs.openKeys } : {}),
    ...(inputs.isSigned ? { isSigned: inputs.isSigned } : {}),
    observed: inputs.observed,
    rememberedLabels: inputs.rememberedLabels,
    nowMs: inputs.nowMs,
    before: main,
    mergedInto: main.commit.id,
    baseHolds: await holdsOf(main.commit.id, repository, git),
    inForce: () => inForceOf(main.commit.id, repository, git),
  });
  return { ...planned, commit: onBranch.commit, changed, conflicts };
}

/** What holds removals on the main branch holds those of a merge, too: it settles nothing that is not settled there. */
async function holdsOf(main: string, { status, spec }: Repository, git: GitEngine): Promise<BaseHolds> {
  const range = await readRange(git, status, main);
  return {
    wasAppliedBefore: rangeBaseOf(status) !== undefined,
    isForeignHistory: range.isForeign && isElsewhere(status, spec),
    range,
  };
}

/** What is applied on the main branch is in force until the merge is applied, whatever was pushed there since. */
async function inForceOf(
  main: string,
  { status }: Repository,
  git: Pick<GitEngine, "isAncestor" | "changedPaths">,
): Promise<InForce> {
  const applied = status?.appliedCommit;
  if (applied === main) return { commit: main, changes: [] };
  const commit = applied !== undefined && (await git.isAncestor(applied, main)) ? applied : undefined;
  return { commit, changes: await git.changedPaths(commit, main) };
}

/** What the branch is to blame for: everything in files that it changed, and in others what was not there before. */
export function newProblems({ plan, changed }: PlannedMerge, before: readonly Problem[]): Problem[] {
  return problemsOfChange(plan.problems, before, changed);
}

interface MergedBranches {
  readonly main: SourceSnapshot;
  readonly onBranch: SourceSnapshot;
  /** Paths that the branch changed. */
  readonly changed: ReadonlySet<string>;
  /** What the main branch changed since the branch began. */
  readonly onMain: readonly PathChange[];
}

/**
 * The files of the merge. A list of ignored files that either side changed, or that ignores nothing on one side because it costs
 * too much there, chooses among all of them anew.
 */
async function readMerged(merged: MergedBranches, options: SourceOptions): Promise<SourceSnapshot> {
  const { main, onBranch, changed, onMain } = merged;
  if (isUnread(onBranch)) return onBranch;
  const isCostly = [main, onBranch].some(({ pathProblems }) =>
    pathProblems.some(({ file }) => file === ignoreFileName),
  );
  const isChosenAnew = changed.has(ignoreFileName) || onMain.some(({ path }) => path === ignoreFileName);
  const laidOver = layOver(main, onBranch, changed);
  return isChosenAnew || isCostly || isUnread(main) ? selectAnew(laidOver, merged, options) : laidOver;
}

/** True for a commit of which no file was read, since there is too much of it. */
function isUnread({ pathProblems }: SourceSnapshot): boolean {
  return pathProblems.some(({ code }) => code === "E_REPOSITORY_TOO_LARGE" || code === "E_TOO_MANY_FILES");
}

async function selectAnew(
  laidOver: SourceSnapshot,
  { main, onBranch, changed }: MergedBranches,
  options: SourceOptions,
): Promise<SourceSnapshot> {
  const { git, maximumBytes } = options;
  const kept = (await git.listFiles(main.commit.id)).filter(({ path }) => !changed.has(path));
  const brought = (await git.listFiles(onBranch.commit.id)).filter(({ path }) => changed.has(path));
  const tree = [...kept, ...brought].sort((a, b) => compareText(a.path, b.path));
  const selected = await options.selectFiles(tree, async ({ blobId }) =>
    new TextDecoder().decode(await git.readBlob(blobId, { maximumBytes })),
  );
  const parsed = new Map<string, ParsedFile>();
  for (const file of selected.files) {
    const read = laidOver.parsed.get(file.path) ?? onBranch.parsed.get(file.path);
    // The main branch may have changed since what only the branch has read.
    parsed.set(file.path, read?.blobId === file.blobId ? read : await readFile(file, options));
  }
  const files = new Map(selected.files.map((file) => [file.path, file]));
  return { ...laidOver, files, parsed, pathProblems: selected.problems, refusedPaths: selected.refused };
}

/**
 * The main branch's files with those that the branch changed; where both changed a file, the branch's counts. In the order of a
 * tree: of several documents that contradict one another, the first is named.
 */
function layOver(main: SourceSnapshot, branch: SourceSnapshot, changed: ReadonlySet<string>): SourceSnapshot {
  const merge = <T>(ours: ReadonlyMap<string, T>, theirs: ReadonlyMap<string, T>): Map<string, T> =>
    new Map(
      [...[...ours].filter(([path]) => !changed.has(path)), ...[...theirs].filter(([path]) => changed.has(path))].sort(
        ([a], [b]) => compareText(a, b),
      ),
    );
  return {
    commit: branch.commit,
    files: merge(main.files, branch.files),
    ...(main.selection === undefined ? {} : { selection: main.selection }),
    parsed: merge(main.parsed, branch.parsed),
    lastGood: merge(main.lastGood, branch.lastGood),
    pathProblems: [
      ...main.pathProblems.filter(({ file }) => !changed.has(file)),
      ...branch.pathProblems.filter(({ file }) => changed.has(file)),
    ],
    refusedPaths: [
      ...(main.refusedPaths ?? []).filter((path) => !changed.has(path)),
      ...(branch.refusedPaths ?? []).filter((path) => changed.has(path)),
    ],
    parsedCount: branch.parsedCount,
  };
}

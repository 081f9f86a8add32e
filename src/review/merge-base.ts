import { AppError } from "../core/errors.ts";
import type { GitEngine, PathChange, TreeFile } from "../git/git.ts";
import type { SourceSnapshot } from "./read-source.ts";

/** Where the merge of two commits begins: what differs from it on one side alone is the result. */
export interface MergeBase {
  /** Undefined when they have nothing in common. */
  readonly commit: string | undefined;
  /** Files that a merge begins from in another form than that of the commit. */
  readonly others: ReadonlyMap<string, OtherForm>;
}

interface OtherForm {
  readonly atCommit: TreeFile | undefined;
  /** What neither side can have, where the bases are in conflict themselves. */
  readonly form: TreeFile | undefined;
}

interface Branches {
  readonly git: Pick<GitEngine, "listCommits" | "isAncestor" | "changedPaths">;
  readonly main: Pick<SourceSnapshot, "commit">;
  /** The newest commit of the branch. */
  readonly head: string;
  /** Commits that the two branches do not share, of which more are not compared. Default: all are. */
  readonly maximumCommits?: number;
}

/** Of more, a merge is not planned: who pushes a branch chooses how often it crosses another one. */
const mostBases = 8;

/**
 * Where the branch began, or what of the main branch was last merged into it. Where histories cross, there are several such
 * commits, and a merge begins from the merge of them, as git's own does. Source: git, merge-strategies, "ort".
 * @throws E_BRANCH_LIMIT beyond `maximumCommits`, or {@link mostBases}
 */
export async function findMergeBase({ git, main, head, maximumCommits = Infinity }: Branches): Promise<MergeBase> {
  const bases = await listMergeBases(git, { main: main.commit.id, head, maximumCommits });
  return { commit: bases[0], others: await mergeOfBases(git, bases, maximumCommits) };
}

/** What a commit has in another form than the base. */
export async function changesSince(
  { commit, others }: MergeBase,
  to: string,
  git: Pick<GitEngine, "changedPaths">,
): Promise<readonly PathChange[]> {
  const changes = new Map((await git.changedPaths(commit, to)).map((change) => [change.path, change]));
  for (const [path, { atCommit, form }] of others) {
    const change = changes.get(path);
    const after = change === undefined ? atCommit : change.after;
    changes.delete(path);
    if (isSameFile(form, after)) continue;
    changes.set(path, { path, ...(form ? { before: form } : {}), ...(after ? { after } : {}) });
  }
  return [...changes.values()];
}

export function isSameFile(left: TreeFile | undefined, right: TreeFile | undefined): boolean {
  return left?.blobId === right?.blobId && left?.mode === right?.mode;
}

/** The newest commits that both have. One of them may be an ancestor of none of the others. */
async function listMergeBases(
  git: Branches["git"],
  {
    main,
    head,
    maximumCommits: maximumVisits,
  }: { readonly main: string; readonly head: string; readonly maximumCommits: number },
): Promise<readonly string[]> {
  const own = await git.listCommits({ from: main, to: head, limit: Infinity, maximumVisits, isBrief: true });
  const ids = new Set(own.map(({ id }) => id));
  if (!ids.has(head)) return [head];
  const edges = new Set(own.flatMap(({ parents }) => parents).filter((id) => !ids.has(id)));
  let bases: string[] = [];
  for (const edge of edges) {
    if (!(await git.isAncestor(edge, main))) continue;
    const newer = await filterAsync(bases, (base) => git.isAncestor(edge, base));
    if (newer.length > 0) continue;
    const older = new Set(await filterAsync(bases, (base) => git.isAncestor(base, edge)));
    bases = [...bases.filter((base) => !older.has(base)), edge];
    if (bases.length > mostBases) throw tooManyBases();
  }
  return bases;
}

/** In what the merge of the bases differs from the first of them. */
async function mergeOfBases(
  git: Branches["git"],
  [first, second, ...more]: readonly string[],
  maximumCommits: number,
): Promise<ReadonlyMap<string, OtherForm>> {
  const others = new Map<string, OtherForm>();
  if (first === undefined || second === undefined) return others;
  const origins = await listMergeBases(git, { main: first, head: second, maximumCommits });
  if (more.length > 0 || origins.length > 1) {
    // Their merge may begin from a merge again: nothing in which they differ is taken for unchanged.
    for (const base of [second, ...more])
      for (const { path, before } of await git.changedPaths(first, base))
        others.set(path, { atCommit: before, form: noForm(path) });
    return others;
  }
  const onFirst = new Map((await git.changedPaths(origins[0], first)).map((change) => [change.path, change]));
  for (const { path, before, after } of await git.changedPaths(origins[0], second)) {
    const change = onFirst.get(path);
    if (change === undefined) others.set(path, { atCommit: before, form: after });
    else if (!isSameFile(change.after, after)) others.set(path, { atCommit: change.after, form: noForm(path) });
  }
  return others;
}

/** A form that no file has. */
function noForm(path: string): TreeFile {
  return { path, blobId: "", mode: "file" };
}

async function filterAsync(ids: readonly string[], test: (id: string) => Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) if (await test(id)) found.push(id);
  return found;
}

function tooManyBases(): AppError {
  return new AppError("E_BRANCH_LIMIT", `compare two branches: they begin at more than ${mostBases} commits`, {
    data: { mostBases },
  });
}

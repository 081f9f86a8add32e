import type { SeenRemoval, Tree } from "./fleet-files.ts";
import { asksFor } from "./fleet-files.ts";

/** Removals within 24 hours that need no approval. */
export const limit = 2;
const dayMs = 24 * 3_600_000;

/** What happened. Commits are named by their number. */
export interface History {
  readonly commits: { readonly tree: Tree; readonly parents: readonly number[] }[];
  /** `run`: the last run before it was given. */
  readonly approvals: { readonly commit: number; readonly count: number; readonly run: number }[];
  /** `run` is the same for all that one run removed. `applied`: when the cluster was applied last, and from which commit. */
  readonly removals: (SeenRemoval & {
    readonly atMs: number;
    readonly head: number;
    readonly run: number;
    readonly applied: { readonly head: number; readonly run: number } | undefined;
  })[];
  /** Runs that Repository.status records, and the commits that they followed. */
  readonly recorded: { readonly run: number; readonly head: number }[];
  /** What Repository.status declares that is not so. */
  readonly falseStatus: string[];
}

export type Past = History["removals"][number];

/** What must not have happened. Nothing here knows how the program counts. */
export function findViolations(history: History): string[] {
  const { removals, commits, falseStatus } = history;
  const unasked = removals
    .filter((removal) => !isAskedFor(history, removal, removal.head))
    .map(({ kind, name, head }) => `${kind} ${name}: commit ${head} does not ask for it`);
  // The new file may be the renamed one.
  const hasty = removals
    .filter(({ kind, head }) => kind === "leave" && commits[head]?.tree.hasStray === true)
    .map(({ name, head }) => `${name}: commit ${head} has a new file that cannot be identified`);
  const overBudget = removals.filter((removal) => isOverBudget(removal, removals));
  const unexplained = overBudget.length - countExplained(overBudget, history);
  if (unexplained > 0)
    falseStatus.push(`${unexplained} of ${overBudget.length} removals over the budget have no approval of their own`);
  return [...unasked, ...hasty, ...falseStatus];
}

/** True when the run that removed this removed more than was left of the budget of the last 24 hours. */
function isOverBudget({ run, atMs }: Past, removals: readonly Past[]): boolean {
  const counted = removals.filter((other) => other.run <= run && other.atMs > atMs - dayMs);
  return counted.length > limit;
}

/** How many of the removals have an approval, when each approval counts as often as it declares, and no more. */
function countExplained(removals: readonly Past[], history: History): number {
  const slots = history.approvals.flatMap((approval) => Array.from({ length: approval.count }, () => approval));
  const taken = new Map<number, number>();
  const place = (index: number, seen: Set<number>): boolean => {
    const removal = removals[index];
    return slots.some((approval, slot) => {
      if (!removal || seen.has(slot) || !isCovered(history, removal, approval.commit)) return false;
      if (!isGivenForIt(history, removal, approval)) return false;
      seen.add(slot);
      const other = taken.get(slot);
      if (other !== undefined && !place(other, seen)) return false;
      taken.set(slot, index);
      return true;
    });
  };
  return removals.filter((_, index) => place(index, new Set())).length;
}

/** True when the approval's commit and every commit of the branch since then ask for the removal. */
function isCovered(history: History, removal: Past, approval: number): boolean {
  for (let index: number | undefined = removal.head; index !== undefined;) {
    if (!isAskedFor(history, removal, index)) return false;
    if (index === approval) return true;
    const [first, ...others]: readonly number[] = history.commits[index]?.parents ?? [];
    const isMergedHere = others.some((other) => isAncestor(history, approval, other));
    if (isMergedHere && !(first !== undefined && isAncestor(history, approval, first)))
      return isAskedFor(history, removal, approval);
    index = first;
  }
  return false;
}

/** False for an approval that was given before the branch left the history in which it was known. */
function isGivenForIt(history: History, removal: Past, { commit, run }: History["approvals"][number]): boolean {
  const known = history.recorded.find((one) => one.run > run && isAncestor(history, commit, one.head))?.run ?? Infinity;
  const isLeft = history.recorded.some(
    (one) =>
      one.run >= known &&
      one.run < removal.run &&
      !isAncestor(history, one.head, removal.head) &&
      !isAskedFor(history, removal, one.head),
  );
  if (isLeft) return false;
  const { applied } = removal;
  if (applied === undefined || isAncestor(history, applied.head, removal.head)) return true;
  if (commit !== removal.head) return false;
  return run >= applied.run || (known >= applied.run && !isAncestor(history, commit, applied.head));
}

function isAskedFor({ commits }: History, removal: SeenRemoval, index: number): boolean {
  const tree = commits[index]?.tree;
  return tree !== undefined && asksFor(tree, removal);
}

/** True also for a commit and itself. */
export function isAncestor(history: Pick<History, "commits">, ancestor: number, of: number): boolean {
  if (ancestor === of) return true;
  return (history.commits[of]?.parents ?? []).some((parent) => isAncestor(history, ancestor, parent));
}

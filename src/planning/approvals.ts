import { largestOf } from "../core/extremes.ts";
import type { RemovalApproval } from "../model/generated/approval.ts";
import type { RemovalCharge } from "../model/plan.ts";
import { isHiddenLine } from "./hidden-line.ts";

/** The trailer of a commit message that approves removals. */
export const allowDeletionsTrailer = "Rollcall-Allow-Deletions";

/** The most approvals that are kept, as in the schema of Repository.status. */
export const mostApprovals = 100;

/** An approval and the removals that it may let through. */
export interface CoveringApproval {
  readonly approval: RemovalApproval;
  /** Ids of removals; undefined: all of the plan. */
  readonly covers: ReadonlySet<string> | undefined;
}

/** One text for each approval: `by/commit` or `by/commit/time`. */
export function approvalKey({ by, commit, time }: Pick<RemovalApproval, "by" | "commit" | "time">): string {
  return time === undefined ? `${by}/${commit}` : `${by}/${commit}/${time}`;
}

/** By which a terminal shows the lines that follow as nothing, or others in their place. */
const control = /(?!\t)\p{Cc}/u;

/**
 * The largest count that trailers of a commit message name, or undefined. Trailers are in the last paragraph, which has
 * nothing else, and each in a line of its own, as git reads them. What a forge hides where it shows a message as Markdown
 * approves nothing: a squash may make the message of a stranger's description. Nor does a message with control characters.
 */
export function countOfTrailers(message: string): number | undefined {
  // Only a line feed ends a line: a title may have other separators of lines, which are shown as blanks.
  const lines = message.split("\n").map((line) => line.replace(/\r$/u, ""));
  if (lines.some((line) => control.test(line))) return undefined;
  while (lines.length > 0 && isBlank(lines.at(-1) ?? "")) lines.pop();
  const start = lines.findLastIndex(isBlank) + 1;
  const paragraph = lines.slice(start);
  // A line that begins with a blank continues the one before.
  if (!paragraph.every(isTrailerLine) || /^[ \t]/u.test(paragraph[0] ?? "")) return undefined;
  const last = paragraph.findLastIndex((line) => countOfLine(line) !== undefined);
  if (last < 0 || isHiddenLine(lines.slice(0, start), paragraph.slice(0, last))) return undefined;
  return largestOf(paragraph.flatMap((line) => countOfLine(line) ?? []));
}

function countOfLine(line: string): number | undefined {
  const [, count] = /^Rollcall-Allow-Deletions:[ \t]*(\d{1,6})[ \t]*$/iu.exec(line) ?? [];
  return count === undefined ? undefined : Number(count);
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/u.test(line);
}

/** A trailer, the continuation of one, or what `git cherry-pick -x` adds. Source: git, git-interpret-trailers(1). */
function isTrailerLine(line: string): boolean {
  return /^[A-Za-z0-9-]+[ \t]*:/u.test(line) || /^[ \t]/u.test(line) || line.startsWith("(cherry picked from commit ");
}

/** The approval of `rollcall approve-deletions`: `<commit> <count>[ <time>]`. The commit may be abbreviated. */
export function parseCommandApproval(text: string | undefined): RemovalApproval | undefined {
  const match = /^([0-9a-f]{7,64}) (\d{1,6})(?: (\d{4}-\d{2}-\d{2}T[0-9:.]{8,15}Z))?$/u.exec(text ?? "");
  if (match?.[1] === undefined) return undefined;
  const time = match[3] === undefined ? {} : { time: match[3] };
  return { commit: match[1], by: "Command", ...time, count: Number(match[2]), spent: 0 };
}

/**
 * Adds approvals to those that are known, oldest first; one that is known keeps what is spent of it, and lapses once. Where
 * that is too many, those that let nothing through any more are forgotten first, then the oldest. `inUse` are keys of
 * approvals that removals are charged to which were perhaps not carried out.
 */
export function mergeApprovals(
  known: readonly RemovalApproval[],
  found: readonly RemovalApproval[],
  inUse: ReadonlySet<string> = new Set(),
): readonly RemovalApproval[] {
  const keys = new Set(known.map(approvalKey));
  const lapsed = new Set(found.filter((approval) => approval.lapsed === true).map(approvalKey));
  const kept = known.map((approval) => (lapsed.has(approvalKey(approval)) ? { ...approval, lapsed: true } : approval));
  const all = [...kept, ...found.filter((approval) => !keys.has(approvalKey(approval)))];
  if (all.length <= mostApprovals) return all;
  const sorted = [...all].sort((one, other) => worthOf(one, inUse) - worthOf(other, inUse));
  const forgotten = new Set(sorted.slice(0, all.length - mostApprovals));
  return all.filter((approval) => !forgotten.has(approval));
}

/**
 * A command is forgotten last: its annotation stays on the Repository, and would be read as a new approval. A trailer is
 * read once, with its commit.
 */
function worthOf(approval: RemovalApproval, inUse: ReadonlySet<string>): number {
  if (approval.by === "Command") return 3;
  if (inUse.has(approvalKey(approval))) return 2;
  return approval.lapsed !== true && approval.spent < approval.count ? 1 : 0;
}

/**
 * The approvals after a commit is settled of which `waiting` removals wait for a reason of their own: no approval lets more
 * than those through. What comes after it, such as a change of settings, is no removal that a person has seen.
 */
export function endApprovals(approvals: readonly RemovalApproval[], waiting: number): readonly RemovalApproval[] {
  return approvals.map((approval) => {
    if (approval.spent >= approval.count) return approval;
    if (waiting === 0) return { ...approval, lapsed: true };
    return { ...approval, count: Math.min(approval.count, approval.spent + waiting) };
  });
}

/**
 * True for an approval by command that may have been known and forgotten since: only commands are remembered, and it is
 * not newer than all of them.
 */
export function mayBeForgotten({ time }: RemovalApproval, remembered: readonly RemovalApproval[]): boolean {
  if (remembered.length < mostApprovals || remembered.some(({ by }) => by !== "Command")) return false;
  const newest = remembered.reduce((found, one) => ((one.time ?? "") > found ? (one.time ?? "") : found), "");
  return time === undefined || time <= newest;
}

/**
 * Charges each removal to an approval that covers it and is not used up, oldest approval first. A removal that none covers
 * is left out of the result.
 */
export function chargeApprovals(
  removals: readonly string[],
  approvals: readonly CoveringApproval[],
): ReadonlyMap<string, string> {
  const charged = new Map<string, string>();
  for (const { approval, covers } of approvals) {
    let left = approval.count - approval.spent;
    for (const id of removals) {
      if (left <= 0) break;
      if (charged.has(id) || covers?.has(id) === false) continue;
      charged.set(id, approvalKey(approval));
      left -= 1;
    }
  }
  return charged;
}

/** Of what was counted before, that which is not counted anew. */
export function waitingOf<T extends RemovalCharge>(returned: readonly T[], charges: readonly RemovalCharge[]): T[] {
  const ids = new Set(charges.map(({ id }) => id));
  return returned.filter(({ id }) => !ids.has(id));
}

/** The approvals after removals were charged to them (`sign` 1) or the charge was taken back (-1). */
export function spendApprovals(
  approvals: readonly RemovalApproval[],
  charges: readonly RemovalCharge[],
  sign: 1 | -1,
): readonly RemovalApproval[] {
  const counts = new Map<string, number>();
  for (const { approval } of charges)
    if (approval !== undefined) counts.set(approval, (counts.get(approval) ?? 0) + sign);
  return approvals.map((approval) => {
    const change = counts.get(approvalKey(approval));
    return change === undefined ? approval : { ...approval, spent: Math.max(0, approval.spent + change) };
  });
}

import { setImmediate } from "node:timers/promises";
import { describeError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import { shortCommit } from "../core/short-commit.ts";
import type { Commit, GitEngine } from "../git/git.ts";
import { readTextAt } from "../git/git.ts";
import { readYaml } from "../manifests/read-yaml.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import { toTime } from "../planning/conditions.ts";
import { readStatusSignature, signaturePath } from "../planning/status-signature.ts";
import type { StatusOwner } from "./refuse-other-hub.ts";
import { continuedCommit, isCommitId, pastBranchOf, statusAuthor } from "./status-branches.ts";

/** What a status commit records of the beginning of its branch. */
export type HistoryStart = NonNullable<FleetSummary["history"]>;

/** A new beginning of the branch: one commit represents all that it has. */
export interface Squash {
  readonly start: HistoryStart;
  /** Where the branch must be. */
  readonly head: string;
  /** Where the branch of the past must be; undefined when it must not exist. */
  readonly pastHead: string | undefined;
}

export interface HistoryRequest {
  readonly branch: string;
  /** Where the branch is. */
  readonly head: string | undefined;
  /** For how many days commits are kept; undefined for all. */
  readonly days: number | undefined;
  /** Whose signature the first commit must have, if it has one. */
  readonly owner: StatusOwner;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface HistoryReading {
  /** Where the branch began anew; undefined when it did not. */
  readonly start?: HistoryStart | undefined;
  readonly due?: Squash;
  /** Why older commits stay although it is time to squash them, and what helps. */
  readonly kept?: string;
  /** It was not reported before. Default false. */
  readonly isNews?: boolean;
}

interface Known {
  readonly branch: string;
  readonly head: string;
  readonly start: HistoryStart | undefined;
  readonly walk?: Walk;
  readonly kept?: { readonly days: number; readonly untilMs: number; readonly reason: string };
}

/** How far the branch was walked down. */
interface Walk {
  readonly next: string | undefined;
  /** The first commit of the branch, when it was reached. */
  readonly first: Commit | undefined;
  /** The newest commit that is not ours. */
  readonly other: string | undefined;
}

const dayMs = 86_400_000;
/** Commits that one walk reads: a year of them must not delay a run. */
const commitsAtOnce = 5_000;
const commitsInATurn = 200;
const summaryBytes = 4 * 1024 * 1024;
const signatureBytes = 4096;
const writtenTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u;

/** Knows when the status branch is to begin anew, and that no commit of another writer would be squashed by it. */
export class StatusHistory {
  readonly #git: GitEngine;
  #known: Known | undefined;

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /** Never reads a tree but those of the first and the newest commit. @throws E_GIT_OBJECT, E_GIT_REMOTE and others of a read */
  async evaluate(request: HistoryRequest): Promise<HistoryReading> {
    const { branch, head, days, nowMs } = request;
    if (days === undefined || head === undefined) {
      this.#known = undefined;
      return {};
    }
    const isKnown = this.#known?.branch === branch && this.#known.head === head;
    const known = (this.#known = isKnown && this.#known ? this.#known : await this.#read(branch, head));
    const { start, kept } = known;
    if (kept?.days === days && nowMs < kept.untilMs) return { start, kept: kept.reason };
    const sinceMs = known.walk?.first?.committedAtMs ?? (start ? Date.parse(start.since) : 0);
    if (nowMs - sinceMs < days * dayMs) return { start };
    const found = await this.#walk({ ...request, head, days }, known);
    return typeof found === "string" ? this.keep({ days, nowMs }, found) : found;
  }

  /** Does not check again for a day; the branch keeps its length. */
  keep({ days, nowMs }: { readonly days: number; readonly nowMs: number }, reason: string): HistoryReading {
    if (this.#known) this.#known = { ...this.#known, kept: { days, untilMs: nowMs + dayMs, reason } };
    return { start: this.#known?.start, kept: reason, isNews: true };
  }

  /** A commit of ours is on top of `before`, or with `start` in its place. */
  record({ before, head, start }: { before: string | undefined; head: string; start: HistoryStart | undefined }): void {
    const known = this.#known;
    if (known === undefined || known.head !== before) this.#known = undefined;
    else this.#known = start === undefined ? { ...known, head } : { branch: known.branch, head, start };
  }

  async #read(branch: string, head: string): Promise<Known> {
    const text = await readTextAt(this.#git, head, { path: "summary.yaml", maximumBytes: summaryBytes });
    return { branch, head, start: text === undefined ? undefined : readStart(text, branch) };
  }

  /** What to do, or why nothing is done. */
  async #walk(
    request: HistoryRequest & { readonly head: string; readonly days: number },
    known: Known,
  ): Promise<HistoryReading | string> {
    const { branch, head, days, owner, nowMs, signal } = request;
    let { next, first, other }: Walk = known.walk ?? { next: head, first: undefined, other: undefined };
    for (let count = 0; next !== undefined && count < commitsAtOnce; count++) {
      // Commits that are in memory are read without a wait: this lets other work run in between.
      if (count % commitsInATurn === 0) await setImmediate(undefined, { signal });
      const commit = await this.#git.readCommit(next);
      if (!isOurs(commit)) other ??= commit.id;
      [next] = commit.parents;
      if (next === undefined) first = commit;
    }
    this.#known = { ...known, walk: { next, first, other } };
    const { start } = known;
    if (first === undefined || first.id === head || nowMs - first.committedAtMs < days * dayMs) return { start };
    if (other === undefined && (await this.#isOfOtherHub(first.id, owner))) other = first.id;
    if (other !== undefined) return ofAnother(branch, other);
    const past = pastBranchOf(branch);
    const pastHead = (await this.#git.listBranches(signal)).get(past);
    // A try that was stopped half way has put it on one of our commits.
    const isOurPast = pastHead === undefined || pastHead === continuedCommit(first.message);
    if (!isOurPast && !(await this.#git.isAncestor(pastHead, head)))
      return `the branch ${past} is at ${shortCommit(pastHead)}, where this daemon did not put it; rename or delete it`;
    return { start, due: { head, pastHead, start: { since: toTime(nowMs), after: head, branch: past } } };
  }

  /** True when the commit is signed for another hub or Repository. One without a signature is of an older version. */
  async #isOfOtherHub(commit: string, owner: StatusOwner): Promise<boolean> {
    const text = await readTextAt(this.#git, commit, { path: signaturePath, maximumBytes: signatureBytes });
    const signature = text === undefined ? undefined : readStatusSignature(readYaml(text).documents[0]?.value);
    return signature !== undefined && (signature.hub !== owner.hubId || signature.repository !== owner.repository);
  }
}

/** Why the server does not let the branch begin anew, and what helps. */
export function refusedSquash(branch: string, error: unknown): string {
  return `${describeError(error)}; allow the daemon to force-push ${branch} and ${pastBranchOf(branch)}, or remove spec.writeBack.history`;
}

function ofAnother(branch: string, commit: string): string {
  return `commit ${shortCommit(commit)} of ${branch} is not of this hub and Repository; push the branch under another name, and delete ${branch}: the daemon writes it anew`;
}

function isOurs({ parents, author }: Commit): boolean {
  return parents.length <= 1 && author.name === statusAuthor.name && author.email === statusAuthor.email;
}

/** What a summary records, if this daemon can have written it. */
function readStart(text: string, branch: string): HistoryStart | undefined {
  const summary = readYaml(text).documents[0]?.value;
  const [since = "", after = ""] = [textAt(summary, "history", "since"), textAt(summary, "history", "after")];
  const past = pastBranchOf(branch);
  const isValid = textAt(summary, "history", "branch") === past && writtenTime.test(since) && isCommitId(after);
  return isValid ? { since, after, branch: past } : undefined;
}

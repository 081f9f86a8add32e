import { repositoryLabelOf } from "../model/repository-label.ts";
import { smallestOf } from "../core/extremes.ts";
import type { AppError } from "../core/errors.ts";
import { describeError, isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { CommitStatus, Forge, PullRequest } from "../forge/forge.ts";
import { isTooLong, statusContext } from "../forge/forge.ts";
import type { GitEngine } from "../git/git.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { Problem } from "../model/problem.ts";
import { allowDeletionsTrailer, countOfTrailers } from "../planning/approvals.ts";
import { needsApproval } from "../planning/squash-notes.ts";
import type { Observed } from "../planning/observed.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { OpenRepositoryForge } from "./report-to-forge.ts";
import { reportMerge } from "./report-merge.ts";
import { isRefusedReport, ReportOnce } from "./report-once.ts";

export interface ReviewerOptions {
  readonly planner: RepositoryPlanner;
  readonly git: GitEngine;
  readonly observed: Observed;
  readonly openForge: OpenRepositoryForge;
  readonly monotonicMs: () => number;
  /** How many changes of the hub were seen: a plan that was made at the same count would be the same. */
  readonly hubChanges: () => number;
  readonly log: Log;
}

/** The content of the main branch and its evaluation. */
export interface MainBranch {
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
  readonly problems: readonly Problem[];
}

/** Plans made in one round: further pull requests follow in the next ones, and other work continues in between. */
const plansAtOnce = 10;
const nextRoundMs = 1000;

/** A plan of unchanged commits is made again this long after it was made, if the hub has changed since. */
const renewAfterMs = 5 * 60_000;
/** Without any change too, for what time alone changes: removals that count for a day. */
const renewAnywayAfterMs = 60 * 60_000;

/** The last report on a pull request. */
interface Posted {
  /** The commit whose plan was reported; undefined: a report without a plan. */
  readonly head: string | undefined;
  readonly main: string;
  /** The reported plan; undefined where there is none, or the forge did not accept it. */
  readonly markdown?: string | undefined;
  readonly plannedAtMs: number;
  /** What besides the two commits the plan was made for. */
  readonly state: string;
  /** The approval in the text of the pull request, which a squash may take over. */
  readonly approvedInText: number | undefined;
}

/**
 * Reports on each open pull request what merging it would do: one comment, changed in place, and the statuses of its
 * newest commit. A plan for another state of the main branch is made again; until then the old one is marked as void. A
 * plan for another state of the hub is also made again, every five minutes at most, and reported if it differs. Pull
 * requests from forks are skipped: their commits are not in this repository.
 */
export class PullRequestReviewer {
  readonly #options: ReviewerOptions;
  readonly #posted = new Map<number, Posted>();
  /** When each was planned last, or tried, as a number that grows. */
  readonly #turns = new Map<number, number>();
  #lastTurn = 0;
  readonly #reports = new ReportOnce();
  /** The content of the main branch in the last round: the same for every pull request. */
  #before: { readonly snapshot: SourceSnapshot; readonly fleet: DeclaredFleet } | undefined;

  constructor(options: ReviewerOptions) {
    this.#options = options;
  }

  /**
   * Reviews all of them once. Resolves with milliseconds until the next review is due by itself, if there is more to do.
   * @throws E_FORGE_*, E_GIT_* when the forge or the repository does not answer
   */
  async review(main: MainBranch, signal: AbortSignal): Promise<number | undefined> {
    const { repository, snapshot } = main;
    if (repository.spec.forge === undefined) return undefined;
    const forge = await this.#options.openForge(repository);
    if (!forge) return undefined;
    const open = await this.#listOpen(forge, repository, signal);
    const state = this.#stateOf(repository);
    const own = open.filter(({ isFork }) => !isFork);
    const isNew = ({ number, headCommit, body }: PullRequest): boolean => {
      const posted = this.#posted.get(number);
      const isSame = posted?.head === headCommit && posted.main === snapshot.commit.id;
      return !isSame || posted.approvedInText !== countOfTrailers(body);
    };
    const isOutdated = (pullRequest: PullRequest): boolean =>
      !isNew(pullRequest) && this.#renewalInMs(pullRequest.number, state) <= 0;
    const due = this.#longestWaitingFirst([...own.filter(isNew), ...own.filter(isOutdated)]);
    const later = due.slice(plansAtOnce);
    // What is outdated must not be read as a promise while the others are planned.
    for (const { number, body } of later) {
      const place = { pullRequest: number, repository: repositoryLabelOf(repository), base: snapshot.commit.id };
      if (this.#posted.get(number)?.main === snapshot.commit.id) continue;
      await this.#tolerate(number, () => this.#changeComment(number, () => forge.voidPlanComment(place, signal)));
      this.#posted.set(number, {
        head: undefined,
        main: snapshot.commit.id,
        plannedAtMs: this.#options.monotonicMs(),
        state,
        approvedInText: countOfTrailers(body),
      });
    }
    const failures: unknown[] = [];
    for (const pullRequest of due.slice(0, plansAtOnce)) {
      this.#turns.set(pullRequest.number, ++this.#lastTurn);
      const result = await this.#tolerate(pullRequest.number, () =>
        this.#reviewOne(forge, main, { pullRequest, signal }),
      ).catch((error: unknown) => {
        if (signal.aborted || (isAppError(error) && error.code.startsWith("E_FORGE_"))) throw error;
        // What fails for one branch, at the git server or by a defect, must not keep the others from their plans.
        failures.push(error);
        return "failed" as const;
      });
      if (result === "failed") continue;
      this.#posted.set(pullRequest.number, {
        head: result?.head ?? pullRequest.headCommit,
        main: snapshot.commit.id,
        markdown: result?.markdown,
        plannedAtMs: this.#options.monotonicMs(),
        state,
        approvedInText: countOfTrailers(pullRequest.body),
      });
    }
    if (failures.length > 0) throw failures[0];
    return later.length > 0 ? nextRoundMs : this.#nextRenewalInMs(own, this.#stateOf(repository));
  }

  /** The open pull requests; of more than are read, the oldest: those of strangers must not keep all others from their plans. */
  async #listOpen(forge: Forge, { spec }: Repository, signal: AbortSignal): Promise<readonly PullRequest[]> {
    const cuts: number[] = [];
    const options = {
      baseBranch: spec.ref?.branch ?? "main",
      onCut: (pages: number) => void cuts.push(pages),
      keptOfBody: approvalIn,
    };
    const open = await forge.listPullRequests(options, signal);
    const [pages] = cuts;
    if (pages === undefined) this.#forgetClosed(open);
    else this.#options.log.warn("more pull requests are open than are read: the newest have no plan", { pages });
    return open;
  }

  /** Those that get new commits without an end must not keep the others from their plans. */
  #longestWaitingFirst(open: readonly PullRequest[]): PullRequest[] {
    const turnOf = ({ number }: PullRequest): number => this.#turns.get(number) ?? 0;
    return [...open].sort((one, other) => turnOf(one) - turnOf(other));
  }

  /** What a plan depends on besides commits and the time. */
  #stateOf({ metadata }: Repository): string {
    return `${this.#options.hubChanges()} ${metadata.resourceVersion ?? ""}`;
  }

  /** Milliseconds until the plan of a pull request is to be made anew. */
  #renewalInMs(number: number, state: string): number {
    const posted = this.#posted.get(number);
    if (posted === undefined) return 0;
    const ageMs = this.#options.monotonicMs() - posted.plannedAtMs;
    return (posted.state === state ? renewAnywayAfterMs : renewAfterMs) - ageMs;
  }

  /** When the first of those that are outdated already may be planned; undefined when the hub has not changed since. */
  #nextRenewalInMs(own: readonly PullRequest[], state: string): number | undefined {
    const outdated = own.filter(({ number }) => this.#posted.get(number)?.state !== state);
    if (outdated.length === 0) return undefined;
    return Math.max(nextRoundMs, smallestOf(outdated.map(({ number }) => this.#renewalInMs(number, state))));
  }

  /**
   * What a forge refuses for one pull request (a locked conversation, one that was just closed), or has too much of to be read
   * (comments of strangers), stops none of the others.
   */
  async #tolerate<T>(pullRequest: number, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isRefusedReport(error) && !isAppError(error, "E_UNSUPPORTED") && !isTooLong(error)) throw error;
      this.#options.log.warn("the forge refuses the report on a pull request", { pullRequest, error });
      return undefined;
    }
  }

  /** Returns the planned commit and the report, or undefined when the branch is deleted. */
  async #reviewOne(
    forge: Forge,
    main: MainBranch,
    { pullRequest, signal }: { readonly pullRequest: PullRequest; readonly signal: AbortSignal },
  ): Promise<Pick<Posted, "head" | "markdown"> | undefined> {
    const { repository, snapshot } = main;
    const { number, headBranch } = pullRequest;
    const place = { pullRequest: number, repository: repositoryLabelOf(repository), base: snapshot.commit.id };
    const fetched = await this.#fetchHead(headBranch, signal);
    // Deleted since it was listed: the next list does not have it any more.
    if (fetched === undefined) return undefined;
    const { head = pullRequest.headCommit, refusal } = fetched;
    try {
      if (refusal) throw refusal;
      const merge = await this.#options.planner.planMerge(repository, { main: snapshot, head });
      const squashMessage = needsApproval(merge.plan.budget)
        ? await forge.readSquashMessage(number, signal)
        : undefined;
      const { markdown, statuses } = reportMerge({
        repository,
        problems: main.problems,
        merge,
        observed: this.#options.observed,
        fleetBefore: await this.#fleetOf(main),
        ...(squashMessage === undefined ? {} : { squashMessage }),
        hubWork: await this.#options.planner.planHubWork(merge.plan),
      });
      const posted = this.#posted.get(number);
      const isReported = posted?.head === head && posted.main === snapshot.commit.id && posted.markdown === markdown;
      const change = () => forge.writePlanComment({ ...place, head, markdown }, signal);
      // A conversation that is full or locked must not keep the commit from its statuses.
      const isWritten =
        isReported || (await this.#tolerate(number, () => this.#changeComment(number, change))) === true;
      for (const status of statuses) await this.#setStatus(forge, { commit: head, status, signal });
      return isWritten ? { head, markdown } : { head };
    } catch (error) {
      signal.throwIfAborted();
      // A forge or repository that does not answer is asked again; a branch that cannot be planned has a report.
      if (!isAppError(error) || error.recovery === "transient" || error.code.startsWith("E_FORGE_")) throw error;
      this.#options.log.warn("planning a pull request failed", { pullRequest: number, error });
      await this.#tolerate(number, () => this.#changeComment(number, () => forge.voidPlanComment(place, signal)));
      const context = statusContext(repositoryLabelOf(repository));
      const status: CommitStatus = { context, state: "error", description: `No plan: ${describeError(error)}` };
      await this.#setStatus(forge, { commit: head, status, signal });
      return { head };
    }
  }

  /** A change whose answer is lost may have taken effect: until the forge answers, nothing is known of the comment. */
  async #changeComment(pullRequest: number, change: () => Promise<unknown>): Promise<true> {
    this.#posted.delete(pullRequest);
    await change();
    return true;
  }

  /** Undefined: there is no such branch. `refusal`: what the branch has is not read, however often it is fetched. */
  async #fetchHead(
    branch: string,
    signal: AbortSignal,
  ): Promise<{ readonly head?: string; readonly refusal?: AppError } | undefined> {
    try {
      const head = await this.#options.git.fetchHead(branch, signal);
      return head === undefined ? undefined : { head };
    } catch (error) {
      // A name that is none in git.
      if (isAppError(error, "E_GIT_BRANCH_MISSING")) return undefined;
      if (isAppError(error, "E_GIT_OBJECT", "E_UNSUPPORTED")) return { refusal: error };
      throw error;
    }
  }

  async #fleetOf({ repository, snapshot }: MainBranch): Promise<DeclaredFleet> {
    if (this.#before?.snapshot !== snapshot) {
      const { fleet } = await this.#options.planner.check(repository, snapshot);
      this.#before = { snapshot, fleet };
    }
    return this.#before.fleet;
  }

  async #setStatus(
    forge: Forge,
    {
      commit,
      status,
      signal,
    }: { readonly commit: string; readonly status: CommitStatus; readonly signal: AbortSignal },
  ): Promise<void> {
    await this.#reports.report(`${commit} ${status.context}`, JSON.stringify(status), () =>
      forge.setCommitStatus(commit, status, signal),
    );
  }

  #forgetClosed(open: readonly PullRequest[]): void {
    const numbers = new Set(open.map(({ number }) => number));
    for (const known of [this.#posted, this.#turns])
      for (const number of known.keys()) if (!numbers.has(number)) known.delete(number);
  }
}

/** Of the text of a pull request: the approval, which a squash may take over. */
function approvalIn(body: string): string {
  const count = countOfTrailers(body);
  return count === undefined ? "" : `${allowDeletionsTrailer}: ${count}`;
}

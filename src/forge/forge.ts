// forge: what Rollcall reports at the host of the repository (GitHub, GitLab, Gitea, Forgejo): commit statuses, one
// plan comment for each pull request, pull requests of its own. This file is its port; open-forge.ts opens one.
// Everything is read before it is written, so that repeating a call does no harm.

import { isAppError } from "../core/errors.ts";

export type ForgeProvider = "GitHub" | "GitLab" | "Gitea" | "Forgejo";

export interface CommitStatus {
  readonly state: "pending" | "success" | "failure" | "error";
  /** Distinguishes this status from others; one for each Repository (`rollcall/<namespace>.<name>`). */
  readonly context: string;
  /** One line of plain text; cut to what the forge takes. */
  readonly description: string;
  /** A page with details. */
  readonly targetUrl?: string;
}

export interface PullRequest {
  /** The number in its address. */
  readonly number: number;
  /** Plain text of a user. */
  readonly title: string;
  /** What `keptOfBody` made of the text of a user. Never to be shown. */
  readonly body: string;
  /** Its page. For people, never to be fetched. */
  readonly url: string;
  readonly headBranch: string;
  readonly headCommit: string;
  readonly baseBranch: string;
  /** True when the head is in another repository or no branch, or is unknown: nothing of it may get credentials. */
  readonly isFork: boolean;
  readonly isDraft: boolean;
}

export interface PlanComment {
  readonly pullRequest: number;
  /** The Repository, as `<namespace>.<name>`: several may plan one pull request. */
  readonly repository: string;
  /** The commits that were compared. */
  readonly base: string;
  readonly head: string;
  /** The plan, as Markdown in which all text from outside is escaped. Cut at a line when it is too long for the forge. */
  readonly markdown: string;
}

export interface PullRequestDraft {
  /** A branch that was pushed to this repository. */
  readonly headBranch: string;
  readonly baseBranch: string;
  readonly title: string;
  /** Markdown in which all text from outside is escaped. */
  readonly body: string;
}

export type WriteOutcome = "created" | "updated" | "unchanged";

/** Which pull requests are listed. */
export interface PullRequestList {
  /** Default: into every branch. */
  readonly baseBranch?: string | undefined;
  /** Called for a list that is longer than what is read of it. Default: it is refused. */
  readonly onCut?: (pages: number) => void;
  /** What is kept of the text of each one: a text may have megabytes. Default: nothing. Nothing is kept of forks. */
  readonly keptOfBody?: (body: string) => string;
}

/**
 * Calls fail with E_FORGE_AUTH, E_FORGE_FORBIDDEN, E_FORGE_NOT_FOUND, E_FORGE_PROTOCOL, E_FORGE_REFUSED,
 * E_FORGE_SERVER, E_FORGE_THROTTLED or E_FORGE_UNREACHABLE. E_FORGE_THROTTLED (and E_FORGE_SERVER, when the forge sends
 * it) carries `data.retryAfterMs`; until then every call fails with it at once, without a request.
 */
export interface Forge {
  readonly provider: ForgeProvider;
  /** The repository's name at the forge, as in its address: `owner/name`. */
  readonly repository: string;
  /** Sets the status of a commit unless it has it already. */
  setCommitStatus(commit: string, status: CommitStatus, signal?: AbortSignal): Promise<WriteOutcome>;
  /**
   * The open pull requests, oldest first, optionally those into one branch; none whose text is longer than an answer may be.
   * @throws E_UNSUPPORTED beyond 40 pages, without `onCut`
   */
  listPullRequests(options?: PullRequestList, signal?: AbortSignal): Promise<PullRequest[]>;
  /**
   * The message that the forge proposes for the squash of a pull request: the user who merges may change it. Undefined
   * when it is not known: the token may not read the setting, commits of several authors add lines, or it is too long.
   */
  readSquashMessage(pullRequest: number, signal?: AbortSignal): Promise<string | undefined>;
  /** The newest commit of a pull request; undefined when the token may not read it. */
  readHeadCommit(pullRequest: number, signal?: AbortSignal): Promise<string | undefined>;
  /** Writes the plan into the one comment that is ours, or makes it. */
  writePlanComment(comment: PlanComment, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Marks our comment as void when it was made for another base than `base`. Without a comment nothing happens. */
  voidPlanComment(
    request: Pick<PlanComment, "pullRequest" | "repository" | "base">,
    signal?: AbortSignal,
  ): Promise<WriteOutcome>;
  /** Opens a pull request, or gives the one that is open from that branch into that base. */
  openPullRequest(draft: PullRequestDraft, signal?: AbortSignal): Promise<PullRequest>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The context of a Repository's commit status: of a branch, what merging would do; of an applied commit, what became of it. */
export function statusContext(repository: string): string {
  return `rollcall/${repository}`;
}

/** The context of the status that shows whether the files of a branch may be merged as they are. */
export function validationContext(repository: string): string {
  return `${statusContext(repository)}/validation`;
}

/**
 * True for an answer that is longer than what is read of one, as the texts of users may be. Any other that is not understood,
 * such as the page of a proxy, is about no item of the forge.
 */
export function isTooLong(error: unknown): boolean {
  return isAppError(error, "E_FORGE_PROTOCOL") && error.data.maximumBytes !== undefined;
}

import type { CommitStatus, PullRequest, PullRequestDraft, PullRequestList } from "./forge.ts";

export interface ForgeComment {
  readonly id: string;
  /** The author's id at the forge; undefined when there is none. */
  readonly authorId: string | undefined;
  readonly body: string;
}

export interface CommentList {
  /** Called with each page; what it does not return is not kept. */
  readonly keep: (comments: readonly ForgeComment[]) => Promise<readonly ForgeComment[]>;
  /** Called for a list that is longer than what is read of it. */
  readonly onCut: () => void;
}

/**
 * What differs between the forges: one call, one request (or the pages of one list). What it means to do it again is
 * decided above, once for all (open-forge.ts).
 */
export interface ForgeApi {
  /** The id of the user whose token is used, or of the bot user of an app. */
  readUserId(signal?: AbortSignal): Promise<string>;
  /** The newest status of a commit with that context. */
  readStatus(commit: string, context: string, signal?: AbortSignal): Promise<CommitStatus | undefined>;
  /** Text and state as the forge keeps them: what reading gives after writing. */
  normalizeStatus(status: CommitStatus): CommitStatus;
  writeStatus(commit: string, status: CommitStatus, signal?: AbortSignal): Promise<void>;
  listPullRequests(options: PullRequestList, signal?: AbortSignal): Promise<PullRequest[]>;
  createPullRequest(draft: PullRequestDraft, signal?: AbortSignal): Promise<PullRequest>;
  /** The newest commit of a pull request. */
  readHeadCommit(pullRequest: number, signal?: AbortSignal): Promise<string>;
  /** The message that the forge proposes for a squash; undefined when it is not known. */
  readSquashMessage(pullRequest: number, signal?: AbortSignal): Promise<string | undefined>;
  /** Oldest first. */
  listComments(pullRequest: number, list: CommentList, signal?: AbortSignal): Promise<ForgeComment[]>;
  createComment(pullRequest: number, body: string, signal?: AbortSignal): Promise<void>;
  editComment(comment: CommentRef, body: string, signal?: AbortSignal): Promise<void>;
  deleteComment(comment: CommentRef, signal?: AbortSignal): Promise<void>;
  /** Characters that a comment may have. */
  readonly maximumCommentLength: number;
}

export interface CommentRef {
  readonly pullRequest: number;
  readonly id: string;
}

import { assertNever } from "../core/assert-never.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import type { ForgeAddress } from "./forge-address.ts";
import type { ForgeApi, ForgeComment } from "./forge-api.ts";
import type { ForgeHttp } from "./forge-http.ts";
import type { CommitStatus, Forge, ForgeProvider, PullRequest, PullRequestDraft, WriteOutcome } from "./forge.ts";
import { isTooLong } from "./forge.ts";
import { createGiteaApi } from "./gitea.ts";
import { createGitHubApi } from "./github.ts";
import { createGitLabApi } from "./gitlab.ts";
import { openForgeHttp } from "./open-forge-http.ts";
import type { OpenForgeOptions } from "./open-forge-http.ts";
import { markerName, readPlanMarker, renderPlanComment, voidPlanComment } from "./plan-comment.ts";
import { isSameStatus } from "./status-text.ts";

/** Opens a forge; nothing is sent yet. @throws E_FORGE_URL, E_FORGE_AUTH when the token cannot be one */
export function openForge(options: OpenForgeOptions): Forge {
  const { provider } = options;
  const { http, address } = openForgeHttp(options);
  const { repository } = address;
  return createForge(createApi(provider, http, address), { provider, repository, close: () => http.close() });
}

function createApi(provider: ForgeProvider, http: ForgeHttp, address: ForgeAddress): ForgeApi {
  const { repository } = address;
  switch (provider) {
    case "GitHub":
      return createGitHubApi(http, address);
    case "GitLab":
      return createGitLabApi(http, repository);
    case "Gitea":
    case "Forgejo":
      return createGiteaApi(http, repository);
    default:
      return assertNever(provider);
  }
}

function createForge(
  api: ForgeApi,
  { provider, repository, close }: Pick<Forge, "provider" | "repository" | "close">,
): Forge {
  return {
    provider,
    repository,
    close,
    setCommitStatus: (commit, status, signal) => setCommitStatus(api, { commit, status }, signal),
    listPullRequests: async (options = {}, signal) =>
      eachOnce(await api.listPullRequests(options, signal), ({ number }) => number),
    async readHeadCommit(pullRequest, signal) {
      try {
        return await api.readHeadCommit(pullRequest, signal);
      } catch (error) {
        if (isAppError(error, "E_FORGE_FORBIDDEN", "E_FORGE_NOT_FOUND")) return undefined;
        throw error;
      }
    },
    async readSquashMessage(pullRequest, signal) {
      try {
        return await api.readSquashMessage(pullRequest, signal);
      } catch (error) {
        // A plan does without it. How much there is to read of a request is up to its author.
        const isUnknown = isAppError(error, "E_FORGE_FORBIDDEN", "E_FORGE_NOT_FOUND", "E_UNSUPPORTED");
        if (isUnknown || isTooLong(error)) return undefined;
        throw error;
      }
    },
    ...planComments(api),
    openPullRequest: (draft, signal) => openPullRequest(api, draft, signal),
  };
}

async function setCommitStatus(
  api: ForgeApi,
  { commit, status }: { readonly commit: string; readonly status: CommitStatus },
  signal: AbortSignal | undefined,
): Promise<WriteOutcome> {
  const wanted = api.normalizeStatus(status);
  const before = await api.readStatus(commit, wanted.context, signal).catch(unknownIfTooLong);
  if (isSameStatus(before, wanted)) return "unchanged";
  try {
    await api.writeStatus(commit, wanted, signal);
  } catch (error) {
    // Some forges refuse a state that the commit already has: another client set it meanwhile, or only its text
    // differs.
    if (!isAppError(error, "E_FORGE_REFUSED")) throw error;
    const after = await api.readStatus(commit, wanted.context, signal).catch(unknownIfTooLong);
    if (after?.state !== wanted.state) throw error;
    return "unchanged";
  }
  return before === undefined ? "created" : "updated";
}

/** How many statuses a commit has is up to those who may push. */
function unknownIfTooLong(error: unknown): undefined {
  if (!isAppError(error, "E_UNSUPPORTED") && !isTooLong(error)) throw error;
}

async function openPullRequest(
  api: ForgeApi,
  draft: PullRequestDraft,
  signal: AbortSignal | undefined,
): Promise<PullRequest> {
  const find = async (): Promise<PullRequest | undefined> => {
    // Behind others without end, it is not found: a forge refuses to open it twice.
    const open = await api.listPullRequests({ baseBranch: draft.baseBranch, onCut: () => undefined }, signal);
    return open.find(({ headBranch, isFork }) => headBranch === draft.headBranch && !isFork);
  };
  const found = await find();
  if (found !== undefined) return found;
  const title = printable(draft.title.replaceAll(/\s+/gu, " ").trim()).slice(0, 250);
  try {
    return await api.createPullRequest({ ...draft, title }, signal);
  } catch (error) {
    // Another daemon may have been quicker.
    const other = isAppError(error, "E_FORGE_REFUSED") ? await find() : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

/** The comment with a plan: one for each pull request and Repository, edited in its place. */
function planComments(api: ForgeApi): Pick<Forge, "writePlanComment" | "voidPlanComment"> {
  /** Our comments for one Repository, oldest first. @throws E_UNSUPPORTED when they may be beyond what is read */
  const ownComments = async (pullRequest: number, name: string, signal?: AbortSignal): Promise<ForgeComment[]> => {
    let own: Promise<string> | undefined;
    const keep = async (comments: readonly ForgeComment[]): Promise<ForgeComment[]> => {
      const marked = comments.filter(({ body }) => readPlanMarker(body)?.repository === markerName(name));
      if (marked.length === 0) return [];
      // Any user may write our marker. Another user's comment must not get our plan: its author could edit it later.
      const userId = await (own ??= api.readUserId(signal));
      return marked.filter(({ authorId }) => authorId === userId);
    };
    let isCut = false;
    const found = await api.listComments(pullRequest, { keep, onCut: () => (isCut = true) }, signal);
    // Ours is among the oldest, unless others came first.
    if (isCut && found.length === 0) {
      const remedy = "Delete comments of the pull request that are not needed.";
      const message = `list comments of #${pullRequest}: there are more than are read, and none of those read is ours`;
      throw new AppError("E_UNSUPPORTED", message, { remedy });
    }
    return eachOnce(found, ({ id }) => id);
  };

  /** Leaves one of our comments, with the body given. */
  const writeComment = async (
    { pullRequest, comments, body }: { pullRequest: number; comments: readonly ForgeComment[]; body: string },
    signal?: AbortSignal,
  ): Promise<WriteOutcome> => {
    const [first, ...others] = comments;
    // Two daemons may have made one each.
    for (const { id } of others) await api.deleteComment({ pullRequest, id }, signal);
    if (first === undefined) {
      await api.createComment(pullRequest, body, signal);
      return "created";
    }
    if (sameText(first.body, body)) return others.length > 0 ? "updated" : "unchanged";
    await api.editComment({ pullRequest, id: first.id }, body, signal);
    return "updated";
  };

  return {
    async writePlanComment(comment, signal) {
      const comments = await ownComments(comment.pullRequest, comment.repository, signal);
      const body = renderPlanComment(comment, api.maximumCommentLength);
      return writeComment({ pullRequest: comment.pullRequest, comments, body }, signal);
    },
    async voidPlanComment({ pullRequest, repository: name, base }, signal) {
      const comments = await ownComments(pullRequest, name, signal);
      const body = comments[0] && voidPlanComment(comments[0].body, base, api.maximumCommentLength);
      return body === undefined ? "unchanged" : writeComment({ pullRequest, comments, body }, signal);
    },
  };
}

/** Forges may change line ends and blanks at the end of a text. */
function sameText(left: string, right: string): boolean {
  const normalize = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();
  return normalize(left) === normalize(right);
}

/** A list that changes while it is read moves items to the next page, and a server may ignore which page is asked for. */
function eachOnce<T>(items: readonly T[], keyOf: (item: T) => string | number): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

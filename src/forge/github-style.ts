import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { objectsAt, textAt } from "../core/read-json.ts";
import type { ForgeApi } from "./forge-api.ts";
import { segment } from "./forge-http.ts";
import type { ForgeHttp } from "./forge-http.ts";
import type { CommitStatus } from "./forge.ts";
import { isTooLong } from "./forge.ts";
import { listPages, pickPages } from "./list-pages.ts";
import type { PageOptions } from "./list-pages.ts";
import { noCommit, readComment, readPullRequest } from "./pull-request-json.ts";
import type { SquashSource } from "./squash-message.ts";
import { fitStatus } from "./status-text.ts";

/** In what an API that was made after GitHub's differs from it. */
export interface GitHubDialect {
  readonly readUserId: ForgeApi["readUserId"];
  readonly pages: PageOptions;
  readonly commentPages: PageOptions;
  /** Of comments and events; undefined where comments come in pages of their own. */
  readonly timelinePages?: PageOptions;
  readonly maximumDescription: number;
  readonly maximumCommentLength: number;
  /** The field of a status that has its state. */
  readonly stateField: "state" | "status";
  readonly isSameContext: (left: string, right: string) => boolean;
  /** The message that is proposed for a squash; `repository` is the answer that has the repository's settings. */
  readonly squashMessage: (repository: unknown, source: SquashSource) => string | undefined;
  /** Asks for open pull requests, oldest first, optionally those into one branch. */
  readonly openPulls: (baseBranch: string | undefined) => Readonly<Record<string, string>>;
}

/** The calls of GitHub's REST API, which Gitea and Forgejo have too. */
export function createGitHubStyleApi(http: ForgeHttp, repository: string, dialect: GitHubDialect): ForgeApi {
  const root = `/repos/${repository.split("/").map(segment).join("/")}`;
  const { pages, commentPages, timelinePages, maximumDescription, maximumCommentLength, stateField, isSameContext } =
    dialect;
  return {
    maximumCommentLength,
    normalizeStatus: (status) => fitStatus(status, maximumDescription),
    readUserId: dialect.readUserId,
    async readStatus(commit, context, signal) {
      const path = `${root}/commits/${segment(commit)}/status`;
      const request = { action: `read the status of ${commit}`, method: "GET", path, signal } as const;
      const isOurs = (status: JsonObject) => isSameContext(textAt(status, "context") ?? "", context);
      const options = { ...pages, itemsOf: (answer: unknown) => objectsAt(answer, "statuses") };
      const statuses = await listPages(http, request, options, (items) => items.some(isOurs));
      const found = statuses.find(isOurs);
      return found && readStatus(found, context, stateField);
    },
    async writeStatus(commit, { state, context, description, targetUrl }, signal) {
      const link = targetUrl === undefined ? {} : { target_url: targetUrl };
      const body = { state, context, description, ...link };
      const path = `${root}/statuses/${segment(commit)}`;
      await http.send({ action: `set the status of ${commit}`, method: "POST", path, body, signal });
    },
    async listPullRequests({ baseBranch, onCut, keptOfBody }, signal) {
      const query = dialect.openPulls(baseBranch);
      const request = { action: "list pull requests", method: "GET", path: `${root}/pulls`, query, signal } as const;
      const pick = (items: readonly JsonObject[]) => items.flatMap((json) => readPullRequest(json, keptOfBody) ?? []);
      const found = await pickPages(http, request, { ...pages, onCut, pick });
      // Older servers do not know every parameter.
      return found.filter((pullRequest) => baseBranch === undefined || pullRequest.baseBranch === baseBranch);
    },
    async createPullRequest({ headBranch, baseBranch, title, body }, signal) {
      const action = `open a pull request for ${headBranch}`;
      const content = { head: headBranch, base: baseBranch, title, body };
      const { json } = await http.send({ action, method: "POST", path: `${root}/pulls`, body: content, signal });
      const made = isJsonObject(json) ? readPullRequest(json) : undefined;
      if (made === undefined) throw new AppError("E_FORGE_PROTOCOL", `${action}: the answer is no pull request`);
      return made;
    },
    ...pullRequestCalls(http, root, dialect),
    async listComments(pullRequest, { keep, onCut }, signal) {
      const issue = `${root}/issues/${pullRequest}`;
      const request = { action: `list comments of #${pullRequest}`, method: "GET", signal } as const;
      const pick = (items: readonly JsonObject[]) => keep(items.flatMap((json) => readComment(json) ?? []));
      try {
        return await pickPages(http, { ...request, path: `${issue}/comments` }, { ...commentPages, onCut, pick });
      } catch (error) {
        if (!isTooLong(error) || timelinePages === undefined) throw error;
        return pickPages(http, { ...request, path: `${issue}/timeline` }, { ...timelinePages, onCut, pick });
      }
    },
    async createComment(pullRequest, body, signal) {
      const path = `${root}/issues/${pullRequest}/comments`;
      await http.send({ action: `comment on #${pullRequest}`, method: "POST", path, body: { body }, signal });
    },
    async editComment({ pullRequest, id }, body, signal) {
      const path = `${root}/issues/comments/${segment(id)}`;
      await http.send({ action: `edit a comment on #${pullRequest}`, method: "PATCH", path, body: { body }, signal });
    },
    async deleteComment({ pullRequest, id }, signal) {
      const path = `${root}/issues/comments/${segment(id)}`;
      await http.send({ action: `delete a comment on #${pullRequest}`, method: "DELETE", path, signal });
    },
  };
}

function pullRequestCalls(
  http: ForgeHttp,
  root: string,
  { pages, squashMessage }: GitHubDialect,
): Pick<ForgeApi, "readHeadCommit" | "readSquashMessage"> {
  return {
    async readHeadCommit(pullRequest, signal) {
      const action = `read the newest commit of #${pullRequest}`;
      const { json } = await http.send({ action, method: "GET", path: `${root}/pulls/${pullRequest}`, signal });
      return textAt(json, "head", "sha") ?? noCommit(action);
    },
    async readSquashMessage(pullRequest, signal) {
      const path = `${root}/pulls/${pullRequest}`;
      const request = { action: `read how #${pullRequest} would be squashed`, method: "GET", signal } as const;
      const settings = await http.send({ ...request, path: root });
      const { json } = await http.send({ ...request, path });
      const commits = await listPages(http, { ...request, path: `${path}/commits` }, pages);
      return squashMessage(settings.json, {
        title: textAt(json, "title") ?? "",
        body: textAt(json, "body") ?? "",
        commits: commits.map((commit) => ({
          message: textAt(commit, "commit", "message") ?? "",
          author: textAt(commit, "commit", "author", "email") ?? "",
        })),
      });
    },
  };
}

const states = ["pending", "success", "failure", "error"] as const;

function readStatus(json: JsonObject, context: string, stateField: "state" | "status"): CommitStatus | undefined {
  const state = states.find((known) => known === textAt(json, stateField));
  if (state === undefined) return undefined;
  const targetUrl = textAt(json, "target_url") ?? "";
  const description = textAt(json, "description") ?? "";
  return { state, context, description, ...(targetUrl === "" ? {} : { targetUrl }) };
}

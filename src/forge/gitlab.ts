import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { isTrueAt, numberAt, textAt } from "../core/read-json.ts";
import type { ForgeApi, ForgeComment } from "./forge-api.ts";
import { segment } from "./forge-http.ts";
import type { ForgeHttp } from "./forge-http.ts";
import type { CommitStatus, PullRequest } from "./forge.ts";
import { listPages, pickPages } from "./list-pages.ts";
import { idAt, noCommit } from "./pull-request-json.ts";
import type { KeptOfBody } from "./pull-request-json.ts";
import { readUserId } from "./read-user-id.ts";
import { gitLabSquashMessage } from "./squash-message.ts";
import { fitStatus } from "./status-text.ts";

const pages = { sizeParameter: "per_page", size: 100 };
const recordPages = { sizeParameter: "per_page", size: 50 };
const maximumDescription = 255;

/** Headers by which a token is sent. Source: GitLab, "REST API authentication". */
export function gitLabHeaders(token: string): Readonly<Record<string, string>> {
  return { "private-token": token };
}

/** Source: GitLab, REST API, "Commits API", "Merge requests API", "Notes API". */
export function createGitLabApi(http: ForgeHttp, repository: string): ForgeApi {
  const root = `/projects/${segment(repository)}`;
  return {
    maximumCommentLength: 1_000_000,
    // GitLab has one state for failures and errors.
    normalizeStatus: (status) =>
      fitStatus({ ...status, state: status.state === "error" ? "failure" : status.state }, maximumDescription),
    readUserId: (signal) => readUserId(http, signal),
    ...statusCalls(http, root),
    ...mergeRequestCalls(http, root),
    ...recordCalls(http, root),
  };
}

function statusCalls(http: ForgeHttp, root: string): Pick<ForgeApi, "readStatus" | "writeStatus"> {
  return {
    async readStatus(commit, context, signal) {
      const path = `${root}/repository/commits/${segment(commit)}/statuses`;
      const query = { name: context };
      const request = { action: `read the status of ${commit}`, method: "GET", path, query, signal } as const;
      const found = (await listPages(http, request, pages)).filter((status) => textAt(status, "name") === context);
      // One for each pipeline; the newest has the highest id.
      const newest = found.reduce<JsonObject | undefined>(
        (best, status) => ((numberAt(best, "id") ?? -1) > (numberAt(status, "id") ?? 0) ? best : status),
        undefined,
      );
      return newest && readStatus(newest, context);
    },
    async writeStatus(commit, { state, context, description, targetUrl }, signal) {
      const body = {
        state: state === "failure" || state === "error" ? "failed" : state,
        name: context,
        description,
        ...(targetUrl === undefined ? {} : { target_url: targetUrl }),
      };
      const path = `${root}/statuses/${segment(commit)}`;
      await http.send({ action: `set the status of ${commit}`, method: "POST", path, body, signal });
    },
  };
}

function mergeRequestCalls(
  http: ForgeHttp,
  root: string,
): Pick<ForgeApi, "listPullRequests" | "createPullRequest" | "readHeadCommit" | "readSquashMessage"> {
  return {
    async listPullRequests({ baseBranch, onCut, keptOfBody }, signal) {
      const query = {
        state: "opened",
        scope: "all",
        order_by: "created_at",
        sort: "asc",
        ...(baseBranch === undefined ? {} : { target_branch: baseBranch }),
      };
      const path = `${root}/merge_requests`;
      const request = { action: "list merge requests", method: "GET", path, query, signal } as const;
      const pick = (items: readonly JsonObject[]) => items.flatMap((json) => readMergeRequest(json, keptOfBody) ?? []);
      return pickPages(http, request, { ...pages, onCut, pick });
    },
    async createPullRequest({ headBranch, baseBranch, title, body }, signal) {
      const action = `open a merge request for ${headBranch}`;
      const content = {
        source_branch: headBranch,
        target_branch: baseBranch,
        title,
        description: withoutCommands(body),
        remove_source_branch: true,
      };
      const path = `${root}/merge_requests`;
      const { json } = await http.send({ action, method: "POST", path, body: content, signal });
      const made = isJsonObject(json) ? readMergeRequest(json) : undefined;
      if (made === undefined) throw new AppError("E_FORGE_PROTOCOL", `${action}: the answer is no merge request`);
      return made;
    },
    async readHeadCommit(pullRequest, signal) {
      const action = `read the newest commit of !${pullRequest}`;
      const { json } = await http.send({
        action,
        method: "GET",
        path: `${root}/merge_requests/${pullRequest}`,
        signal,
      });
      return textAt(json, "sha") ?? noCommit(action);
    },
    async readSquashMessage(pullRequest, signal) {
      const path = `${root}/merge_requests/${pullRequest}`;
      const action = `read how !${pullRequest} would be squashed`;
      const request = { action, method: "GET", signal } as const;
      const project = await http.send({ ...request, path: root });
      const { json } = await http.send({ ...request, path });
      const commits = await listPages(http, { ...request, path: `${path}/commits` }, pages);
      return gitLabSquashMessage(textAt(project.json, "squash_commit_template"), {
        title: textAt(json, "title") ?? "",
        body: textAt(json, "description") ?? "",
        commits: commits.reverse().map((commit) => ({
          message: textAt(commit, "message") ?? "",
          author: textAt(commit, "author_email") ?? "",
        })),
      });
    },
  };
}

function recordCalls(
  http: ForgeHttp,
  root: string,
): Pick<ForgeApi, "listComments" | "createComment" | "editComment" | "deleteComment"> {
  const notes = (mergeRequest: number) => `${root}/merge_requests/${mergeRequest}/notes`;
  return {
    async listComments(pullRequest, { keep, onCut }, signal) {
      const query = { sort: "asc", order_by: "created_at" };
      const action = `list notes of !${pullRequest}`;
      const request = { action, method: "GET", path: notes(pullRequest), query, signal } as const;
      const pick = (items: readonly JsonObject[]) => keep(items.flatMap((note) => readNote(note) ?? []));
      return pickPages(http, request, { ...recordPages, onCut, pick });
    },
    async createComment(pullRequest, body, signal) {
      const content = { body: withoutCommands(body) };
      const action = `comment on !${pullRequest}`;
      await http.send({ action, method: "POST", path: notes(pullRequest), body: content, signal });
    },
    async editComment({ pullRequest, id }, body, signal) {
      const path = `${notes(pullRequest)}/${segment(id)}`;
      const content = { body: withoutCommands(body) };
      await http.send({ action: `edit a note on !${pullRequest}`, method: "PUT", path, body: content, signal });
    },
    async deleteComment({ pullRequest, id }, signal) {
      const path = `${notes(pullRequest)}/${segment(id)}`;
      await http.send({ action: `delete a note on !${pullRequest}`, method: "DELETE", path, signal });
    },
  };
}

/**
 * Text whose lines start no command: GitLab runs `/merge` and the like with the rights of the token. Nothing that we write
 * starts a line so; this holds even if something did.
 */
function withoutCommands(body: string): string {
  return body.replaceAll(/^([^\S\n\r\u2028\u2029]*)\/(?=\w)/gmu, "$1\\/");
}

function readStatus(json: JsonObject, context: string): CommitStatus {
  const state = textAt(json, "status");
  const targetUrl = textAt(json, "target_url") ?? "";
  return {
    state: state === "success" ? "success" : state === "failed" || state === "canceled" ? "failure" : "pending",
    context,
    description: textAt(json, "description") ?? "",
    ...(targetUrl === "" ? {} : { targetUrl }),
  };
}

function readNote(note: JsonObject): ForgeComment | undefined {
  const id = idAt(note, "id");
  if (id === undefined || isTrueAt(note, "system")) return undefined;
  return { id, authorId: idAt(note, "author", "id"), body: textAt(note, "body") ?? "" };
}

function readMergeRequest(json: JsonObject, keptOfBody: KeptOfBody = () => ""): PullRequest | undefined {
  const [number, headCommit] = [numberAt(json, "iid"), textAt(json, "sha")];
  const [headBranch, baseBranch] = [textAt(json, "source_branch"), textAt(json, "target_branch")];
  // There is no sha while the branch has no commits of its own.
  if (number === undefined || headCommit === undefined || headBranch === undefined || baseBranch === undefined) {
    return undefined;
  }
  const source = idAt(json, "source_project_id");
  const isFork = source === undefined || source !== idAt(json, "target_project_id");
  return {
    number,
    title: textAt(json, "title") ?? "",
    body: isFork ? "" : keptOfBody(textAt(json, "description") ?? ""),
    url: textAt(json, "web_url") ?? "",
    headBranch,
    headCommit,
    baseBranch,
    isFork,
    isDraft: isTrueAt(json, "draft") || isTrueAt(json, "work_in_progress"),
  };
}

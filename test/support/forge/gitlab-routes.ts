import { commitA, forgeRepository, forgeToken, pageOf, text } from "./forge-state.ts";
import type { FakeComment, FakePull, FakeStatus, ForgeRoutes } from "./forge-state.ts";
import { addComment, addPull, openPulls } from "./github-routes.ts";
import { gitLabSetup } from "./setup-routes.ts";

const root = `\\/projects\\/${encodeURIComponent(forgeRepository)}`;

function statusJson({ id, commit, state, context, description, targetUrl }: FakeStatus) {
  return {
    id,
    sha: commit,
    ref: "main",
    status: state,
    name: context,
    target_url: targetUrl,
    description: description === "" ? null : description,
    created_at: "2026-01-02T03:04:05.000Z",
    started_at: null,
    finished_at: null,
    allow_failure: false,
    coverage: null,
    pipeline_id: 40,
    author: { id: 7, username: "project_1_bot", name: "rollcall", state: "active" },
  };
}

function mergeRequestJson(pull: FakePull, origin: string) {
  return {
    id: 900 + pull.number,
    iid: pull.number,
    project_id: 1,
    title: pull.title,
    description: pull.body,
    state: pull.isOpen ? "opened" : "closed",
    target_branch: pull.base,
    source_branch: pull.head,
    author: { id: 55, username: "somebody", name: "Some Body", state: "active" },
    source_project_id: pull.headRepositoryId,
    target_project_id: 1,
    labels: [],
    draft: pull.isDraft,
    work_in_progress: pull.isDraft,
    merge_status: "can_be_merged",
    sha: pull.headCommit,
    merge_commit_sha: null,
    web_url: `${origin}/acme/fleet/-/merge_requests/${pull.number}`,
  };
}

function noteJson({ id, pull, authorId, isSystem, body }: FakeComment) {
  return {
    id,
    type: null,
    body,
    attachment: null,
    author: { id: authorId, username: `user-${authorId}`, name: "", state: "active" },
    created_at: "2026-01-02T03:04:05.000Z",
    updated_at: "2026-01-02T03:04:05.000Z",
    system: isSystem,
    noteable_id: 900 + pull,
    noteable_type: "MergeRequest",
    noteable_iid: pull,
    resolvable: false,
    confidential: false,
    internal: false,
  };
}

/** Source: GitLab, REST API v4. */
export const gitLabRoutes: ForgeRoutes = {
  prefix: "/api/v4",
  isAuthorized: (headers) => headers["private-token"] === forgeToken,
  unauthorized: { message: "401 Unauthorized" },
  notFound: { error: "404 Not Found" },
  statusOfMovedWrites: 301,
  routes: [
    ...gitLabSetup({ message: "404 Project Not Found" }),
    {
      method: "GET",
      path: /^\/user$/u,
      answer: ({ state }) =>
        state.userId === undefined
          ? {
              status: 403,
              json: {
                error: "insufficient_scope",
                error_description: "The request requires higher privileges than provided by the access token.",
                scope: "api read_user",
              },
            }
          : {
              status: 200,
              json: { id: state.userId, username: "project_1_bot", name: "rollcall", state: "active", bot: true },
            },
    },
    {
      method: "GET",
      path: new RegExp(`^${root}\\/merge_requests\\/(\\d+)$`, "u"),
      answer: ({ state, params, origin }) => {
        const pull = state.pulls.find(({ number }) => number === Number(params[0]));
        return pull
          ? { status: 200, json: mergeRequestJson(pull, origin) }
          : { status: 404, json: { message: "404 Not found" } };
      },
    },
    {
      method: "GET",
      path: new RegExp(`^${root}\\/merge_requests\\/(\\d+)\\/commits$`, "u"),
      answer: ({ state, query }) => {
        // Newest first.
        const { page, headers } = pageOf([...state.pullCommits].reverse(), query, "per_page");
        return {
          status: 200,
          headers,
          json: page.map(({ message, email }) => ({ id: commitA, message, author_email: email })),
        };
      },
    },
    {
      method: "GET",
      path: new RegExp(`^${root}\\/repository\\/commits\\/(\\w+)\\/statuses$`, "u"),
      answer: ({ state, params: [commit = ""], query }) => {
        const name = query.get("name");
        const all = state.statuses.filter(
          (status) => status.commit === commit && (name === null || status.context === name),
        );
        const { page, headers } = pageOf(all, query, "per_page");
        return { status: 200, headers, json: page.map(statusJson) };
      },
    },
    {
      method: "POST",
      path: new RegExp(`^${root}\\/statuses\\/(\\w+)$`, "u"),
      answer: ({ state, params: [commit = ""], body }) => {
        if (!state.commits.includes(commit)) return { status: 404, json: { message: "404 Commit Not Found" } };
        const wanted = text(body["state"]);
        if (!["pending", "running", "success", "failed", "canceled", "skipped"].includes(wanted)) {
          return { status: 400, json: { error: "state does not have a valid value" } };
        }
        const context = text(body["name"]);
        const same = state.statuses.find(
          (status) => status.commit === commit && status.context === context && status.state === wanted,
        );
        if (same !== undefined && wanted === "pending") {
          const reason = 'Status cannot transition via "enqueue"';
          return {
            status: 400,
            json: { message: `Cannot transition status via :enqueue from :pending (Reason(s): ${reason})` },
          };
        }
        const status: FakeStatus = {
          id: state.nextId++,
          commit,
          context,
          state: wanted,
          description: text(body["description"]),
          targetUrl: text(body["target_url"]) || null,
        };
        state.statuses.push(status);
        return { status: 201, json: statusJson(status) };
      },
    },
    {
      method: "GET",
      path: new RegExp(`^${root}\\/merge_requests$`, "u"),
      answer: ({ state, query, origin }) => {
        const { page, headers } = pageOf(openPulls(state, query.get("target_branch")), query, "per_page");
        return { status: 200, headers, json: page.map((pull) => mergeRequestJson(pull, origin)) };
      },
    },
    {
      method: "POST",
      path: new RegExp(`^${root}\\/merge_requests$`, "u"),
      answer: ({ state, body, origin }) => {
        const [head, base] = [text(body["source_branch"]), text(body["target_branch"])];
        const other = openPulls(state, base).find((pull) => pull.head === head);
        if (other !== undefined) {
          const message = [`Another open merge request already exists for this source branch: !${other.number}`];
          return { status: 409, json: { message } };
        }
        const made = addPull(state, { title: text(body["title"]), body: text(body["description"]), head, base });
        return { status: 201, json: mergeRequestJson(made, origin) };
      },
    },
    {
      method: "GET",
      path: new RegExp(`^${root}\\/merge_requests\\/(\\d+)\\/notes$`, "u"),
      answer: ({ state, params, query }) => {
        const { page, headers } = pageOf(
          state.comments.filter(({ pull }) => pull === Number(params[0])),
          query,
          "per_page",
        );
        return { status: 200, headers, json: page.map(noteJson) };
      },
    },
    {
      method: "POST",
      path: new RegExp(`^${root}\\/merge_requests\\/(\\d+)\\/notes$`, "u"),
      answer: ({ state, params, body }) => ({
        status: 201,
        json: noteJson(addComment(state, Number(params[0]), text(body["body"]))),
      }),
    },
    {
      method: "PUT",
      path: new RegExp(`^${root}\\/merge_requests\\/\\d+\\/notes\\/(\\d+)$`, "u"),
      answer: ({ state, params, body }) => {
        const comment = state.comments.find(({ id }) => id === Number(params[0]));
        if (comment === undefined) return { status: 404, json: { message: "404 Not found" } };
        comment.body = text(body["body"]);
        return { status: 200, json: noteJson(comment) };
      },
    },
    {
      method: "DELETE",
      path: new RegExp(`^${root}\\/merge_requests\\/\\d+\\/notes\\/(\\d+)$`, "u"),
      answer: ({ state, params }) => {
        state.comments = state.comments.filter(({ id }) => id !== Number(params[0]));
        return { status: 204 };
      },
    },
  ],
};

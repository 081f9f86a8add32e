import { commitA, forgeToken, pageOf, text } from "./forge-state.ts";
import type { FakeComment, FakePull, FakeStatus, ForgeRoutes, ForgeState, RouteAnswer } from "./forge-state.ts";
import { gitHubRefusals, gitHubStyleSetup } from "./setup-routes.ts";

const docs = "https://docs.github.com/rest";
/** The user of an app. */
const botId = 99;

function invalid(message: string): RouteAnswer {
  const errors = [{ resource: "PullRequest", code: "custom", message }];
  return { status: 422, json: { message: "Validation Failed", errors, documentation_url: docs, status: "422" } };
}

function statusJson({ id, state, context, description, targetUrl }: FakeStatus) {
  return {
    url: `https://api.github.com/repos/acme/fleet/statuses/${commitA}`,
    avatar_url: "https://avatars.githubusercontent.com/u/7?v=4",
    id,
    node_id: "SC_kwDO",
    state,
    description: description === "" ? null : description,
    target_url: targetUrl,
    context,
    created_at: "2026-01-02T03:04:05Z",
    updated_at: "2026-01-02T03:04:05Z",
  };
}

export function commitJson({ message, email }: ForgeState["pullCommits"][number]) {
  return { sha: commitA, commit: { message, author: { name: "Somebody", email, date: "2026-01-02T03:04:05Z" } } };
}

export function pullJson(pull: FakePull, origin: string) {
  const repository = (id: number | null) =>
    id === null ? null : { id, name: "fleet", full_name: id === 1 ? "acme/fleet" : "somebody/fleet", fork: id !== 1 };
  return {
    id: 900 + pull.number,
    number: pull.number,
    state: pull.isOpen ? "open" : "closed",
    locked: false,
    title: pull.title,
    body: pull.body,
    user: { login: "somebody", id: 55, type: "User", site_admin: false },
    html_url: `${origin}/acme/fleet/pull/${pull.number}`,
    url: `https://evil.example.com/pulls/${pull.number}`,
    created_at: "2026-01-02T03:04:05Z",
    merged_at: null,
    draft: pull.isDraft,
    head: { label: `acme:${pull.head}`, ref: pull.head, sha: pull.headCommit, repo: repository(pull.headRepositoryId) },
    base: { label: `acme:${pull.base}`, ref: pull.base, sha: commitA, repo: repository(1) },
    author_association: "CONTRIBUTOR",
  };
}

export function commentJson({ id, pull, authorId, authorType, body }: FakeComment, origin: string) {
  return {
    id,
    node_id: "IC_kwDO",
    html_url: `${origin}/acme/fleet/pull/${pull}#issuecomment-${id}`,
    url: `https://evil.example.com/comments/${id}`,
    user: { login: `user-${authorId}`, id: authorId, type: authorType },
    body,
    created_at: "2026-01-02T03:04:05Z",
    updated_at: "2026-01-02T03:04:05Z",
  };
}

/** The newest status of each context, case aside. */
function latest(state: ForgeState, commit: string): FakeStatus[] {
  const newest = new Map<string, FakeStatus>();
  for (const status of state.statuses) if (status.commit === commit) newest.set(status.context.toLowerCase(), status);
  return [...newest.values()];
}

export function openPulls(state: ForgeState, base: string | null): FakePull[] {
  return state.pulls.filter((pull) => pull.isOpen && (base === null || pull.base === base));
}

export function addComment(state: ForgeState, pull: number, body: string): FakeComment {
  const author = state.userId === undefined ? ({ authorId: botId, authorType: "Bot" } as const) : undefined;
  const made: FakeComment = {
    id: state.nextId++,
    pull,
    authorId: author?.authorId ?? state.userId ?? 0,
    authorType: author?.authorType ?? "User",
    isSystem: false,
    body,
  };
  state.comments.push(made);
  return made;
}

export function addPull(state: ForgeState, draft: Pick<FakePull, "title" | "body" | "head" | "base">): FakePull {
  const made: FakePull = {
    ...draft,
    number: state.nextId++,
    headCommit: state.branches.get(draft.head) ?? commitA,
    isOpen: true,
    isDraft: false,
    headRepositoryId: 1,
  };
  state.pulls.push(made);
  return made;
}

/** Source: GitHub, REST API 2022-11-28. */
export const gitHubRoutes: ForgeRoutes = {
  prefix: "/api/v3",
  isAuthorized: (headers) =>
    headers.authorization === `Bearer ${forgeToken}` &&
    headers["x-github-api-version"] === "2022-11-28" &&
    headers["user-agent"] !== undefined,
  unauthorized: { message: "Bad credentials", documentation_url: docs, status: "401" },
  notFound: { message: "Not Found", documentation_url: docs, status: "404" },
  statusOfMovedWrites: 307,
  routes: [
    ...gitHubStyleSetup(gitHubRefusals),
    {
      method: "GET",
      path: /^\/user$/u,
      answer: ({ state }) =>
        state.userId === undefined
          ? {
              status: 403,
              json: { message: "Resource not accessible by integration", documentation_url: docs, status: "403" },
            }
          : { status: 200, json: { login: "rollcall", id: state.userId, type: "User" } },
    },
    {
      method: "POST",
      path: /^\/api\/graphql$/u,
      isBesidePrefix: true,
      answer: ({ state, body }) =>
        text(body["query"]) === "query { viewer { databaseId } }"
          ? { status: 200, json: { data: { viewer: { databaseId: state.userId ?? botId } } } }
          : { status: 200, json: { errors: [{ message: "Parse error" }] } },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/commits\/(\w+)\/status$/u,
      answer: ({ state, params: [commit = ""], query }) => {
        const { page, headers } = pageOf(latest(state, commit), query, "per_page");
        const statuses = page.map(statusJson);
        return {
          status: 200,
          headers,
          json: { state: "pending", statuses, sha: commit, total_count: statuses.length },
        };
      },
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/statuses\/(\w+)$/u,
      answer: ({ state, params: [commit = ""], body }) => {
        if (!state.commits.includes(commit)) return invalid(`No commit found for SHA: ${commit}`);
        if (!["error", "failure", "pending", "success"].includes(text(body["state"])))
          return invalid("state is not included in the list");
        if (text(body["description"]).length > 140)
          return invalid("description is too long (maximum is 140 characters)");
        const status: FakeStatus = {
          id: state.nextId++,
          commit,
          context: text(body["context"]) || "default",
          state: text(body["state"]),
          description: text(body["description"]),
          targetUrl: text(body["target_url"]) || null,
        };
        state.statuses.push(status);
        return { status: 201, json: statusJson(status) };
      },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/pulls\/(\d+)$/u,
      answer: ({ state, params, origin }) => {
        const pull = state.pulls.find(({ number }) => number === Number(params[0]));
        return pull ? { status: 200, json: pullJson(pull, origin) } : { status: 404, json: { message: "Not Found" } };
      },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/pulls\/(\d+)\/commits$/u,
      answer: ({ state, query }) => {
        const { page, headers } = pageOf(state.pullCommits, query, "per_page");
        return { status: 200, headers, json: page.map(commitJson) };
      },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/pulls$/u,
      answer: ({ state, query, origin }) => {
        const { page, headers } = pageOf(openPulls(state, query.get("base")), query, "per_page");
        return { status: 200, headers, json: page.map((pull) => pullJson(pull, origin)) };
      },
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/pulls$/u,
      answer: ({ state, body, origin }) => {
        const [head, base] = [text(body["head"]), text(body["base"])];
        if (!state.branches.has(head)) return invalid("head is invalid");
        if (openPulls(state, base).some((pull) => pull.head === head)) {
          return invalid(`A pull request already exists for acme:${head}.`);
        }
        return {
          status: 201,
          json: pullJson(addPull(state, { title: text(body["title"]), body: text(body["body"]), head, base }), origin),
        };
      },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/issues\/(\d+)\/comments$/u,
      answer: ({ state, params, query, origin }) => {
        const all = state.comments.filter(({ pull }) => pull === Number(params[0]));
        const { page, headers } = pageOf(all, query, "per_page");
        return { status: 200, headers, json: page.map((comment) => commentJson(comment, origin)) };
      },
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/issues\/(\d+)\/comments$/u,
      answer: ({ state, params, body, origin }) => {
        if (text(body["body"]).length > 65_536) return invalid("body is too long (maximum is 65536 characters)");
        return { status: 201, json: commentJson(addComment(state, Number(params[0]), text(body["body"])), origin) };
      },
    },
    {
      method: "PATCH",
      path: /^\/repos\/acme\/fleet\/issues\/comments\/(\d+)$/u,
      answer: ({ state, params, body, origin }) => {
        const comment = state.comments.find(({ id }) => id === Number(params[0]));
        if (comment === undefined) return { status: 404, json: { message: "Not Found", status: "404" } };
        comment.body = text(body["body"]);
        return { status: 200, json: commentJson(comment, origin) };
      },
    },
    {
      method: "DELETE",
      path: /^\/repos\/acme\/fleet\/issues\/comments\/(\d+)$/u,
      answer: ({ state, params }) => {
        state.comments = state.comments.filter(({ id }) => id !== Number(params[0]));
        return { status: 204 };
      },
    },
  ],
};

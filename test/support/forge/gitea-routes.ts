import { commitA, forgeToken, pageOf, text } from "./forge-state.ts";
import type { FakeStatus, ForgeRoutes } from "./forge-state.ts";
import { addComment, addPull, commentJson, commitJson, openPulls, pullJson } from "./github-routes.ts";
import { gitHubStyleSetup } from "./setup-routes.ts";

const swagger = "https://gitea.example.com/api/swagger";

function statusJson({ id, state, context, description, targetUrl }: FakeStatus) {
  return {
    id,
    status: state,
    target_url: targetUrl ?? "",
    description,
    url: `https://gitea.example.com/api/v1/repos/acme/fleet/statuses/${commitA}`,
    context,
    creator: { id: 7, login: "rollcall", full_name: "", email: "rollcall@noreply.example.com" },
    created_at: "2026-01-02T03:04:05Z",
    updated_at: "2026-01-02T03:04:05Z",
  };
}

/** Source: Gitea 1.26, API (swagger); Forgejo has the same. */
export const giteaRoutes: ForgeRoutes = {
  prefix: "/api/v1",
  isAuthorized: (headers) => headers.authorization === `token ${forgeToken}`,
  unauthorized: { message: "user does not exist [uid: 0, name: ]", url: swagger },
  notFound: { message: "The target couldn't be found.", url: swagger, errors: [] },
  statusOfMovedWrites: 301,
  routes: [
    ...gitHubStyleSetup({
      notFound: { message: "The target couldn't be found.", url: swagger, errors: [] },
      nameTaken: { status: 409, json: { message: "The repository with the same name already exists.", url: swagger } },
      keyTaken: { status: 422, json: { message: "Key content has been used as non-deploy key", url: swagger } },
    }),
    {
      method: "GET",
      path: /^\/user$/u,
      answer: ({ state }) =>
        state.userId === undefined
          ? {
              status: 403,
              json: { message: "token does not have at least one of required scope(s): [read:user]", url: swagger },
            }
          : { status: 200, json: { id: state.userId, login: "rollcall", login_name: "", source_id: 0 } },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/commits\/(\w+)\/status$/u,
      answer: ({ state, params: [commit = ""], query }) => {
        const newest = new Map<string, FakeStatus>();
        for (const status of state.statuses) if (status.commit === commit) newest.set(status.context, status);
        const { page } = pageOf([...newest.values()], query, "limit");
        const statuses = page.length === 0 ? null : page.map(statusJson);
        return {
          status: 200,
          json: {
            state: "",
            sha: commit,
            total_count: newest.size,
            statuses,
            repository: null,
            commit_url: "",
            url: "",
          },
        };
      },
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/statuses\/(\w+)$/u,
      answer: ({ state, params: [commit = ""], body }) => {
        if (!state.commits.includes(commit)) {
          return { status: 404, json: { message: `object does not exist [id: ${commit}, rel_path: ]`, url: swagger } };
        }
        const status: FakeStatus = {
          id: state.nextId++,
          commit,
          context: text(body["context"]),
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
        const { page, headers } = pageOf(state.pullCommits, query, "limit");
        return { status: 200, headers, json: page.map(commitJson) };
      },
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/pulls$/u,
      answer: ({ state, query, origin }) => {
        const { page, headers } = pageOf(openPulls(state, query.get("base_branch")), query, "limit");
        return { status: 200, headers, json: page.map((pull) => pullJson(pull, origin)) };
      },
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/pulls$/u,
      answer: ({ state, body, origin }) => {
        const [head, base] = [text(body["head"]), text(body["base"])];
        if (!state.branches.has(head)) return { status: 404, json: giteaRoutes.notFound };
        if (openPulls(state, base).some((pull) => pull.head === head)) {
          return {
            status: 409,
            json: { message: "pull request already exists for these targets [id: 1]", url: swagger },
          };
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
      answer: ({ state, params, origin }) => ({
        status: 200,
        json: state.comments
          .filter(({ pull }) => pull === Number(params[0]))
          .map((comment) => commentJson(comment, origin)),
      }),
    },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/issues\/(\d+)\/timeline$/u,
      // With events and without Link; comments on code are left out of the page, which is shorter then.
      answer: ({ state, params, query, origin }) => {
        const all = state.comments.filter(({ pull }) => pull === Number(params[0]));
        const { page } = pageOf(all, query, "limit");
        const shown = page.filter(({ isOnCode }) => isOnCode !== true);
        const json = shown.map((comment) => ({
          ...commentJson(comment, origin),
          type: comment.isSystem ? "pull_push" : "comment",
        }));
        return { status: 200, json: json.length === 0 ? null : json };
      },
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/issues\/(\d+)\/comments$/u,
      answer: ({ state, params, body, origin }) => ({
        status: 201,
        json: commentJson(addComment(state, Number(params[0]), text(body["body"])), origin),
      }),
    },
    {
      method: "PATCH",
      path: /^\/repos\/acme\/fleet\/issues\/comments\/(\d+)$/u,
      answer: ({ state, params, body, origin }) => {
        const comment = state.comments.find(({ id }) => id === Number(params[0]));
        if (comment === undefined) return { status: 404, json: giteaRoutes.notFound };
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

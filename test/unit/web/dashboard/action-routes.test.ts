import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { ErrorCode } from "../../../../src/core/error-codes.ts";
import { tokenAccess } from "../../../../src/web/dashboard/access.ts";
import { actionRoutes } from "../../../../src/web/dashboard/action-routes.ts";
import { dashboardRoutes } from "../../../../src/web/dashboard/dashboard.ts";
import type { DashboardOptions, FleetReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import type { PageActions } from "../../../../src/web/dashboard/page-actions.ts";
import type { WebRequest } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const clusters = ["one/a", "two/b"];
const reader: Pick<FleetReader, "cluster"> = {
  cluster: (workspace, name) =>
    clusters.includes(`${workspace}/${name}`) ? ({} as ReturnType<FleetReader["cluster"]>) : undefined,
};

/** Ada sees all; Bob sees workspace `one` only. */
function openRoutes(perform: PageActions["perform"] = async () => "It is done.") {
  const done: unknown[] = [];
  const clock = createManualClock();
  const access = tokenAccess({
    clock,
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one", "two"],
    reviewToken: async (token) => (token === "ended" ? undefined : { username: token, groups: [] }),
    isAllowed: async ({ username }, { namespace }) => username === "ada" || namespace === "one",
  });
  const actions: PageActions = {
    rights: async (actor, target) => {
      done.push(["rights", actor.user, actor.token, target]);
      return [{ action: "Reconcile", isAllowed: false, why: "no right" }];
    },
    perform: async (actor, action) => {
      done.push(["perform", actor.user, actor.token, action]);
      return perform(actor, action);
    },
  };
  const ask = async (
    method: "GET" | "POST",
    { token = "ada", headers = {}, body = {}, query = {} }: AskOptions = {},
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const request: WebRequest = {
      path: "/api/v1/actions",
      query: new URLSearchParams(query),
      headers: {
        authorization: `Bearer ${token}`,
        host: "fleet.example.com",
        "content-type": "application/json",
        ...headers,
      },
      remoteAddress: "10.0.0.1",
      readBody: async () => new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
    };
    const route = actionRoutes({ access, actions, reader }).find((candidate) => candidate.method === method);
    const answer = await route?.answer(request);
    if (answer === undefined || "start" in answer) throw new Error("no answer");
    return { status: answer.status ?? 200, body: JSON.parse(String(answer.body)) as Record<string, unknown> };
  };
  return { ask, done, access };
}

interface AskOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: object | string;
  readonly query?: Record<string, string>;
}

const suspend = { action: "SuspendCluster", workspace: "one", name: "a" };

describe("actionRoutes", () => {
  it("does the action with the viewer's own token, and answers what the command prints", async () => {
    const { ask, done } = openRoutes();
    expect(await ask("POST", { token: "bob", body: suspend })).toEqual({
      status: 200,
      body: { message: "It is done." },
    });
    const action = { action: "SuspendCluster", target: { workspace: "one", name: "a" } };
    expect(done).toEqual([["perform", "bob", "bob", action]]);
  });

  it("asks the hub with the viewer's own token what the viewer may do", async () => {
    const { ask, done } = openRoutes();
    const answer = await ask("GET", { query: { workspace: "two", name: "b" } });
    expect(answer.body).toEqual({ items: [{ action: "Reconcile", isAllowed: false, why: "no right" }] });
    await ask("GET");
    expect(done).toEqual([
      ["rights", "ada", "ada", { workspace: "two", name: "b" }],
      ["rights", "ada", "ada", undefined],
    ]);
  });

  it.each([
    { reason: "another page", headers: { "sec-fetch-site": "cross-site" } },
    { reason: "another page with the cookie", headers: { "sec-fetch-site": "cross-site", authorization: undefined } },
    { reason: "a cookie alone", headers: { authorization: undefined } },
    { reason: "a form of this address", headers: { authorization: undefined, "sec-fetch-site": "same-origin" } },
  ])("A84 does nothing for $reason", async ({ headers }) => {
    const { ask, done } = openRoutes();
    const answer = await ask("POST", { headers: { cookie: "rollcall-token=ada", ...headers }, body: suspend });
    expect(answer).toMatchObject({ status: 403, body: { code: "Forbidden" } });
    expect(done).toEqual([]);
  });

  it.each(["workspace", "name"])("reads rights on the repository where only a %s is given", async (key) => {
    const { ask, done } = openRoutes();
    await ask("GET", { query: { [key]: "a" } });
    expect(done).toEqual([["rights", "ada", "ada", undefined]]);
  });

  it.each(["text/plain", "text/plain; application/json", "application/jsonp", undefined])(
    "A84 takes no action from a body of the type %s, as a form can send it",
    async (contentType) => {
      const { ask, done } = openRoutes();
      expect((await ask("POST", { headers: { "content-type": contentType }, body: suspend })).status).toBe(400);
      expect(done).toEqual([]);
    },
  );

  it.each(["application/json; charset=utf-8", "Application/JSON"])("takes JSON, as %s", async (contentType) => {
    const { ask } = openRoutes();
    expect((await ask("POST", { headers: { "content-type": contentType }, body: suspend })).status).toBe(200);
  });

  it("reports an error of the program as one", async () => {
    const error = new TypeError("of the program");
    const { ask } = openRoutes(() => Promise.reject(error));
    await expect(ask("POST", { body: suspend })).rejects.toBe(error);
  });

  it("A84 takes the cookie with the header of the page and its origin", async () => {
    const { ask, done } = openRoutes();
    const headers = { authorization: undefined, cookie: "rollcall-token=ada", "sec-fetch-site": "same-origin" };
    const answer = await ask("POST", { headers: { ...headers, "x-rollcall-action": "ada" }, body: suspend });
    expect(answer.status).toBe(200);
    expect(done).toHaveLength(1);
  });

  it.each([
    { reason: "signed in last", headers: { authorization: undefined, cookie: "rollcall-token=ada" } },
    { reason: "a proxy names by the token in its header", headers: {} },
  ])("A87 does nothing for a page of another viewer than the one who $reason", async ({ headers: sent }) => {
    const { ask, done } = openRoutes();
    const headers = { "sec-fetch-site": "same-origin", ...sent };
    const answer = await ask("POST", { headers: { ...headers, "x-rollcall-action": "bob" }, body: suspend });
    expect(answer).toMatchObject({ status: 409, body: { code: "Refused" } });
    expect(answer.body["error"]).toContain("signed in as ada now");
    expect(done).toEqual([]);
  });

  it.each([
    { reason: "a body that a form can send", headers: { "content-type": "text/plain" }, body: suspend },
    { reason: "a body without a type", headers: { "content-type": undefined }, body: suspend },
    { reason: "no JSON", headers: {}, body: "action=SuspendCluster" },
    { reason: "a list", headers: {}, body: "[]" },
    { reason: "an unknown action", headers: {}, body: { action: "Uninstall" } },
  ])("A84 refuses $reason", async ({ headers, body }) => {
    const { ask, done } = openRoutes();
    expect(await ask("POST", { headers, body })).toMatchObject({ status: 400, body: { code: "BadRequest" } });
    expect(done).toEqual([]);
  });

  it.each([
    {
      reason: "a cluster of a workspace that is not seen",
      body: { ...suspend, workspace: "two", name: "b" },
      status: 404,
    },
    { reason: "a cluster that does not exist", body: { ...suspend, name: "b" }, status: 404 },
    { reason: "the repository that is not seen", body: { action: "Reconcile" }, status: 403 },
  ])("A37 answers $reason like one that is not there", async ({ body, status }) => {
    const { ask, done } = openRoutes();
    expect((await ask("POST", { token: "bob", body })).status).toBe(status);
    const { action: _action, ...query } = body as Record<string, string>;
    expect((await ask("GET", { token: "bob", query })).status).toBe(status);
    expect(done).toEqual([]);
  });

  it.each(["GET", "POST"] as const)("asks to sign in when the token has ended: %s", async (method) => {
    const { ask, done } = openRoutes();
    expect(await ask(method, { token: "ended", body: suspend })).toMatchObject({ status: 401 });
    expect(done).toEqual([]);
  });

  it.each<{ code: ErrorCode; status: number; answer: string }>([
    { code: "E_KUBE_FORBIDDEN", status: 403, answer: "Forbidden" },
    { code: "E_KUBE_UNAUTHORIZED", status: 401, answer: "SignIn" },
    { code: "E_KUBE_NOT_FOUND", status: 404, answer: "NotFound" },
    { code: "E_APPROVAL", status: 409, answer: "Refused" },
    { code: "E_KUBE_CONFLICT", status: 409, answer: "Refused" },
    { code: "E_USAGE", status: 409, answer: "Refused" },
    { code: "E_KUBE_UNREACHABLE", status: 503, answer: "HubAway" },
  ])("answers $code with $status", async ({ code, status, answer }) => {
    const { ask } = openRoutes(() => Promise.reject(new AppError(code, "patch Cluster/one/a: no")));
    expect(await ask("POST", { body: suspend })).toMatchObject({ status, body: { code: answer } });
  });

  it("does not claim that nothing was done when the hub stops answering", async () => {
    const { ask } = openRoutes(() =>
      Promise.reject(new AppError("E_KUBE_UNREACHABLE", "patch Cluster/one/a: no answer")),
    );
    const error = "It is not known whether this was done: check again (E_KUBE_UNREACHABLE).";
    expect(await ask("POST", { body: suspend })).toEqual({ status: 503, body: { code: "HubAway", error } });
  });

  it("A76 refuses more actions of one user than wait for their turn", async () => {
    const release: (() => void)[] = [];
    const { access } = openRoutes();
    const actions: PageActions = {
      rights: async () => [],
      perform: () => new Promise((resolve) => release.push(() => resolve("done"))),
    };
    const [, post] = actionRoutes({ access, actions, reader });
    const request = {
      path: "/api/v1/actions",
      query: new URLSearchParams(),
      headers: { authorization: "Bearer ada", "content-type": "application/json" },
      remoteAddress: "10.0.0.1",
      readBody: async () => new TextEncoder().encode(JSON.stringify(suspend)),
    };
    const answers = Array.from({ length: 10 }, async () => post?.answer(request));
    const refused = await Promise.race(answers);
    expect(refused).toMatchObject({ status: 503 });
    expect(release).toHaveLength(1);
  });
});

describe("dashboardRoutes", () => {
  const pageWith = (actions?: PageActions) => {
    const { access } = openRoutes();
    const options = { reader, access, assets: new Map(), clock: createManualClock() } as unknown as DashboardOptions;
    const { signal } = new AbortController();
    const feed = { subscribe: () => () => undefined } as unknown as DashboardOptions["feed"];
    return dashboardRoutes({ ...options, signal, feed, ...(actions ? { actions } : {}) });
  };
  const actions: PageActions = { rights: async () => [], perform: async () => "" };

  it("A84 has no route for actions unless they are asked for", () => {
    const paths = (routes: ReturnType<typeof pageWith>) =>
      routes.map(({ path }) => path).filter((path) => path.includes("actions"));
    expect(paths(pageWith())).toEqual([]);
    expect(paths(pageWith(actions))).toEqual(["/api/v1/actions", "/api/v1/actions"]);
  });

  it("offers actions to who is signed in where it has them", async () => {
    const sessionOf = async (routes: ReturnType<typeof pageWith>): Promise<unknown> => {
      const route = routes.find(({ method, path }) => method === "GET" && path === "/api/v1/session");
      const answer = await route?.answer({
        path: "/api/v1/session",
        query: new URLSearchParams(),
        headers: { authorization: "Bearer ada" },
        remoteAddress: "10.0.0.1",
        readBody: async () => new Uint8Array(),
      });
      return answer && "body" in answer ? JSON.parse(String(answer.body)) : undefined;
    };
    expect(await sessionOf(pageWith(actions))).toMatchObject({ user: "ada", hasActions: true });
    expect(await sessionOf(pageWith())).not.toHaveProperty("hasActions");
  });
});

import { expect, it } from "vitest";
import type { Viewer } from "../../../../src/web/dashboard/access.ts";
import { actionRoutes } from "../../../../src/web/dashboard/action-routes.ts";
import type { WebAnswer, WebRequest } from "../../../../src/web/web.ts";

const ada = { user: "ada", canSeeRepository: true, canSee: () => true } as unknown as Viewer;
const bearer = { authorization: "Bearer ada-token" };

/** What the page asked of the hub, and the statuses of both answers. */
async function askBoth(viewer: Viewer, headers: WebRequest["headers"]) {
  const done: unknown[] = [];
  const routes = actionRoutes({
    access: {
      mode: "Proxy",
      admit: async () => ({ kind: "viewer", viewer }),
      admitToken: () => Promise.reject(new Error("not asked")),
    },
    actions: {
      rights: async (actor) => {
        done.push(actor);
        return [];
      },
      perform: async (actor) => {
        done.push(actor);
        return "done";
      },
    },
    reader: { cluster: () => undefined },
  });
  const statuses: number[] = [];
  for (const route of routes) {
    const answer = (await route.answer({
      path: route.path,
      query: new URLSearchParams(),
      headers: { host: "fleet.example", "content-type": "application/json", ...headers },
      remoteAddress: "127.0.0.1",
      readBody: async () => new TextEncoder().encode('{"action":"Reconcile"}'),
    })) as WebAnswer;
    statuses.push(answer.status ?? 200);
  }
  return { statuses, done };
}

it.each([
  { what: "no token of their own", viewer: ada, headers: {} },
  { what: "no name", viewer: { ...ada, user: undefined }, headers: bearer },
  {
    what: "a cookie that another page set",
    viewer: ada,
    headers: {
      cookie: "rollcall-token=a; rollcall-token=b",
      origin: "http://fleet.example",
      "x-rollcall-action": "ada",
    },
  },
])("A84 does nothing for a viewer with $what: the daemon's own credential is never used", async (row) => {
  expect(await askBoth(row.viewer, row.headers)).toEqual({ statuses: [403, 403], done: [] });
});

it("acts with the viewer's own token", async () => {
  const { statuses, done } = await askBoth(ada, bearer);
  expect(statuses).toEqual([200, 200]);
  expect(done).toEqual([ada, ada].map(({ user }) => ({ user, token: "ada-token", isCookie: false })));
});

import { describe, expect, it } from "vitest";
import { tokenAccess } from "../../../../src/web/dashboard/access.ts";
import { dashboardRoutes } from "../../../../src/web/dashboard/dashboard.ts";
import type { FleetReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import { FleetFeed } from "../../../../src/web/dashboard/fleet-feed.ts";
import type { WebAnswer, WebRequest, WebRoute, WebStreamAnswer } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const asset = { contentType: "text/html", body: Buffer.from("page"), compressed: Buffer.from(""), etag: '"1"' };
const done: string[] = [];

/** Every route of a page with actions and a file; Ada sees all. */
const routes = dashboardRoutes({
  reader: { cluster: () => undefined, clusters: () => [], tokens: () => ({ items: [] }) } as unknown as FleetReader,
  feed: new FleetFeed("process"),
  access: tokenAccess({
    clock: createManualClock(),
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one"],
    reviewToken: async (token) => (token === "ada" ? { username: token, groups: [] } : undefined),
    isAllowed: async () => true,
  }),
  actions: { rights: async () => [], perform: async () => `done ${done.push("perform")} times` },
  assets: new Map([["/", asset]]),
  clock: createManualClock(),
  signal: new AbortController().signal,
}).map((route) => ({ route, name: `${route.method} ${route.path}` }));

async function ask(route: WebRoute, headers: WebRequest["headers"]): Promise<WebAnswer | WebStreamAnswer> {
  return route.answer({
    path: route.path,
    query: new URLSearchParams(),
    headers: { host: "fleet.example", "content-type": "application/json", ...headers },
    remoteAddress: "10.0.0.1",
    readBody: async () => new TextEncoder().encode('{"token":"ada","action":"Reconcile"}'),
  });
}

const changing = routes.filter(({ route }) => route.method !== "GET");
const admitted = { authorization: "Bearer ada" };

describe("every route of the page", () => {
  it("is signing in, signing out or an action where it changes something", () => {
    const path = "/api/v1/session";
    expect(changing.map(({ name }) => name)).toEqual([`POST ${path}`, `DELETE ${path}`, "POST /api/v1/actions"]);
  });

  it.each(changing.flatMap((one) => ["cross-site", "same-site"].map((site) => ({ ...one, site }))))(
    "A40 $name does nothing for a page of another origin ($site)",
    async ({ route, site }) => {
      const answer = await ask(route, { ...admitted, "sec-fetch-site": site });
      expect(answer).toMatchObject({ status: 403 });
      expect(Object.keys(answer.headers ?? {})).not.toContain("set-cookie");
      expect(done).toEqual([]);
    },
  );

  it.each(routes.flatMap((one) => [admitted, {}].map((headers) => ({ ...one, headers, to: Object.keys(headers)[0] }))))(
    "A41 $name can be framed by no other page ($to)",
    async ({ route, headers }) => {
      const answer = await ask(route, headers).catch(() => undefined);
      // A route that fails is answered by the server, without content.
      if (answer === undefined) return;
      expect(answer.headers).toMatchObject({
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'") as string,
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    },
  );
});

import { describe, expect, it } from "vitest";
import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";
import type { Access, Viewer } from "../../../../src/web/dashboard/access.ts";
import { apiRoutes } from "../../../../src/web/dashboard/api-routes.ts";
import type { FleetReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import { EventHub } from "../../../../src/web/dashboard/event-hub.ts";
import { FleetFeed } from "../../../../src/web/dashboard/fleet-feed.ts";
import type { WebAnswer } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const nowMs = createManualClock().nowMs();
const heartbeats: Readonly<Record<string, string>> = {
  old: new Date(nowMs - 90_400).toISOString(),
  ahead: new Date(nowMs + 60_000).toISOString(),
  broken: "yesterday",
};
const rows = ["old", "ahead", "broken", "never"].map((name) => ({ workspace: "one", name }) as ClusterRow);
const placed = [{ workspace: "one" }, { workspace: "two" }, { workspace: undefined }];

/** The answers of the page, and which clusters, branches and lists were read for them. */
function open(seen: Partial<Viewer> = {}) {
  const read: string[] = [];
  const clock = createManualClock();
  const feed = new FleetFeed("process");
  const reader = {
    clusters: () => {
      read.push("list");
      return rows;
    },
    clusterDetail: async (workspace: string, name: string) => {
      read.push(`${workspace}/${name}`);
      return name === "old" ? { name, history: ["a commit"] } : undefined;
    },
    lastHeartbeat: (_workspace: string, name: string) => heartbeats[name],
    tokens: () => ({ tokens: placed, registrations: placed.slice(0, 2) }),
    repositoryDetail: async () => ({ summary: { name: "fleet" } }),
    plan: async (branch: string) => {
      read.push(branch);
      return branch === "unknown" ? undefined : { changes: [] };
    },
    repository: () => undefined,
    hubObjects: () => placed.map(({ workspace }) => ({ workspace, row: { object: String(workspace) } })),
    hubAwaySinceMs: () => undefined,
    records: {},
  } as unknown as FleetReader;
  const access: Access = {
    mode: "Token",
    admitToken: () => Promise.reject(new Error("not asked")),
    admit: async ({ headers }) => ({
      kind: "viewer",
      viewer: {
        user: "ann",
        canSeeFleet: false,
        canSeeRepository: true,
        workspaces: ["one"],
        canSee: (workspace) => workspace === "one",
        sightKey: headers.authorization ?? "one",
        ...seen,
      },
    }),
  };
  const options = { reader, feed, access, clock, assets: new Map(), signal: new AbortController().signal };
  const routes = apiRoutes({ ...options, events: new EventHub(options) });
  const ask = async (target: string, sight?: string) => {
    const [path = "", query = ""] = target.split("?");
    const route =
      routes.find((candidate) => candidate.path === path) ??
      routes.find((candidate) => candidate.path.endsWith("/") && path.startsWith(candidate.path));
    const answer = (await route?.answer({
      path,
      query: new URLSearchParams(query),
      headers: { authorization: sight },
      remoteAddress: undefined,
      readBody: async () => new Uint8Array(),
    })) as WebAnswer;
    return { status: answer.status ?? 200, value: JSON.parse(String(answer.body)) as Record<string, unknown> };
  };
  return { ask, feed, read };
}

describe("the plan of a branch", () => {
  const longest = "b".repeat(1000);
  const unnamed = "Name the branch: ?branch=name.";

  it.each([
    { query: `branch=${longest}`, status: 200, error: undefined, read: [longest] },
    { query: "branch=unknown", status: 404, error: "There is no such repository or branch.", read: ["unknown"] },
    { query: `branch=${longest}b`, status: 400, error: "Name a branch of at most 1000 characters.", read: [] },
    { query: "branch=", status: 400, error: unnamed, read: [] },
    { query: "", status: 400, error: unnamed, read: [] },
  ])("is asked for by its name: $status for $query", async ({ query, status, error, read }) => {
    const page = open();
    const answer = await page.ask(`/api/v1/plan?${query}`);
    expect([answer.status, answer.value["error"]]).toEqual([status, error]);
    expect(page.read).toEqual(read);
  });
});

it("answers with the details of the repository", async () => {
  expect((await open().ask("/api/v1/repository")).value).toEqual({ summary: { name: "fleet" } });
});

describe("the details of a cluster", () => {
  it.each([
    { path: "one/old", status: 200, read: ["one/old"] },
    { path: "one/%6Fld", status: 200, read: ["one/old"] },
    { path: "one/unknown", status: 404, read: ["one/unknown"] },
    { path: "two/old", status: 404, read: [] },
    { path: "one", status: 404, read: [] },
    { path: "one/old/more", status: 404, read: [] },
    { path: "one/%zz", status: 404, read: [] },
  ])("are at its workspace and name: $status for $path", async ({ path, status, read }) => {
    const page = open();
    expect((await page.ask(`/api/v1/clusters/${path}`)).status).toBe(status);
    expect(page.read).toEqual(read);
  });

  it.each([
    { canSeeRepository: true, history: ["a commit"] },
    { canSeeRepository: false, history: [] },
  ])("A37 have commits for who may see the repository: $canSeeRepository", async ({ history, ...seen }) => {
    expect((await open(seen).ask("/api/v1/clusters/one/old")).value).toEqual({ name: "old", history });
  });
});

describe("the list of clusters", () => {
  it("is made once for all who see the same, until something changes", async () => {
    const page = open();
    const first = await page.ask("/api/v1/clusters", "a");
    expect(await page.ask("/api/v1/clusters", "a")).toEqual(first);
    await page.ask("/api/v1/clusters", "b");
    expect(page.read).toHaveLength(2);
    page.feed.recordCluster("one/old");
    const later = await page.ask("/api/v1/clusters", "a");
    expect([first.value["feed"], later.value["feed"]]).toEqual(["process.0", "process.1"]);
    expect(page.read).toHaveLength(3);
  });

  it("is kept for a few sights only", async () => {
    const page = open();
    for (let sight = 0; sight <= 20; sight++) await page.ask("/api/v1/clusters", `sight ${sight}`);
    expect(page.read).toHaveLength(21);
    await page.ask("/api/v1/clusters", "sight 20");
    await page.ask("/api/v1/clusters", "sight 20");
    expect(page.read).toHaveLength(22);
  });
});

it("has the age of each heartbeat in seconds, none for a cluster without one", async () => {
  expect((await open().ask("/api/v1/heartbeats")).value).toEqual({ seconds: { "one/old": 90, "one/ahead": 0 } });
});

it("A37 shows tokens and requests to join of seen workspaces only", async () => {
  expect((await open().ask("/api/v1/tokens")).value).toEqual({
    tokens: [{ workspace: "one" }],
    registrations: [{ workspace: "one" }],
  });
});

it.each([
  { seen: {}, objects: ["one"] },
  { seen: { canSee: () => true }, objects: ["one", "two"] },
  { seen: { canSee: () => true, canSeeFleet: true }, objects: ["one", "two", "undefined"] },
])("A37 shows objects without a namespace to who sees the whole fleet: $objects", async ({ seen, objects }) => {
  const { value } = await open(seen).ask("/api/v1/fleet");
  const items = objects.map((object) => ({ object }));
  expect(value["hubObjects"]).toEqual({ count: objects.length, items });
});

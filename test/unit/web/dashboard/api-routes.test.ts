import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { ClusterRow, TokenList } from "../../../../src/model/generated/page-api.ts";
import type { KubeUser, SeenResource } from "../../../../src/web/dashboard/access.ts";
import { tokenAccess } from "../../../../src/web/dashboard/access.ts";
import { apiRoutes } from "../../../../src/web/dashboard/api-routes.ts";
import type { DashboardOptions, FleetReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import { EventHub } from "../../../../src/web/dashboard/event-hub.ts";
import { FleetFeed } from "../../../../src/web/dashboard/fleet-feed.ts";
import type { WebRequest, WebSink } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

/** In everything that a viewer of workspace `one` may not see. */
const hidden = "HIDDEN";
const shown = "SHOWN";

function rowOf(workspace: string, name: string): ClusterRow {
  return { workspace, name, labels: {} } as unknown as ClusterRow;
}

const rows = [rowOf("one", shown), rowOf("two", hidden)];

function tokensOf(): TokenList {
  const items = rows.map(({ workspace, name }) => ({ workspace, name, token: name, status: "Ready" }));
  return { tokens: items, registrations: items } as unknown as TokenList;
}

const reader = {
  version: "1.0.0",
  hubAwaySinceMs: () => undefined,
  clusters: () => rows,
  cluster: (workspace: string, name: string) => rows.find((row) => row.workspace === workspace && row.name === name),
  clusterDetail: async (workspace: string, name: string) => ({ ...rowOf(workspace, name), history: [{ by: hidden }] }),
  lastHeartbeat: () => "2026-03-12T12:00:00Z",
  tokens: tokensOf,
  repository: () => ({ name: hidden }),
  repositoryDetail: async () => ({ summary: { name: hidden } }),
  plan: async () => ({ changes: [hidden] }),
  history: () => ({ points: [hidden] }),
  records: {
    list: async () => ({ commits: [{ id: hidden, subject: hidden }], isCut: false }),
    fleetAt: async () => ({ at: { id: hidden }, clusters: [], clusterCount: 0 }),
    timeline: async (_workspace: string, name: string) => ({
      entries: [{ time: name, commit: { id: hidden, subject: hidden }, changes: [] }],
      isCut: false,
    }),
  },
  hubObjects: () => [
    ...rows.map(({ workspace, name }) => ({ workspace, row: { object: name, reason: "NotInGit", message: name } })),
    { workspace: undefined, row: { object: hidden, reason: "NotInGit", message: "It has no namespace." } },
  ],
} as unknown as FleetReader;

/** The viewer may list clusters in workspace `one`, and nothing else. */
function openRoutes({
  canSeeRepository = false,
  plan = (branch) => reader.plan(branch),
  records = reader.records,
  clusterDetail = (workspace, name) => reader.clusterDetail(workspace, name),
}: {
  readonly canSeeRepository?: boolean;
  readonly plan?: FleetReader["plan"];
  readonly records?: FleetReader["records"];
  readonly clusterDetail?: FleetReader["clusterDetail"];
} = {}) {
  const clock = createManualClock();
  const feed = new FleetFeed("test");
  const access = tokenAccess({
    clock,
    daemonNamespace: "rollcall-system",
    workspaces: () => ["one", "two"],
    reviewToken: async (token): Promise<KubeUser> => ({ username: token, groups: [] }),
    isAllowed: async (_user: KubeUser, { resource, namespace }: SeenResource) =>
      (resource === "repositories" && canSeeRepository) || (resource === "clusters" && namespace === "one"),
  });
  const { signal } = new AbortController();
  const seen = { ...reader, plan, records, clusterDetail };
  const options = { reader: seen, feed, access, clock, signal } as unknown as DashboardOptions;
  const events = new EventHub({ reader, feed, access, clock, signal });
  return { routes: apiRoutes({ ...options, events }), feed };
}

function requestFor(path: string, token: string | undefined): WebRequest {
  return {
    path,
    query: new URLSearchParams({ branch: "main", from: "test.0", at: "test.0" }),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    remoteAddress: "10.0.0.1",
    readBody: async () => new Uint8Array(),
  };
}

/** All that a route answers, the first texts of a stream included. */
async function textOf(path: string, token: string | undefined): Promise<string> {
  const { routes, feed } = openRoutes();
  for (const { workspace, name } of rows) feed.recordCluster(`${workspace}/${name}`);
  const route = routes.find((candidate) => path.startsWith(candidate.path) && candidate.path !== "/api/v1/clusters");
  const exact = routes.find((candidate) => candidate.path === path) ?? route;
  const answer = await exact?.answer(requestFor(path, token));
  if (answer === undefined) throw new Error(`no route for ${path}`);
  if (!("start" in answer)) return `${answer.status ?? 200} ${String(answer.body)}`;
  const written: string[] = [];
  const sink: WebSink = {
    write: (text) => written.push(text) > 0,
    onDrain: () => undefined,
    onClose: () => undefined,
    end: () => undefined,
  };
  answer.start(sink);
  return `200 ${written.join("")}`;
}

describe("apiRoutes", () => {
  const paths = openRoutes().routes.map(({ path }) => (path.endsWith("/") ? `${path}two/${hidden}` : path));

  it.each(paths)("A37 shows a viewer of one workspace nothing of another, at %s", async (path) => {
    expect(await textOf(path, "bob")).not.toContain(hidden);
  });

  it.each(paths.filter((path) => !path.endsWith("openapi.json")))(
    "A37 shows nothing without a token, at %s",
    async (path) => {
      expect(await textOf(path, undefined)).toMatch(/^401 /u);
    },
  );

  it.each([
    ...["/api/v1/fleet", "/api/v1/clusters", `/api/v1/clusters/one/${shown}`, "/api/v1/heartbeats"],
    ...["/api/v1/tokens", "/api/v1/events", `/api/v1/timeline/one/${shown}`],
  ])("shows what the viewer may see, at %s", async (path) => {
    expect(await textOf(path, "bob")).toContain(shown);
  });

  it("A37 shows of a timeline no commit to a viewer who may not see the repository", async () => {
    const text = await textOf(`/api/v1/timeline/one/${shown}`, "bob");
    expect(text).not.toContain(hidden);
  });
});

describe("A76 one user of the page takes what all share", () => {
  it("has at most 50 open pages, and the next user has its own", async () => {
    const { routes } = openRoutes();
    const events = routes.find(({ path }) => path === "/api/v1/events");
    const open = async (token: string): Promise<boolean> => {
      const answer = await events?.answer(requestFor("/api/v1/events", token));
      if (answer === undefined || !("start" in answer)) throw new Error("no stream");
      const state = { isOpen: true };
      answer.start({
        write: () => true,
        end: () => {
          state.isOpen = false;
        },
        onClose: () => undefined,
        onDrain: () => undefined,
      } satisfies WebSink);
      return state.isOpen;
    };
    const ofBob: boolean[] = [];
    for (let page = 1; page <= 60; page++) ofBob.push(await open("bob"));
    expect(ofBob.filter((isOpen) => isOpen)).toHaveLength(50);
    expect(await open("ann")).toBe(true);
  });

  it("asks for the past of many clusters, and the next user is answered among its first", async () => {
    const begun: string[] = [];
    const timeline = (_workspace: string, name: string) => {
      begun.push(name);
      return new Promise<never>(() => undefined);
    };
    const { routes } = openRoutes({ records: { ...reader.records, timeline } });
    const route = routes.find(({ path }) => path === "/api/v1/timeline/");
    const ask = (name: string, token: string) => route?.answer(requestFor(`/api/v1/timeline/one/${name}`, token));
    const ofBob = Array.from({ length: 60 }, (_, index) => ask(`bob-${index}`, "bob"));
    expect(await ofBob.at(-1)).toMatchObject({ status: 503 });
    void ask("ann-0", "ann");
    await expect.poll(() => begun).toContain("ann-0");
    expect(begun).toEqual(["bob-0", "bob-1", "ann-0"]);
  });

  it("A157 asks for hundreds of clusters, and the next user is answered among its first", async () => {
    const begun: string[] = [];
    const clusterDetail = (_workspace: string, name: string) => {
      begun.push(name);
      return new Promise<never>(() => undefined);
    };
    const { routes } = openRoutes({ clusterDetail });
    const route = routes.find(({ path }) => path === "/api/v1/clusters/");
    const ask = (name: string, token: string) => route?.answer(requestFor(`/api/v1/clusters/one/${name}`, token));
    const ofBob = Array.from({ length: 200 }, (_, index) => ask(`bob-${index}`, "bob"));
    void ask("ann-0", "ann");
    await expect.poll(() => begun).toContain("ann-0");
    expect(begun).toEqual(["bob-0", "bob-1", "bob-2", "bob-3", "ann-0"]);
    expect(await ofBob.at(-1)).toMatchObject({ status: 503 });
  });

  it("is asked to come back when many branches wait for their plans", async () => {
    const { routes } = openRoutes({
      canSeeRepository: true,
      plan: () => Promise.reject(new AppError("E_BRANCH_LIMIT", "plan a branch: 20 others wait")),
    });
    const plan = routes.find(({ path }) => path === "/api/v1/plan");
    expect(await plan?.answer(requestFor("/api/v1/plan", "bob"))).toMatchObject({ status: 503 });
  });
});

describe("a repository that cannot be read", () => {
  const asking = async (error: Error, canSeeRepository = true) => {
    const { routes } = openRoutes({ canSeeRepository, plan: () => Promise.reject(error) });
    return routes.find(({ path }) => path === "/api/v1/plan")?.answer(requestFor("/api/v1/plan", "bob"));
  };
  const gone = new AppError("E_GIT_REMOTE", "reach https://git.example/fleet.git: ECONNREFUSED");

  it("is named with its reason to a viewer who may see it", async () => {
    const code = "Failed";
    expect(await asking(gone)).toMatchObject({
      status: 503,
      body: JSON.stringify({ code, error: `The repository cannot be read now: ${gone.message}` }),
    });
  });

  it("is not named to a viewer who may not see it", async () => {
    expect(await asking(gone, false)).toMatchObject({ status: 403 });
  });

  it.each([
    { canSeeRepository: true, reason: `: ${gone.message}` },
    { canSeeRepository: false, reason: "." },
  ])("gives no timeline, and the reason to a viewer who may see it: $canSeeRepository", async ({ reason, ...seen }) => {
    const timeline = () => Promise.reject(gone);
    const { routes } = openRoutes({ ...seen, records: { ...reader.records, timeline } });
    const answer = await routes
      .find(({ path }) => path === "/api/v1/timeline/")
      ?.answer(requestFor("/api/v1/timeline/one/a", "bob"));
    const body = JSON.stringify({ code: "Failed", error: `The repository cannot be read now${reason}` });
    expect(answer).toMatchObject({ status: 503, body });
  });

  it.each([new AppError("E_KUBE_UNREACHABLE", "at the hub"), new Error("of the program")])(
    "is not the reason of another error, which is logged: %s",
    async (error) => {
      await expect(asking(error)).rejects.toBe(error);
    },
  );
});

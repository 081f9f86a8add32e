import { describe, expect, it } from "vitest";
import type { FleetThen, RecordCommit } from "../../../../src/model/generated/page-api.ts";
import type { Viewer } from "../../../../src/web/dashboard/access.ts";
import type { RecordReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import { apiError, json } from "../../../../src/web/dashboard/page-answers.ts";
import { recordRoutes } from "../../../../src/web/dashboard/record-routes.ts";
import type { WebAnswer } from "../../../../src/web/web.ts";

const newer: RecordCommit = { id: "b2", subject: "one/eu-1: Ready", author: "rollcall" };
const older: RecordCommit = { id: "a1", subject: "two/us-1: Leaving" };
const plain: RecordCommit = { id: "00" };
const fleet: FleetThen = {
  at: newer,
  from: older,
  states: [{ phase: "Ready", state: "ready", count: 2 }],
  clusters: [],
  clusterCount: 0,
};

function withoutSubject({ subject: _subject, ...commit }: RecordCommit): RecordCommit {
  return commit;
}

type Asked = Parameters<RecordReader["fleetAt"]>[0];

/** A status branch of two commits; `asked` has what was asked of it. */
function openRecords(found: FleetThen | undefined = fleet) {
  const asked: { fleet: Asked[]; workspaces: boolean[]; timelines: string[] } = {
    fleet: [],
    workspaces: [],
    timelines: [],
  };
  const records: RecordReader = {
    list: async () => ({ commits: [newer, older, plain], isCut: true }),
    fleetAt: async (commits, canSee) => {
      asked.fleet.push(commits);
      asked.workspaces.push(canSee("one"), canSee("two"));
      return found;
    },
    timeline: async (workspace, name) => {
      asked.timelines.push(`${workspace}/${name}`);
      const time = "2026-03-12T12:00:00Z";
      return {
        entries: [
          { time, commit: newer, changes: [] },
          { time, changes: [] },
        ],
        isCut: false,
      };
    },
  };
  return { asked, records };
}

/** Sees workspace `one`, and what else `seen` names. */
function viewerOf(seen: Partial<Viewer> = {}): Viewer {
  return {
    user: "ann",
    canSeeFleet: false,
    canSeeRepository: true,
    workspaces: ["one"],
    canSee: (workspace) => workspace === "one",
    sightKey: "one",
    ...seen,
  };
}

/** The status and the JSON of an answer. */
async function ask(records: RecordReader, target: string, viewer: Viewer = viewerOf()) {
  const { pathname, searchParams } = new URL(target, "http://localhost");
  const routes = recordRoutes({
    records,
    route: (path, answer) => ({ method: "GET", path, answer: (request) => answer(viewer, request) }),
    ofRepository: async (_viewer, request, read) => {
      const found = await read();
      return found ? json(request, found) : apiError(404, "NotFound", "There is none.");
    },
    partsOf: (path) => path.split("/").map((part) => (part === "" ? undefined : part)),
  });
  const route = routes.find(({ path }) => path === pathname || (path.endsWith("/") && pathname.startsWith(path)));
  const answer = (await route?.answer({
    path: pathname,
    query: searchParams,
    headers: {},
    remoteAddress: undefined,
    readBody: async () => new Uint8Array(),
  })) as WebAnswer;
  return { status: answer.status ?? 200, value: JSON.parse(String(answer.body)) as unknown };
}

const whole = viewerOf({ canSeeFleet: true });

describe("the records of the fleet", () => {
  it.each([
    { viewer: whole, commits: [newer, older, plain] },
    { viewer: viewerOf(), commits: [newer, older, plain].map(withoutSubject) },
  ])("A37 have the messages of commits for who sees every workspace: $viewer.canSeeFleet", async (row) => {
    const { value } = await ask(openRecords().records, "/api/v1/records", row.viewer);
    expect(value).toStrictEqual({ commits: row.commits, isCut: true });
  });

  it("A37 have of one commit neither messages nor counts of states for others", async () => {
    const { asked, records } = openRecords();
    const { value } = await ask(records, "/api/v1/records/fleet?at=b2&from=a1");
    const { states: _states, ...rest } = fleet;
    expect(value).toStrictEqual({ ...rest, at: withoutSubject(newer), from: withoutSubject(older) });
    expect(asked).toMatchObject({ fleet: [{ at: "b2", from: "a1" }], workspaces: [true, false] });
  });

  it("have all of one commit for who sees every workspace, and the commit before by default", async () => {
    const { asked, records } = openRecords();
    expect((await ask(records, "/api/v1/records/fleet?at=b2", whole)).value).toStrictEqual(fleet);
    expect(asked.fleet).toEqual([{ at: "b2", from: undefined }]);
  });

  it("have no earlier commit and no states where none were found", async () => {
    const first: FleetThen = { at: plain, clusters: [], clusterCount: 0 };
    const { value } = await ask(openRecords(first).records, "/api/v1/records/fleet?at=00", whole);
    expect(value).toStrictEqual(first);
  });

  it("are not found where the branch has no such commit", async () => {
    const { records } = openRecords();
    const reader = { ...records, fleetAt: async () => undefined };
    expect(await ask(reader, "/api/v1/records/fleet?at=zz", whole)).toMatchObject({ status: 404 });
  });

  const longest = "a".repeat(64);
  it.each([
    { query: `at=${longest}&from=${longest}`, status: 200 },
    { query: "", status: 400 },
    { query: "at=&from=a1", status: 400 },
    { query: `at=${longest}a`, status: 400 },
    { query: `at=b2&from=${longest}a`, status: 400 },
  ])("are asked for by ids of at most 64 characters: $query is $status", async ({ query, status }) => {
    const { asked, records } = openRecords();
    expect((await ask(records, `/api/v1/records/fleet?${query}`)).status).toBe(status);
    expect(asked.fleet).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe("the timeline of a cluster", () => {
  it.each([
    { seen: { canSeeFleet: true }, commit: newer },
    { seen: {}, commit: withoutSubject(newer) },
    { seen: { canSeeRepository: false }, commit: undefined },
  ])("A37 has the commits that the viewer may see: $seen", async ({ seen, commit }) => {
    const { value } = await ask(openRecords().records, "/api/v1/timeline/one/eu-1", viewerOf(seen));
    const time = "2026-03-12T12:00:00Z";
    expect(value).toStrictEqual({
      entries: [
        { time, changes: [], ...(commit && { commit }) },
        { time, changes: [] },
      ],
      isCut: false,
    });
  });

  it.each(["two/us-1", "one/", "/eu-1", "one"])("is not there, and is not read, for %s", async (path) => {
    const { asked, records } = openRecords();
    const viewer = viewerOf({ canSee: (workspace) => workspace !== "two" });
    expect((await ask(records, `/api/v1/timeline/${path}`, viewer)).status).toBe(404);
    expect(asked.timelines).toEqual([]);
  });
});

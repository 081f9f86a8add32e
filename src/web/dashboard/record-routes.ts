import type { ClusterTimeline, FleetThen, RecordCommit, RecordList } from "../../model/generated/page-api.ts";
import type { WebAnswer, WebRequest, WebRoute } from "../web.ts";
import type { Viewer } from "./access.ts";
import type { RecordReader } from "./dashboard-options.ts";
import { apiError, json } from "./page-answers.ts";

type AnswerRequest = (viewer: Viewer, request: WebRequest) => WebAnswer | Promise<WebAnswer>;

/** The reader of records, and how the routes of the page admit and answer. */
export interface RecordRouteOptions {
  readonly records: RecordReader;
  /** Admits a viewer to a path and answers. */
  readonly route: (path: string, answer: AnswerRequest) => WebRoute;
  /** Answers a viewer who may see the repository. */
  readonly ofRepository: (
    viewer: Viewer,
    request: WebRequest,
    read: () => Promise<object | undefined>,
  ) => Promise<WebAnswer>;
  /** The parts of a path that name a cluster; none when it names none. */
  readonly partsOf: (path: string) => readonly (string | undefined)[];
}

const timelines = "/api/v1/timeline/";
const longestId = 64;

/** The answers about the past, from the status branch. Its messages name clusters of every workspace. */
export function recordRoutes({ records, route, ofRepository, partsOf }: RecordRouteOptions): WebRoute[] {
  return [
    route("/api/v1/records", (viewer, request) =>
      ofRepository(viewer, request, async () => seenList(await records.list(), viewer)),
    ),
    route("/api/v1/records/fleet", (viewer, request) => {
      const at = request.query.get("at") ?? "";
      const from = request.query.get("from") ?? undefined;
      if (at === "" || at.length > longestId || (from ?? "").length > longestId)
        return apiError(400, "BadRequest", "Name the commit of the status branch: ?at=id.");
      return ofRepository(viewer, request, async () => {
        const found = await records.fleetAt({ at, from }, (workspace) => viewer.canSee(workspace));
        return found && seenFleet(found, viewer);
      });
    }),
    route(timelines, async (viewer, request) => {
      const [workspace, name] = partsOf(request.path.slice(timelines.length));
      if (workspace === undefined || name === undefined || !viewer.canSee(workspace))
        return apiError(404, "NotFound", "There is no such cluster.");
      return json(request, seenTimeline(await records.timeline(workspace, name), viewer));
    }),
  ];
}

function seenList({ commits, isCut }: RecordList, viewer: Viewer): RecordList {
  return { commits: commits.map((commit) => seenCommit(commit, viewer)), isCut };
}

function seenFleet({ states, ...fleet }: FleetThen, viewer: Viewer): FleetThen {
  const { at, from } = fleet;
  return {
    ...fleet,
    at: seenCommit(at, viewer),
    ...(from ? { from: seenCommit(from, viewer) } : {}),
    ...(states && viewer.canSeeFleet ? { states } : {}),
  };
}

function seenTimeline({ entries, isCut }: ClusterTimeline, viewer: Viewer): ClusterTimeline {
  return {
    entries: entries.map(({ commit, ...entry }) => ({
      ...entry,
      ...(commit && viewer.canSeeRepository ? { commit: seenCommit(commit, viewer) } : {}),
    })),
    isCut,
  };
}

function seenCommit({ subject, ...commit }: RecordCommit, viewer: Viewer): RecordCommit {
  return subject !== undefined && viewer.canSeeFleet ? { ...commit, subject } : commit;
}

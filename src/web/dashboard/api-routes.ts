import { writePrintable } from "../../core/printable.ts";
import type { ClusterRow, HeartbeatAges, HubObjectList, TokenList } from "../../model/generated/page-api.ts";
import { pageApiDocument } from "../../model/generated/page-api-document.ts";
import type { WebAnswer, WebRequest, WebRoute, WebStreamAnswer } from "../web.ts";
import type { Admission, Viewer } from "./access.ts";
import type { DashboardOptions } from "./dashboard-options.ts";
import type { EventHub } from "./event-hub.ts";
import { fleetOverview } from "./fleet-overview.ts";
import { recordRoutes } from "./record-routes.ts";
import { apiError, json, jsonText, refusal, securityHeaders, unreadAnswer } from "./page-answers.ts";
import { createTurnsOfUsers } from "./turns-of-users.ts";

type Answer = WebAnswer | WebStreamAnswer;

const notSeen = "The hub's rules do not let you get repositories.rollcall.dev in the daemon's namespace.";
const details = "/api/v1/clusters/";
/** Git itself has no limit; forges take up to 255 bytes. */
const longestBranch = 1000;
/** Plans and reads of the history: each takes up to seconds, and one of a kind is made at a time for all users. */
const slowLimits = { atOnce: 2, waiting: 30 };
/** Details of a cluster: each searches the newest commits for its file. */
const detailLimits = { atOnce: 4, waiting: 100 };

/** The answers under /api/v1. Each is filtered by what its viewer may see. */
export function apiRoutes(options: DashboardOptions & { readonly events: EventHub }): WebRoute[] {
  const { reader, access, events } = options;
  const route = (
    path: string,
    answer: (viewer: Viewer, request: WebRequest) => Answer | Promise<Answer>,
  ): WebRoute => ({
    method: "GET",
    path,
    answer: async (request) => {
      const admission = await access.admit(request);
      if (admission.kind === "refused") return refusal(admission);
      const { viewer } = admission;
      const made = await Promise.resolve(answer(viewer, request)).catch((error: unknown) =>
        unreadAnswer(error, viewer),
      );
      return refuseChanged(viewer, await access.admit(request)) ?? made;
    },
  });
  const turns = createTurnsOfUsers(slowLimits);
  const slowRoute = (path: string, answer: (viewer: Viewer, request: WebRequest) => WebAnswer | Promise<WebAnswer>) =>
    route(path, (viewer, request) => turns(viewer.user ?? "", async () => answer(viewer, request)) ?? tooMuch);
  const ofRepository = async (
    viewer: Viewer,
    request: WebRequest,
    read: () => Promise<object | undefined>,
  ): Promise<WebAnswer> => {
    if (!viewer.canSeeRepository) return apiError(403, "Forbidden", notSeen);
    const found = await read();
    return found ? json(request, found) : apiError(404, "NotFound", "There is no such repository or branch.");
  };
  const clusterList = createClusterList(options);
  return [
    { method: "GET", path: "/api/v1/openapi.json", answer: (request) => json(request, pageApiDocument) },
    route("/api/v1/fleet", (viewer, request) =>
      json(
        request,
        fleetOverview({
          version: reader.version,
          hubAwaySinceMs: reader.hubAwaySinceMs(),
          rows: seenRows(options, viewer),
          tokens: seenTokens(reader.tokens(), viewer),
          repository: viewer.canSeeRepository ? reader.repository() : undefined,
          hubObjects: seenHubObjects(options, viewer),
        }),
      ),
    ),
    route("/api/v1/clusters", (viewer, request) => clusterList(viewer, request)),
    route(details, createDetailAnswer(options)),
    route("/api/v1/heartbeats", (viewer, request) => json(request, heartbeatAges(options, viewer))),
    route("/api/v1/tokens", (viewer, request) => json(request, seenTokens(reader.tokens(), viewer))),
    route("/api/v1/repository", (viewer, request) => ofRepository(viewer, request, () => reader.repositoryDetail())),
    slowRoute("/api/v1/plan", (viewer, request) => {
      const branch = request.query.get("branch") ?? "";
      if (branch === "") return apiError(400, "BadRequest", "Name the branch: ?branch=name.");
      if (branch.length > longestBranch)
        return apiError(400, "BadRequest", `Name a branch of at most ${longestBranch} characters.`);
      return ofRepository(viewer, request, () => reader.plan(branch));
    }),
    route("/api/v1/history", (viewer, request) =>
      viewer.canSeeFleet
        ? json(request, reader.history())
        : apiError(403, "Forbidden", "The history counts every workspace, and you see some of them."),
    ),
    ...recordRoutes({ records: reader.records, route: slowRoute, ofRepository, partsOf }),
    route("/api/v1/events", (viewer, request) => ({
      contentType: "text/event-stream",
      headers: securityHeaders,
      start: (sink) => events.follow(sink, { viewer, request }),
    })),
  ];
}

/**
 * The refusal for a viewer who may not see any more what an answer has that took long to make. An unreachable hub takes no right
 * away.
 */
function refuseChanged({ sightKey }: Viewer, now: Admission): WebAnswer | undefined {
  if (now.kind === "refused") return now.code === "HubAway" ? undefined : refusal(now);
  if (now.viewer.sightKey === sightKey) return undefined;
  return apiError(503, "Failed", "Your rights changed while the answer was made. Ask again.");
}

const noCluster = apiError(404, "NotFound", "There is no such cluster.");
const tooMuch = apiError(503, "Failed", "Many answers to you are being made. Ask again in a minute.");

function createDetailAnswer({
  reader,
}: Pick<DashboardOptions, "reader">): (viewer: Viewer, request: WebRequest) => WebAnswer | Promise<WebAnswer> {
  const turns = createTurnsOfUsers(detailLimits);
  return (viewer, request) => {
    const [workspace, name] = partsOf(request.path.slice(details.length));
    if (workspace === undefined || name === undefined || !viewer.canSee(workspace)) return noCluster;
    const made = turns(viewer.user ?? "", async () => {
      const detail = await reader.clusterDetail(workspace, name);
      if (!detail) return noCluster;
      return json(request, viewer.canSeeRepository ? detail : { ...detail, history: [] });
    });
    return made ?? tooMuch;
  };
}

/** The list of all clusters. Its text is kept until something changes: many pages are opened at the same time. */
function createClusterList({
  reader,
  feed,
}: DashboardOptions): (viewer: Viewer, request: WebRequest) => Promise<WebAnswer> {
  const kept = { cursor: "", texts: new Map<string, string>() };
  const rowTexts = new WeakMap<ClusterRow, string>();
  const textOf = (row: ClusterRow): string => {
    const text = rowTexts.get(row) ?? writePrintable(row);
    rowTexts.set(row, text);
    return text;
  };
  return (viewer, request) => {
    const cursor = feed.cursor();
    if (kept.cursor !== cursor || kept.texts.size > 20) Object.assign(kept, { cursor, texts: new Map() });
    const text =
      kept.texts.get(viewer.sightKey) ??
      `{"feed":${JSON.stringify(cursor)},"items":[${seenRows({ reader }, viewer).map(textOf).join(",")}]}`;
    kept.texts.set(viewer.sightKey, text);
    return jsonText(request, text);
  };
}

function seenRows({ reader }: Pick<DashboardOptions, "reader">, viewer: Viewer): ReturnType<typeof reader.clusters> {
  const rows = reader.clusters();
  return viewer.canSeeFleet ? rows : rows.filter(({ workspace }) => viewer.canSee(workspace));
}

function heartbeatAges({ reader, clock }: DashboardOptions, viewer: Viewer): HeartbeatAges {
  const seconds: Record<string, number> = {};
  for (const { workspace, name } of seenRows({ reader }, viewer)) {
    const ageMs = clock.nowMs() - Date.parse(reader.lastHeartbeat(workspace, name) ?? "");
    if (!Number.isNaN(ageMs)) seconds[`${workspace}/${name}`] = Math.max(0, Math.round(ageMs / 1000));
  }
  return { seconds };
}

function seenHubObjects({ reader }: Pick<DashboardOptions, "reader">, viewer: Viewer): HubObjectList["items"] {
  return reader
    .hubObjects()
    .filter(({ workspace }) => (workspace === undefined ? viewer.canSeeFleet : viewer.canSee(workspace)))
    .map(({ row }) => row);
}

function seenTokens({ tokens, registrations }: TokenList, viewer: Viewer): TokenList {
  return {
    tokens: tokens.filter(({ workspace }) => viewer.canSee(workspace)),
    registrations: registrations.filter(({ workspace }) => viewer.canSee(workspace)),
  };
}

function partsOf(path: string): (string | undefined)[] {
  const parts = path.split("/");
  if (parts.length !== 2) return [];
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return []; // a broken escape names nothing
  }
}

import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { AuditLog } from "../audit/audit.ts";
import type { RequestAudit } from "../audit/request-audit.ts";
import type { Authenticator, Authorizer, UserInfo } from "../auth/auth.ts";
import type { Turns } from "../operations/turns.ts";
import type { HubMetrics } from "../metrics/hub-metrics.ts";
import type { Operations } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { Presentation } from "./present.ts";
import { negotiateFor } from "./present.ts";
import type { HubRequest, HubResponse } from "./http-server.ts";
import type { JsonFrames } from "./watch-frames.ts";
import type { ProtobufFrames } from "./protobuf-frames.ts";
import type { AnswerBacklogs } from "./answer-backlogs.ts";
import type { BodyBytes } from "./body-bytes.ts";
import type { BodyDeadlines } from "./body-deadlines.ts";
import type { Reply } from "./reply.ts";
import type { RequestQueue } from "./request-queue.ts";
import type { WatchBacklogs } from "./watch-backlogs.ts";
import type { YamlReader } from "./yaml-reader.ts";
import type { ReadPodLog } from "./pod-log-request.ts";

/** What the handlers of requests work with. */
export interface HttpScope {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** Shared by all long work of the hub. */
  readonly turns: Turns;
  readonly log: Log;
  /** Uniform in [0, 1): spreads the ends of watches. */
  readonly randomPart: () => number;
  /** Between two bookmarks of one watch. */
  readonly bookmarkPeriodMs: number;
  readonly jsonFrames: JsonFrames;
  readonly protobufFrames: ProtobufFrames;
  readonly bodyDeadlines: BodyDeadlines;
  readonly bodyBytes: BodyBytes;
  readonly requestQueue: RequestQueue;
  readonly yamlReader: YamlReader;
  readonly watchBacklogs: WatchBacklogs;
  readonly answerBacklogs: AnswerBacklogs;
  readonly metrics: HubMetrics;
  /** Undefined: requests are not recorded. */
  readonly auditLog: AuditLog | undefined;
  /** Paths that are no resources: health, version, discovery, OpenAPI, keys. Undefined: not one of them. */
  readonly answerPath: (request: PathRequest) => Promise<Reply | undefined>;
  /** Undefined: nothing runs the Pods of this hub. */
  readonly readPodLog: ReadPodLog | undefined;
}

export interface PathRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly headers: HubRequest["headers"];
  readonly user: UserInfo;
}

/** One request on its way. */
export interface Exchange {
  readonly request: HubRequest;
  readonly response: HubResponse;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  /** Resolves when it is the request's turn; throws 429. At once when it has a seat, or needs none. */
  readonly takeSeat: () => Promise<void>;
  /**
   * Throws 401 or 403 when the same request would not be admitted now: its credential was revoked, or its rights were taken
   * away. Called by whatever waited for the client, or for others.
   */
  readonly confirmAdmission: () => void;
  /** Texts for the Warning header. */
  readonly warnings: string[];
  /** Undefined: the request is not recorded. */
  readonly audit: RequestAudit | undefined;
}

/** The presentation of the answers to this request; throws 406. */
export function presentationOf(
  { clock, turns }: HttpScope,
  { request, query }: Exchange,
  definition: ResourceDefinition,
): Presentation {
  return { definition, query, nowMs: clock.nowMs(), turns, form: negotiateFor(definition, request.headers.accept) };
}

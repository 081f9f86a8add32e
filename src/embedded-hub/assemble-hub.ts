// The parts of a hub without a listener: store, verbs, controllers and what answers a request.
import { existsSync } from "node:fs";
import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { startTimer } from "../core/timer.ts";
import type { AuditLog, AuditOptions } from "./audit/audit.ts";
import { openAuditLog } from "./audit/audit.ts";
import { createAdmission } from "./admission/admission.ts";
import type { ReadObject } from "./auth/auth.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import type { TokenKey } from "./auth/jwt.ts";
import { jsonWebKeySet, openIdConfiguration } from "./auth/openid.ts";
import { createRbacAuthorizer } from "./auth/rbac-authorizer.ts";
import type { TokenIssuer } from "./auth/token-request.ts";
import { snapshotPath } from "./backup.ts";
import type { KeyPair } from "./certificates/authority.ts";
import type { HubMetrics } from "./metrics/hub-metrics.ts";
import { createHubMetrics } from "./metrics/hub-metrics.ts";
import { startControllers } from "./controllers/controllers.ts";
import { createSystemObjects } from "./controllers/system-objects.ts";
import { startCrdController } from "./crds/crd-controller.ts";
import { readDescriptions } from "./discovery/descriptions.ts";
import type { HealthCheck } from "./discovery/health.ts";
import { OpenApiV2 } from "./discovery/openapi-v2.ts";
import { OpenApiV3 } from "./discovery/openapi-v3.ts";
import type { PathScope } from "./http/answer-path.ts";
import { answerPath } from "./http/answer-path.ts";
import { AnswerBacklogs } from "./http/answer-backlogs.ts";
import { BodyBytes } from "./http/body-bytes.ts";
import { BodyDeadlines } from "./http/body-deadlines.ts";
import type { HttpScope } from "./http/exchange.ts";
import type { ReadPodLog } from "./http/pod-log-request.ts";
import { ProtobufFrames } from "./http/protobuf-frames.ts";
import { queueLimits, RequestQueue } from "./http/request-queue.ts";
import { WatchBacklogs } from "./http/watch-backlogs.ts";
import { JsonFrames } from "./http/watch-frames.ts";
import { YamlReader } from "./http/yaml-reader.ts";
import { makeUid } from "./metadata/system-fields.ts";
import type { Operations } from "./operations/operations.ts";
import { QuotaLedger } from "./quotas/quota-ledger.ts";
import { feedAuthorizer } from "./rbac-feed.ts";
import { builtInResources } from "./resources/built-in-resources.ts";
import { ResourceRegistry } from "./resources/registry.ts";
import { createAnswers } from "./reviews/reviews.ts";
import { startCompaction } from "./store/compaction.ts";
import type { Store } from "./store/store.ts";
import { encodeSnapshot } from "./store/snapshot.ts";
import { createTurns } from "./operations/turns.ts";
import { makeOperations } from "./verbs/make-operations.ts";
import { ServedViews } from "./verbs/served-views.ts";

/** The periods of what a hub repeats. */
export interface HubPeriods {
  /** Between two bookmarks of one watch. Default one minute, as kube-apiserver has it. */
  readonly bookmarkMs?: number;
  /** Between two compactions of the history. Default one minute. */
  readonly compactionMs?: number;
}

export interface HubPartsOptions {
  readonly store: Store;
  /** Signs the tokens of service accounts. */
  readonly tokenKey: TokenKey;
  /** What clients trust the hub by. */
  readonly caPem: string;
  /** Signs certificates of clients. Without it, requests for them stay as they are. */
  readonly authority?: KeyPair;
  /** `host:port`; called on each read. */
  readonly address: () => string;
  /** The hub ends: it is not ready any more. */
  readonly isStopping: () => boolean;
  /** Without it, logs of Pods are answered with 501. */
  readonly podLogs?: ReadPodLog | undefined;
  /** Without it, requests are not recorded. */
  readonly audit?: AuditOptions | undefined;
  /** The built file of the thread that reads long YAML bodies. Default: beside the built program; sources have none. */
  readonly yamlThread?: URL | undefined;
  readonly periods?: HubPeriods | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface HubParts {
  /** What `handleRequest` works with. */
  readonly scope: HttpScope;
  readonly operations: Operations;
  /** Resolves when no controller has work to do now. */
  readonly whenIdle: () => Promise<void>;
}

/** Ends one part. */
export type Closer = () => void | Promise<void>;

/** Starts everything of a hub but its listener. `closers` gets what ends the parts, to be called from last to first. */
export async function assembleHub(options: HubPartsOptions, closers: Closer[]): Promise<HubParts> {
  const { store, tokenKey, caPem, address, clock, random, log, periods = {} } = options;
  const nowMs = () => clock.nowMs();
  const registry = new ResourceRegistry(builtInResources());
  const turns = createTurns(() => clock.monotonicMs());
  const read: ReadObject = ({ group, plural, namespace, name }) => {
    const definition = operations.definitionOf(group, plural);
    if (definition === undefined) return undefined;
    return operations.get({ definition, name, ...(namespace === undefined ? {} : { namespace }) });
  };
  const issuer: TokenIssuer = { issuer: tokenIssuer, key: tokenKey, read, nowMs, newUuid: () => makeUid(random) };
  const authorizer = createRbacAuthorizer();
  const authenticator = createAuthenticator({ issuer: tokenIssuer, keys: [tokenKey], read, nowMs });
  const quotas = new QuotaLedger({ operations: () => operations, clock, turns });
  const charge = quotas.charge;
  const admission = { ...createAdmission({ operations: () => operations, authorizer, clock, random }), charge };
  const operations: Operations = makeOperations({
    store,
    registry,
    views: new ServedViews(),
    admission,
    clock,
    random,
    turns,
    answers: createAnswers({ authenticator, authorizer, issuer, admission, clock, operations: () => operations }),
  });
  const periodMs = periods.compactionMs;
  closers.push(startCompaction({ store, clock, log, periodMs }), feedAuthorizer(operations, authorizer));
  const crds = startCrdController({ operations, registry, clock, random, log });
  closers.push(() => crds.stop());
  await createSystemObjects(operations);
  const keys = { caBundle: caPem, tokenKey, authority: options.authority };
  const controllers = startControllers({ operations, store, clock, random, log, turns, quotas, ...keys });
  closers.push(() => controllers.stop());
  const describe = readDescriptions();
  const paths: PathScope = {
    openApi: new OpenApiV3(registry, describe),
    openApiV2: new OpenApiV2(registry, describe),
    openId: {
      configuration: () => openIdConfiguration(tokenIssuer, `https://${address()}/openid/v1/jwks`, [tokenKey]),
      keys: () => jsonWebKeySet([tokenKey]),
    },
    served: registry,
    checks: healthChecks(store, options.isStopping),
    serverAddress: address,
  };
  const metrics = createHubMetrics({
    definitions: () => registry.definitions(),
    countOf: (prefix) => countBelow(store, prefix),
  });
  const auditLog = await startAudit(options, metrics, closers);
  const scope: HttpScope = {
    operations,
    authenticator,
    authorizer,
    clock,
    turns,
    log,
    randomPart: () => random.next(),
    bookmarkPeriodMs: periods.bookmarkMs ?? 60_000,
    jsonFrames: new JsonFrames(),
    protobufFrames: new ProtobufFrames(),
    ...openBodies(options, closers),
    ...boundUsers(clock),
    metrics,
    auditLog,
    answerPath: async (request) => {
      if (request.path === metricsPath) {
        return { statusCode: 200, contentType: metrics.contentType, body: await metrics.text() };
      }
      return request.path === snapshotPath
        ? { statusCode: 200, contentType: "application/octet-stream", body: encodeSnapshot(store) }
        : answerPath(paths, request);
    },
    readPodLog: options.podLogs,
  };
  return { scope, operations, whenIdle: () => controllers.whenIdle() };
}

/** What users may have in flight, and leave unread. */
function boundUsers(clock: Clock): Pick<HttpScope, "requestQueue" | "watchBacklogs" | "answerBacklogs"> {
  const answerBacklogs = new AnswerBacklogs({
    monotonicMs: () => clock.monotonicMs(),
    later: (delayMs, then) => void startTimer(delayMs, then, { isBackground: true }),
  });
  const nextTurn = (callback: () => void): void => void setImmediate(callback);
  return {
    requestQueue: new RequestQueue(nextTurn, queueLimits, answerBacklogs),
    watchBacklogs: new WatchBacklogs(),
    answerBacklogs,
  };
}

/** What reads the bodies of requests. */
function openBodies(
  { yamlThread, clock }: HubPartsOptions,
  closers: Closer[],
): Pick<HttpScope, "bodyDeadlines" | "bodyBytes" | "yamlReader"> {
  const bodyDeadlines = new BodyDeadlines(clock);
  const built = new URL("yaml-thread.js", import.meta.url);
  const yamlReader = new YamlReader({ entry: yamlThread ?? (existsSync(built) ? built : undefined), clock });
  closers.push(() => bodyDeadlines.close());
  closers.push(() => yamlReader.close());
  return { bodyDeadlines, bodyBytes: new BodyBytes(), yamlReader };
}

function countBelow(store: HubPartsOptions["store"], prefix: string): number {
  const { items, remainingCount } = store.list(prefix, { limit: 1 });
  return items.length + remainingCount;
}

async function startAudit(
  { audit, clock, random, log }: HubPartsOptions,
  metrics: HubMetrics,
  closers: Closer[],
): Promise<AuditLog | undefined> {
  if (audit === undefined) return undefined;
  const auditLog = await openAuditLog(audit, { clock, random, metrics, log });
  closers.push(() => auditLog.close());
  return auditLog;
}

const metricsPath = "/metrics";
const tokenIssuer = "https://kubernetes.default.svc.cluster.local";

function healthChecks(store: Store, isStopping: () => boolean): readonly HealthCheck[] {
  const everywhere = ["healthz", "livez", "readyz"] as const;
  return [
    { name: "ping", endpoints: everywhere, isWell: () => true },
    { name: "log", endpoints: everywhere, isWell: () => true },
    { name: "etcd", endpoints: everywhere, isWell: () => !store.isBroken },
    { name: "shutdown", endpoints: ["readyz"], isWell: () => !isStopping() },
  ];
}

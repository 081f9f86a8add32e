// embedded-hub: a Kubernetes-compatible API server in this process: store, verbs, apply, crd, rbac, discovery, http.
// This file starts one; nothing in src but cli imports it.
import { isIPv6 } from "node:net";
import { join } from "node:path";
import process from "node:process";
import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { createAdmission } from "./admission/admission.ts";
import type { ReadObject } from "./auth/auth.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { tokenKeyOf } from "./auth/jwt.ts";
import { createRbacAuthorizer } from "./auth/rbac-authorizer.ts";
import type { TokenIssuer } from "./auth/token-request.ts";
import { loadHubCertificates } from "./certificates/hub-certificates.ts";
import { renderKubeconfig } from "./certificates/kubeconfig.ts";
import { loadTokenKey } from "./certificates/token-key.ts";
import { startControllers } from "./controllers/controllers.ts";
import { createSystemObjects, keepKubernetesService } from "./controllers/system-objects.ts";
import { startCrdController } from "./crds/crd-controller.ts";
import { readDescriptions } from "./discovery/descriptions.ts";
import type { HealthCheck } from "./discovery/health.ts";
import { OpenApiV2 } from "./discovery/openapi-v2.ts";
import { OpenApiV3 } from "./discovery/openapi-v3.ts";
import { jsonWebKeySet, openIdConfiguration } from "./auth/openid.ts";
import type { PathScope } from "./http/answer-path.ts";
import { BodyBytes } from "./http/body-bytes.ts";
import { BodyDeadlines } from "./http/body-deadlines.ts";
import { answerPath } from "./http/answer-path.ts";
import { snapshotPath } from "./backup.ts";
import type { HttpScope } from "./http/exchange.ts";
import { handleRequest } from "./http/handle-request.ts";
import { startHttpServer } from "./http/http-server.ts";
import type { ReadPodLog } from "./http/pod-log-request.ts";
import { ProtobufFrames } from "./http/protobuf-frames.ts";
import { RequestQueue } from "./http/request-queue.ts";
import { WatchBacklogs } from "./http/watch-backlogs.ts";
import { JsonFrames } from "./http/watch-frames.ts";
import { makeUid } from "./metadata/system-fields.ts";
import type { Operations } from "./operations/operations.ts";
import { feedAuthorizer } from "./rbac-feed.ts";
import { builtInResources } from "./resources/built-in-resources.ts";
import { ResourceRegistry } from "./resources/registry.ts";
import { createAnswers } from "./reviews/reviews.ts";
import { startCompaction } from "./store/compaction.ts";
import { openLevelPersistence } from "./store/level-persistence.ts";
import { openStore } from "./store/open-store.ts";
import { encodeSnapshot } from "./store/snapshot.ts";
import type { Store } from "./store/store.ts";
import { makeOperations } from "./verbs/make-operations.ts";
import { ServedViews } from "./verbs/served-views.ts";

export interface EmbeddedHubOptions {
  /** Holds everything the hub keeps; made when it does not exist. One process at a time. */
  readonly dir: string;
  /** Where to listen. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Names and addresses, besides localhost and `host`, that clients dial. */
  readonly hosts?: readonly string[];
  /** Reads logs of Pods, where something runs them. Without it they are answered with 501. */
  readonly podLogs?: ReadPodLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface EmbeddedHub {
  /** `https://host:port` */
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  /** YAML with everything inline; its user is a member of system:masters. */
  readonly adminKubeconfig: string;
  /** The verbs, for controllers in this process. */
  readonly operations: Operations;
  /** Resolves when no controller has work to do now. */
  whenIdle(): Promise<void>;
  /** Ends connections and controllers, and waits for the last write. */
  close(): Promise<void>;
}

/** Starts a hub on a folder. Throws E_DIR_LOCKED or E_STORE_DAMAGED. Resolves when it answers. */
export async function startEmbeddedHub(options: EmbeddedHubOptions): Promise<EmbeddedHub> {
  const closers: Closer[] = [];
  try {
    return await startHub(options, closers);
  } catch (error) {
    await closeAll(closers).catch((cause: unknown) => {
      options.log.warn("not everything of a hub that did not start could be closed", { error: cause });
    });
    throw error;
  }
}

type Closer = () => void | Promise<void>;

/** What was started last ends first. */
async function closeAll(closers: Closer[]): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
}

/** `closers` gets what ends the parts that were started. */
async function startHub(options: EmbeddedHubOptions, closers: Closer[]): Promise<EmbeddedHub> {
  const { dir, host = "127.0.0.1", port = 0, clock, random, log } = options;
  const persistence = await openLevelPersistence({ dir: join(dir, "store"), owner: `process ${process.pid}` });
  const store = await openStore({ persistence, log });
  closers.push(() => store.close());
  const pki = join(dir, "pki");
  const certificates = await loadHubCertificates({
    dir: pki,
    hosts: [host, ...(options.hosts ?? [])],
    nowMs: clock.nowMs(),
    random,
  });
  const tokenKey = tokenKeyOf(await loadTokenKey(join(pki, "service-accounts.key")));
  const caPem = certificates.authority.certPem;
  const nowMs = (): number => clock.nowMs();
  const registry = new ResourceRegistry(builtInResources());
  const read: ReadObject = ({ group, plural, namespace, name }) => {
    const definition = operations.definitionOf(group, plural);
    if (definition === undefined) return undefined;
    return operations.get({ definition, name, ...(namespace === undefined ? {} : { namespace }) });
  };
  const issuer: TokenIssuer = { issuer: tokenIssuer, key: tokenKey, read, nowMs, newUuid: () => makeUid(random) };
  const authorizer = createRbacAuthorizer();
  const authenticator = createAuthenticator({ issuer: tokenIssuer, keys: [tokenKey], read, nowMs });
  const operations: Operations = makeOperations({
    store,
    registry,
    views: new ServedViews(),
    admission: createAdmission({ operations: () => operations, authorizer, clock, random }),
    clock,
    random,
    answers: createAnswers({ authenticator, authorizer, issuer, clock, operations: () => operations }),
  });
  closers.push(startCompaction({ store, clock, log }));
  closers.push(feedAuthorizer(operations, authorizer));
  const crdController = startCrdController({ operations, registry, clock, random, log });
  closers.push(() => crdController.stop());
  await createSystemObjects(operations);
  const controllers = startControllers({ operations, store, clock, random, log, caBundle: caPem, tokenKey });
  closers.push(() => controllers.stop());
  const bodyDeadlines = new BodyDeadlines(clock);
  closers.push(() => bodyDeadlines.close());
  const health = { isStopping: false };
  let listeningPort = port;
  const address = (): string => `${dialedHost(host)}:${listeningPort}`;
  const describe = readDescriptions();
  const paths: PathScope = {
    openApi: new OpenApiV3(registry, describe),
    openApiV2: new OpenApiV2(registry, describe),
    openId: {
      configuration: () => openIdConfiguration(tokenIssuer, `https://${address()}/openid/v1/jwks`, [tokenKey]),
      keys: () => jsonWebKeySet([tokenKey]),
    },
    served: registry,
    checks: healthChecks(store, health),
    serverAddress: address,
  };
  const scope: HttpScope = {
    operations,
    authenticator,
    authorizer,
    clock,
    log,
    randomPart: () => random.next(),
    jsonFrames: new JsonFrames(),
    protobufFrames: new ProtobufFrames(),
    bodyDeadlines,
    bodyBytes: new BodyBytes(),
    requestQueue: new RequestQueue((callback) => void setImmediate(callback)),
    watchBacklogs: new WatchBacklogs(),
    answerPath: async (request) =>
      request.path === snapshotPath
        ? { statusCode: 200, contentType: "application/octet-stream", body: encodeSnapshot(store) }
        : answerPath(paths, request),
    readPodLog: options.podLogs,
  };
  const server = await startHttpServer({
    host,
    port,
    certPem: certificates.serving.certPem,
    keyPem: certificates.serving.keyPem,
    clientCaPem: caPem,
    clock,
    log,
    onRequest: (request, response, peer) => void handleRequest(scope, request, response, peer),
  });
  closers.push(() => server.close());
  listeningPort = server.port;
  await keepKubernetesService(operations, server.port);
  const url = `https://${address()}`;
  return {
    url,
    port: server.port,
    caPem,
    adminKubeconfig: renderKubeconfig(url, caPem, certificates.admin),
    operations,
    whenIdle: () => controllers.whenIdle(),
    close: async () => {
      health.isStopping = true;
      await closeAll(closers);
    },
  };
}

/** How clients on this machine reach a server that listens on `host`. */
function dialedHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

const tokenIssuer = "https://kubernetes.default.svc.cluster.local";

function healthChecks(store: Store, health: { readonly isStopping: boolean }): readonly HealthCheck[] {
  const everywhere = ["healthz", "livez", "readyz"] as const;
  return [
    { name: "ping", endpoints: everywhere, isWell: () => true },
    { name: "log", endpoints: everywhere, isWell: () => true },
    { name: "etcd", endpoints: everywhere, isWell: () => !store.isBroken },
    { name: "shutdown", endpoints: ["readyz"], isWell: () => !health.isStopping },
  ];
}

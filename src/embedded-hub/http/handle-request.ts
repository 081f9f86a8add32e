import { goDurationFault } from "../../core/formats/go-duration.ts";
import { isAppError } from "../../core/errors.ts";
import { stringifyJson } from "../../core/json.ts";
import type { KubeStatus } from "../../model/kubernetes.ts";
import type { AuditLog } from "../audit/audit.ts";
import type { RequestAudit } from "../audit/request-audit.ts";
import type { Credential, RequestAttributes, UserInfo } from "../auth/auth.ts";
import { isMaster, wellKnownUsers } from "../auth/auth.ts";
import { requestForbidden } from "../auth/forbidden.ts";
import { impersonate } from "../auth/impersonation.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, internalError, isPathNotFound, tooLarge } from "../failures/failures.ts";
import { requestAttributes } from "../request/request-attributes.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { readRequestInfo } from "../request/request-info.ts";
import { heldAnswer } from "./answer-backlogs.ts";
import { textOf } from "./body-parts.ts";
import { dropBody } from "./drop-body.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import type { HubRequest, HubResponse } from "./http-server.ts";
import { mediaTypes, negotiateFailure } from "./media-types.ts";
import { checkMessage } from "./message-faults.ts";
import type { Peer } from "./peers.ts";
import type { Rendered } from "./render.ts";
import { renderValue } from "./render.ts";
import { sendReply } from "./reply.ts";
import { serveResource } from "./serve-resource.ts";
import { answerUnknownPath } from "./unknown-path.ts";

/** What is known of a request from the beginning; `audit` and `user` are when it is authenticated. */
interface Start extends Pick<Exchange, "request" | "response" | "warnings"> {
  audit: RequestAudit | undefined;
  /** Undefined: a client without a credential, whose answers the server bounds by connection. */
  user?: UserInfo;
}

/** Serves one request. Never throws: every failure becomes a Status. */
export async function handleRequest(
  scope: HttpScope,
  request: HubRequest,
  response: HubResponse,
  peer: Peer,
): Promise<void> {
  const start: Start = { request, response, warnings: [], audit: undefined };
  response.on("error", (error) => scope.log.debug("a client disconnected", { error }));
  try {
    await serve(scope, start, peer);
  } catch (error) {
    await sendFailure(scope, start, error);
  }
  const held = start.user && heldAnswer(request, response);
  if (start.user && held) scope.answerBacklogs.hold(start.user, held);
}

async function serve(scope: HttpScope, start: Start, peer: Peer): Promise<void> {
  const { request } = start;
  checkMessage(request);
  const info = readRequestInfo(request.method ?? "GET", request.url ?? "/");
  if (info.kind === "malformed") throw badRequest(info.message);
  measure(scope, start, info);
  const requester = await authenticate(scope, start, { info, peer });
  const user = impersonate(request.rawHeaders, requester, scope.authorizer);
  if (user !== requester) {
    start.audit?.impersonated(user);
    start.user = user;
  }
  const attributes = requestAttributes(user, info);
  const decision = scope.authorizer.authorize(attributes);
  const { isAllowed, reason } = decision;
  start.audit?.authorized(decision);
  if (!isAllowed) throw requestForbidden(attributes, reason);
  if (!hasBody(attributes)) dropBody(request, start.response);
  let leave: (() => void) | undefined;
  const isQueued = !isUnqueued(attributes);
  const confirmAdmission = (): void => admitAgain(scope, request, { info, peer });
  const takeSeat = async (): Promise<void> => {
    if (!isQueued || leave !== undefined) return;
    const seat = scope.requestQueue.enter(user, (listener) => start.response.once("close", listener));
    leave = await seat;
    if (seat instanceof Promise) confirmAdmission();
  };
  try {
    // What has a body takes its seat when it has arrived.
    if (!hasBody(attributes)) await takeSeat();
    // A request that runs long has its turn like others, and no seat.
    if (isLongRunning(attributes)) leave?.();
    await answer(scope, { ...start, user, takeSeat, confirmAdmission }, info);
  } finally {
    leave?.();
  }
}

/** Counts the request until its answer has been sent, or its client disconnected. */
function measure(scope: HttpScope, { request, response }: Pick<Exchange, "request" | "response">, info: RequestInfo) {
  const startMs = scope.clock.monotonicMs();
  const isApply = request.headers["content-type"]?.startsWith("application/apply-patch") === true;
  const end = scope.metrics.begin(info, isApply);
  response.once("close", () => end(response.statusCode, scope.clock.monotonicMs() - startMs));
}

async function answer(scope: HttpScope, exchange: Omit<Exchange, "query">, info: RequestInfo): Promise<void> {
  const { request, response, user, audit } = exchange;
  const { path, query } = info;
  checkTimeout(query.get("timeout"));
  if (info.kind === "resource") {
    try {
      return await serveResource(scope, { ...exchange, query }, info);
    } catch (error) {
      if (!isPathNotFound(error)) throw error;
    }
  }
  const { headers, method = "GET" } = request;
  const known =
    info.kind === "resource"
      ? undefined
      : await scope.answerPath({ method, path, query, headers, user, accept: headers.accept });
  if (known !== undefined && discoveryPaths.test(path) && audit?.keepsResponse === true) {
    audit.answered(textOf(known.body));
  }
  await sendReply(request, response, known ?? answerUnknownPath(info, scope.operations.definitions()));
}

const discoveryPaths = /^\/apis?(?:\/|$)/u;
const healthPaths = /^\/(?:healthz|livez|readyz)(?:\/|$)/u;

/** Health and the administrators are answered whatever others send. */
function isUnqueued(attributes: RequestAttributes): boolean {
  if (attributes.kind === "path" && healthPaths.test(attributes.path)) return true;
  return isMaster(attributes.user);
}

const verbsWithBody: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

function hasBody(attributes: RequestAttributes): boolean {
  return attributes.kind === "resource" && verbsWithBody.has(attributes.verb);
}

function isLongRunning(attributes: RequestAttributes): boolean {
  return attributes.kind === "resource" && (attributes.verb === "watch" || attributes.subresource === "log");
}

/** Answers take no time that would need it; but a client must not think that what it wrote means something. */
function checkTimeout(timeout: string | null): void {
  const fault = timeout === null || timeout === "" ? undefined : goDurationFault(timeout);
  if (fault !== undefined) throw badRequest(`invalid timeout specified in the request URL - ${fault}`);
}

/** Throws 401 or 403 when the request would not be admitted if it came now. */
function admitAgain(
  { authenticator, authorizer }: HttpScope,
  request: HubRequest,
  { info, peer }: { readonly info: RequestInfo; readonly peer: Peer },
): void {
  const outcome = authenticator.authenticate(credentialOf(request, peer));
  if (outcome.kind === "refused") throw unauthorized();
  const user = impersonate(request.rawHeaders, outcome.user, authorizer);
  const attributes = requestAttributes(user, info);
  const { isAllowed, reason } = authorizer.authorize(attributes);
  if (!isAllowed) throw requestForbidden(attributes, reason);
}

function unauthorized(): ApiFailure {
  return new ApiFailure(401, "Unauthorized", "Unauthorized");
}

function credentialOf({ headers }: HubRequest, { identity }: Peer): Credential {
  const { authorization, "sec-websocket-protocol": webSocketProtocols } = headers;
  return {
    ...identity,
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof webSocketProtocols === "string" ? { webSocketProtocols } : {}),
  };
}

async function authenticate(
  scope: HttpScope,
  start: Start,
  { info, peer }: { readonly info: RequestInfo; readonly peer: Peer },
): Promise<UserInfo> {
  const outcome = scope.authenticator.authenticate(credentialOf(start.request, peer));
  if (scope.auditLog !== undefined) {
    const user = outcome.kind === "refused" ? undefined : outcome.user;
    await beginAudit(scope.auditLog, start, { info, peer, user });
  }
  if (outcome.kind === "refused") throw unauthorized();
  if (outcome.user.username !== wellKnownUsers.anonymous) {
    peer.isAuthenticated(outcome.user);
    start.user = outcome.user;
  }
  return outcome.user;
}

/** Records the request from here to the end of its answer. */
async function beginAudit(
  auditLog: AuditLog,
  start: Start,
  { info, peer, user }: { readonly info: RequestInfo; readonly peer: Peer; readonly user: UserInfo | undefined },
): Promise<void> {
  const { request, response } = start;
  const { headers, url } = request;
  const audited = { request: { headers, url, remoteAddress: peer.remoteAddress }, response };
  const opened = await auditLog.open(audited, info, user);
  if (opened === undefined) return;
  const { audit, auditId } = opened;
  start.audit = audit;
  if (!response.headersSent) response.setHeader("audit-id", auditId.slice(0, auditIdLimit));
  if (user === undefined) audit.refused(attemptedMethods(headers.authorization, peer.identity));
}

const auditIdLimit = 64;

/** As kube-apiserver names them in its audit log. */
function attemptedMethods(authorization: string | undefined, identity: Peer["identity"]): readonly string[] {
  const hasCertificate = identity.certificateSubject !== undefined || identity.isCertificateUntrusted === true;
  return [
    ...(/^\s*basic /iu.test(authorization ?? "") ? ["basic"] : []),
    ...(/^\s*bearer /iu.test(authorization ?? "") ? ["bearer"] : []),
    ...(hasCertificate ? ["x509"] : []),
  ];
}

async function sendFailure(
  scope: HttpScope,
  { request, response, warnings, audit }: Start,
  error: unknown,
): Promise<void> {
  const failure = failureOf(scope, error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status } = failure;
  const retryAfter = status.details?.retryAfterSeconds;
  audit?.answeredStatus(status);
  if (audit?.keepsResponse === true) audit.answered(stringifyJson(status));
  audit?.started(status.code);
  const isBodyUnread = !request.complete && request.method !== "GET";
  dropBody(request, response);
  await sendReply(request, response, {
    statusCode: status.code,
    warnings,
    ...renderFailure(status, request.headers.accept),
    headers: {
      ...failure.headers,
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      // What is left of the body is not read: the connection cannot be used again.
      ...(isBodyUnread && !("stream" in request) ? { connection: "close" } : {}),
    },
  });
}

function failureOf(scope: HttpScope, error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (isAppError(error, "E_STORE_DAMAGED", "E_KUBE_SERVER")) return internalError(error.message, error);
  // The store takes no object that is so large.
  if (isAppError(error, "E_KUBE_INVALID")) return tooLarge(`Request entity too large: ${error.message}`);
  scope.log.error("a request failed unexpectedly", { error });
  return internalError("see the hub's log", error);
}

/** A failure is shown in the form that the client asked for. */
function renderFailure(status: KubeStatus, accept: string | undefined): Rendered {
  const encoding = negotiateFailure(accept);
  if (encoding !== "jsonInLines") return renderValue(status, encoding);
  return { contentType: mediaTypes.json, body: JSON.stringify(status, undefined, 2) };
}

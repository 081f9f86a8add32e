// web: what this process answers by HTTP. It knows no hub and no git: it receives snapshots and closures, and a list of
// routes that others may add to.
import { largestOf } from "../core/extremes.ts";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Group } from "../core/arrivals.ts";
import { Arrivals } from "../core/arrivals.ts";
import type { ConnectionBound } from "../core/bound-connections.ts";
import { boundConnections, boundPipelines, refuseExpectations } from "../core/bound-connections.ts";
import type { Log } from "../core/log.ts";
import { BodyRefusal, discardBody, RequestBodies } from "./request-bodies.ts";

export interface WebAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Default `text/plain; charset=utf-8`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A streamed answer: its head is sent, and then the output of `start`. */
export interface WebStreamAnswer {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly start: (sink: WebSink) => void;
}

/** The open end of a streamed answer. */
export interface WebSink {
  /** False when the reader does not keep up: write no more until it drains. Nothing is written behind the end. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  /** Called once, whichever side ends it. */
  onClose(listener: () => void): void;
  end(): void;
}

/** The handler of one path. A route that throws answers 500 without details. */
export interface WebRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** An answer changes something, so HEAD is refused. Default false. */
  readonly isUsedUp?: boolean;
  /**
   * The exact path, without the query. One that ends in `/` serves all paths below it that no other route names, and `*` every
   * path that no other route has.
   */
  readonly path: string;
  readonly answer: (
    request: WebRequest,
  ) => WebAnswer | WebStreamAnswer | Promise<WebAnswer> | Promise<WebAnswer | WebStreamAnswer>;
}

export interface WebRequest {
  /** Without the query, as it was sent: percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  /** Address of the other end of the connection. */
  readonly remoteAddress: string | undefined;
  /**
   * The body.
   * @throws BodyRefusal when it is longer than `maximumBytes`, when unfinished bodies of all requests hold too much, or
   * when the client disconnects; the server answers it
   */
  readonly readBody: (maximumBytes: number) => Promise<Uint8Array>;
}

export interface WebServerOptions {
  /** Undefined: every address. */
  readonly host: string | undefined;
  /** 0: the system chooses. */
  readonly port: number;
  readonly routes: readonly WebRoute[];
  readonly log: Log;
  /** A client that takes nothing of its answer for so long is disconnected. Default 60 s. */
  readonly stalledMs?: number;
  /** Open at the same time. Default 2,000. */
  readonly mostConnections?: number;
}

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Bodies of unauthenticated requests: all unfinished ones together. */
const bodiesLimitBytes = 32 * 1024 * 1024;
/** What is read of a refused body, so that the client sees why. */
const discardLimitBytes = 4 * 1024 * 1024;
const defaultConnections = 2_000;
const headerLimitBytes = 16 * 1024;
/** A client that sends slowly, or never ends, must not keep a socket for ever. */
const deadlines = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 };

/** Who asks is known to the routes alone. */
const strangers: Group = { account: undefined };

/** Starts the server. Only paths of the routes are answered; everything else is a 404, another method a 405. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { host, port, routes, log, stalledMs = 60_000, mostConnections = defaultConnections } = options;
  const bodies = new RequestBodies(bodiesLimitBytes);
  const isToAnswer = boundPipelines();
  const arrivals = new Arrivals((callback) => void setImmediate(callback));
  const server = createServer({ ...deadlines, maxHeaderSize: headerLimitBytes }, (request, response) => {
    if (!isToAnswer(request, response)) return;
    const { socket, rawHeaders: head } = request;
    connections.progress(socket);
    const begin = (): boolean => {
      if (socket.destroyed) return false;
      answer(request, response);
      return true;
    };
    if (!arrivals.take(socket, strangers, { head, begin })) socket.destroy();
  });
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const isMade = countAnswer(request, response, connections);
    const readBody = (maximumBytes: number): Promise<Uint8Array> => {
      request.on("data", () => connections.progress(request.socket));
      return bodies.read(request, maximumBytes);
    };
    answerRequest(routes, request, readBody)
      .catch((error: unknown): WebAnswer | undefined => {
        if (error instanceof BodyRefusal) return refusalAnswer(error);
        log.warn("answering a request failed", { path: pathOf(request), error });
        return { status: 500, body: "internal error\n" };
      })
      .then((made) => {
        if (made === undefined || response.destroyed) return;
        // A client that leaves an answer unread makes room for others; a stream is under way until it ends.
        if (!("start" in made)) isMade();
        // From here on: making an answer may take longer.
        response.setTimeout(stalledMs);
        send(request, response, made);
        discardBody(request, discardLimitBytes);
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  };
  refuseExpectations(server, isToAnswer);
  const connections = boundConnections(server, mostConnections);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Counts from when the request is complete, body included, until the answer is closed, or made: then call the result. */
function countAnswer(request: IncomingMessage, response: ServerResponse, connections: ConnectionBound): () => void {
  let isMade = false;
  let end: (() => void) | undefined;
  const begin = (): void => {
    // A body that no route reads is read behind the answer.
    if (isMade) return;
    end = connections.answering(request.socket);
    response.once("close", end);
  };
  // Of a request without a body that no route reads, Node reports no end.
  if (hasBody(request)) request.once("end", begin);
  else begin();
  return () => {
    isMade = true;
    connections.progress(request.socket);
    end?.();
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Undefined: the client is disconnected. */
function refusalAnswer({ status }: BodyRefusal): WebAnswer | undefined {
  if (status === undefined) return undefined;
  if (status === 413) return { status, body: "too large\n" };
  return { status, headers: { "retry-after": "5" }, body: "too many unfinished requests\n" };
}

async function answerRequest(
  routes: readonly WebRoute[],
  request: IncomingMessage,
  readBody: WebRequest["readBody"],
): Promise<WebAnswer | WebStreamAnswer> {
  // RFC 9112, 3.2. A proxy in front may have read the other one.
  if ((request.headersDistinct["host"]?.length ?? 0) > 1) return { status: 400, body: "too many Host headers\n" };
  const path = pathOf(request);
  const onPath = routesOn(routes, path);
  const isRead = request.method === "HEAD" && onPath.every(({ isUsedUp = false }) => !isUsedUp);
  const method = isRead ? "GET" : request.method;
  const candidates = onPath.length === 0 ? routes.filter((candidate) => candidate.path === "*") : onPath;
  const route = candidates.find((candidate) => candidate.method === method);
  if (!route && onPath.length === 0) return { status: 404, body: "not found\n" };
  if (!route) {
    return { status: 405, headers: { allow: onPath.map((known) => known.method).join(", ") }, body: "not allowed\n" };
  }
  const [, query = ""] = splitTarget(request);
  return route.answer({
    path,
    query: new URLSearchParams(query),
    headers: request.headers,
    remoteAddress: request.socket.remoteAddress,
    readBody,
  });
}

function routesOn(routes: readonly WebRoute[], path: string): readonly WebRoute[] {
  const exact = routes.filter((route) => route.path === path);
  if (exact.length > 0) return exact;
  const above = routes.filter((route) => route.path.endsWith("/") && route.path !== "/" && path.startsWith(route.path));
  const longest = largestOf(
    above.map((route) => route.path.length),
    0,
  );
  return above.filter((route) => route.path.length === longest);
}

function send(request: IncomingMessage, response: ServerResponse, answer: WebAnswer | WebStreamAnswer): void {
  if ("start" in answer) {
    sendStream(request, response, answer);
    return;
  }
  const { status = 200, contentType = "text/plain; charset=utf-8", headers = {}, body } = answer;
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  // Node leaves it out of an answer to HEAD.
  response.end(body);
}

function sendStream(request: IncomingMessage, response: ServerResponse, answer: WebStreamAnswer): void {
  const { contentType, headers = {}, start } = answer;
  response.writeHead(200, {
    "content-type": contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    // Source: nginx, ngx_http_proxy_module, proxy_buffering: by default it passes on whole buffers.
    "x-accel-buffering": "no",
    ...headers,
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  response.flushHeaders();
  start({
    write: (text) => !response.writableEnded && response.write(text),
    onDrain: (listener) => response.on("drain", listener),
    onClose: (listener) => response.once("close", listener),
    end: () => response.end(),
  });
}

function pathOf(request: IncomingMessage): string {
  return splitTarget(request)[0];
}

function splitTarget(request: IncomingMessage): [string, string] {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  return mark < 0 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

// http: HTTPS in front of the verbs: connections, negotiation, bodies, routing, answers, watches.
import { constants } from "node:crypto";
import { createSecureServer } from "node:http2";
import type { Http2SecureServer, Http2ServerRequest, Http2Session, Http2ServerResponse } from "node:http2";
import { ServerResponse } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { Arrivals } from "../../core/arrivals.ts";
import { boundPipelines } from "../../core/bound-connections.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { endConnection } from "./end-connection.ts";
import { limitsWithin, mostOpenFiles } from "./open-files.ts";
import { OpenStreams } from "./open-streams.ts";
import type { Peer } from "./peers.ts";
import { accountOf, identify, knowPeers } from "./peers.ts";
import type { ConnectionLimits } from "./stranger-bound.ts";
import { boundStrangers, keyOf } from "./stranger-bound.ts";
import { endUnresponsiveSessions } from "./unresponsive-sessions.ts";
import { endUnread } from "./unread-answers.ts";

export type HubRequest = IncomingMessage | Http2ServerRequest;
export type HubResponse = ServerResponse | Http2ServerResponse;

export interface HttpServerOptions {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  readonly certPem: string;
  readonly keyPem: string;
  /** Signs the client certificates that count. */
  readonly clientCaPem: string;
  /** Must not throw. What it returns resolves when the answer is written, or continues by itself. */
  readonly onRequest: (request: HubRequest, response: HubResponse, peer: Peer) => Promise<void> | void;
  readonly clock: Pick<Clock, "monotonicMs" | "nowMs">;
  /** Default {@link limitsWithin} what the system allows. */
  readonly limits?: ConnectionLimits;
  readonly log: Log;
}

export interface HttpServer {
  readonly port: number;
  /** New connections use this certificate; the others continue. */
  readonly useCertificate: (pair: { readonly certPem: string; readonly keyPem: string }) => void;
  /** Ends all connections. */
  close(): Promise<void>;
}

const keepAliveMs = 30_000;
const streamsPerSession = 1000;
const sessionMemoryMegabytes = 1000;
const windowBytes = 1024 * 1024;

/** Listens; resolves when connections are accepted. HTTP/2 where the client can, else HTTP/1.1. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { limits = limitsWithin(mostOpenFiles()) } = options;
  const server = createSecureServer({
    allowHTTP1: true,
    ...contextOf(options, options.clientCaPem),
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: limits.handshakeMs,
    // A list of 10,000 objects waits in memory until the client has read it; other streams must continue meanwhile.
    maxSessionMemory: sessionMemoryMegabytes,
    settings: { maxConcurrentStreams: streamsPerSession, initialWindowSize: windowBytes },
  });
  Object.assign(server, httpOneLimits(limits));
  const connections = trackConnections(server);
  const stopLooking = endUnresponsiveSessions(server, limits.unresponsiveMs, ({ socket }) =>
    connections.get(keyOf(socket)),
  );
  const trust = boundStrangers(server, limits, () => options.clock.monotonicMs());
  server.on("secureConnection", (socket: TLSSocket) => {
    // Node calls a client without a certificate authorized too when it resumes a TLS session.
    if (!socket.authorized || socket.getPeerX509Certificate() === undefined) return;
    const { commonName = "", organizations = [] } = identify(socket).identity.certificateSubject ?? {};
    trust(socket, accountOf({ username: commonName, groups: organizations }));
  });
  const arrivals = new Arrivals((callback) => void setImmediate(callback));
  const streams = new OpenStreams();
  const peerOf = knowPeers(options.clock, (trusted) => {
    trust(trusted, trusted.group?.account);
    arrivals.regroup(trusted.connection, trusted.group);
    streams.regroup(trusted.connection, trusted.group);
  });
  receiveRequests(server, options, (request, response, answer) => {
    const stream = "stream" in request ? request.stream : undefined;
    const { session } = stream ?? {};
    const socket = tlsSocketOf(request, session);
    const peer = peerOf(session ?? socket, socket);
    if (session && stream) {
      const connection = connections.get(keyOf(socket));
      streams.add({ connection: session, group: peer.group, end: () => void connection?.destroy() }, stream);
    }
    const begin = async (): Promise<void> => {
      await answer(request, response, peer);
      if (peer.isTrusted || session === undefined) return;
      if ("stream" in response) endUnread(session, response);
    };
    const isTaken = arrivals.take(session ?? socket, peer.group, {
      head: request.rawHeaders,
      begin: () => {
        if (stream === undefined ? socket.destroyed : stream.closed || stream.destroyed) return false;
        void begin();
        return true;
      },
    });
    if (!isTaken) endConnection(request);
  });
  server.on("sessionError", (error) => options.log.debug("a client's session failed", { error }));
  server.on("tlsClientError", (error) => options.log.debug("a client's TLS handshake failed", { error }));
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate: (pair) => server.setSecureContext(contextOf(pair, options.clientCaPem)),
    close: () =>
      new Promise((resolve) => {
        stopLooking();
        server.close(() => resolve());
        for (const connection of connections.values()) connection.destroy();
      }),
  };
}

/**
 * Without renegotiation: by a second handshake of TLS 1.2 a client shows another certificate, and Node continues to call the
 * connection authorized when that is not. HTTP/2 and TLS 1.3 have none, and kube-apiserver does not offer it.
 */
function contextOf({ certPem, keyPem }: Pick<HttpServerOptions, "certPem" | "keyPem">, ca: string) {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert: certPem, key: keyPem, ca, minVersion: "TLSv1.2", secureOptions } as const;
}

type Answer = HttpServerOptions["onRequest"];

/** `take` also gets what Node answers by itself where nothing listens. */
function receiveRequests(
  server: Http2SecureServer,
  { onRequest, log }: Pick<HttpServerOptions, "onRequest" | "log">,
  take: (request: HubRequest, response: HubResponse, answer: Answer) => void,
): void {
  const isToAnswer = boundPipelines();
  const receive = (request: HubRequest, response: HubResponse, answer: Answer): void => {
    if ("stream" in request || "stream" in response || isToAnswer(request, response)) take(request, response, answer);
  };
  const refuse =
    (statusCode: number): Answer =>
    (_, response) => {
      response.statusCode = statusCode;
      response.end();
    };
  server.on("request", (request: HubRequest, response: HubResponse) => receive(request, response, onRequest));
  server.on("upgrade", (request: IncomingMessage, socket: TLSSocket) => {
    take(request, answerOn(request, socket, log), onRequest);
  });
  server.on("checkExpectation", (request: HubRequest, response: HubResponse) => {
    receive(request, response, refuse(417));
  });
  // HTTP/1 has the connection in the place of the answer.
  server.on("connect", (request: HubRequest, response: HubResponse | Socket) => {
    if ("stream" in response) receive(request, response, refuse(405));
    else response.destroy();
  });
}

/** Properties of a server of node:http, which one of node:http2 heeds too; as options it passes them over. */
function httpOneLimits({ headMs }: ConnectionLimits): object {
  return {
    keepAliveTimeout: 120_000,
    headersTimeout: headMs,
    requestTimeout: 60_000,
    connectionsCheckingInterval: headMs / 5,
  };
}

function listen(server: Http2SecureServer, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** The open ones, by their addresses and ports. */
function trackConnections(server: Http2SecureServer): Map<string, Socket> {
  const connections = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const key = keyOf(socket);
    connections.set(key, socket);
    socket.setNoDelay(true);
    // TCP keep-alive ends watches of lost peers within minutes.
    socket.setKeepAlive(true, keepAliveMs);
    socket.once("close", () => {
      if (connections.get(key) === socket) connections.delete(key);
    });
  });
  return connections;
}

/** Node does not answer an upgrade request; a client without an upgrade gets an ordinary answer. */
function answerOn(request: IncomingMessage, socket: TLSSocket, log: Log): ServerResponse {
  socket.on("error", (error) => log.debug("a client's connection failed", { error }));
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  return response;
}

function tlsSocketOf(request: HubRequest, session: Http2Session | undefined): TLSSocket {
  return (session?.socket ?? request.socket) as TLSSocket;
}

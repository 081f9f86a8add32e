// http: HTTPS in front of the verbs: connections, negotiation, bodies, routing, answers, watches.
import { createSecureServer, Http2ServerResponse } from "node:http2";
import type { Http2SecureServer, Http2ServerRequest, Http2Session } from "node:http2";
import { ServerResponse } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { boundPipelines } from "../../core/bound-connections.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Credential, UserInfo } from "../auth/auth.ts";
import { limitsWithin, mostOpenFiles } from "./open-files.ts";
import type { ConnectionLimits } from "./stranger-bound.ts";
import { boundStrangers } from "./stranger-bound.ts";
import { endUnread } from "./unread-answers.ts";

export type HubRequest = IncomingMessage | Http2ServerRequest;
export type HubResponse = ServerResponse | Http2ServerResponse;

/** What the TLS layer knows of who is at the other end. */
export type PeerIdentity = Pick<Credential, "certificateSubject" | "isCertificateUntrusted">;

type Account = Pick<UserInfo, "username" | "groups">;

export interface Peer {
  readonly identity: PeerIdentity;
  readonly remoteAddress: string | undefined;
  /** The client proved who it is: its connection no longer counts as a stranger's. */
  readonly isAuthenticated: (user: Account) => void;
}

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
    cert: options.certPem,
    key: options.keyPem,
    ca: options.clientCaPem,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: "TLSv1.2",
    handshakeTimeout: limits.handshakeMs,
    // A list of 10,000 objects waits in memory until the client has read it; other streams must continue meanwhile.
    maxSessionMemory: sessionMemoryMegabytes,
    settings: { maxConcurrentStreams: streamsPerSession, initialWindowSize: windowBytes },
  });
  Object.assign(server, httpOneLimits(limits));
  const sockets = trackConnections(server);
  const trust = boundStrangers(server, limits, () => options.clock.monotonicMs());
  const trusted = new WeakSet<object>();
  server.on("secureConnection", (socket: TLSSocket) => {
    // Node calls a client without a certificate authorized too when it resumes a TLS session.
    if (!socket.authorized || socket.getPeerX509Certificate() === undefined) return;
    const { commonName = "", organizations = [] } = identify(socket).identity.certificateSubject ?? {};
    trust(socket, accountOf({ username: commonName, groups: organizations }));
  });
  const peers = new WeakMap<object, Peer>();
  const peerOf = (connection: object, socket: TLSSocket): Peer => {
    const known = peers.get(connection);
    if (known !== undefined) return known;
    // Read now: a session without a connection has none.
    const { remoteAddress, remotePort } = socket;
    const { identity, endsAtMs } = identify(socket);
    const peer: Peer = {
      // A connection may outlive the certificate that it began with.
      get identity() {
        return options.clock.nowMs() > endsAtMs ? { isCertificateUntrusted: true } : identity;
      },
      remoteAddress,
      isAuthenticated: (user) => {
        trusted.add(connection);
        trust({ remoteAddress, remotePort }, accountOf(user));
      },
    };
    peers.set(connection, peer);
    return peer;
  };
  const isToAnswer = boundPipelines();
  server.on("request", (request: HubRequest, response: HubResponse) => {
    if (!("stream" in request) && response instanceof ServerResponse && !isToAnswer(request, response)) return;
    const session = "stream" in request ? request.stream.session : undefined;
    const connection = session ?? request.socket;
    const answered = options.onRequest(request, response, peerOf(connection, tlsSocketOf(request, session)));
    if (session === undefined || !(response instanceof Http2ServerResponse)) return;
    void Promise.resolve(answered).then(() => {
      if (!trusted.has(connection)) endUnread(session, response);
    });
  });
  server.on("upgrade", (request: IncomingMessage, socket: TLSSocket) => {
    void options.onRequest(request, answerOn(request, socket, options.log), peerOf(socket, socket));
  });
  server.on("sessionError", (error) => options.log.debug("a client's session failed", { error }));
  server.on("tlsClientError", (error) => options.log.debug("a client's TLS handshake failed", { error }));
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate: ({ certPem, keyPem }) => {
      server.setSecureContext({ cert: certPem, key: keyPem, ca: options.clientCaPem, minVersion: "TLSv1.2" });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
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

function trackConnections(server: Http2SecureServer): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // TCP keep-alive ends watches of lost peers within minutes.
    socket.setKeepAlive(true, keepAliveMs);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
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

/** Administrators have none: what others have open never costs them a connection. */
function accountOf({ username, groups }: Account): string | undefined {
  return groups.includes("system:masters") ? undefined : username;
}

function tlsSocketOf(request: HubRequest, session: Http2Session | undefined): TLSSocket {
  return (session?.socket ?? request.socket) as TLSSocket;
}

/** The identity in the peer's certificate, and its end (by the wall clock). */
function identify(socket: TLSSocket): { readonly identity: PeerIdentity; readonly endsAtMs: number } {
  const certificate = socket.getPeerCertificate();
  // Node gives an empty object when the client sent none.
  if (Object.keys(certificate).length === 0) return { identity: {}, endsAtMs: Infinity };
  if (!socket.authorized) return { identity: { isCertificateUntrusted: true }, endsAtMs: Infinity };
  const { CN: commonName = "", O: organizations = [] } = certificate.subject as Partial<
    Record<"CN" | "O", string | string[]>
  >;
  const certificateSubject = {
    commonName: Array.isArray(commonName) ? (commonName.at(-1) ?? "") : commonName,
    organizations: Array.isArray(organizations) ? organizations : [organizations],
    fingerprintSha256: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
  return { identity: { certificateSubject }, endsAtMs: Date.parse(certificate.valid_to) };
}

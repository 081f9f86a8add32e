import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { Socket } from "node:net";
import { checkServerIdentity, connect, createSecureContext } from "node:tls";
import type { SecureContext, TLSSocket } from "node:tls";
import { AppError } from "../core/errors.ts";
import { startTimer } from "../core/timer.ts";
import { readProxy } from "../http/proxy.ts";
import { serverNameOf, tlsBounds } from "../http/server-bounds.ts";
import type { KubeConnection, TlsMaterial } from "./connection.ts";
import { TransportError, transportErrorOf } from "./transport.ts";

/** What connections of one process to the same server share: the parsed CA and TLS sessions, which spare a handshake. */
export interface TlsMemory {
  readonly contexts: Map<string, SecureContext>;
  /** By server and what it was verified with. */
  readonly sessions: Map<string, Buffer>;
}

export function createTlsMemory(): TlsMemory {
  return { contexts: new Map(), sessions: new Map() };
}

export interface SocketOptions {
  /** From the first packet to the end of the TLS handshake, proxy included. Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Shared by several connections. Default: this one's own. */
  readonly tlsMemory?: TlsMemory;
}

/** Opens TLS connections to one server, through its proxy if it has one. Fails with TransportError. */
export type OpenSocket = () => Promise<TLSSocket>;

/** Dead peers are noticed by TCP itself after this long without a packet, and ten seconds more. */
const keepAliveDelayMs = 30_000;

/** `opening`: has what is being opened, and may abort it. */
export function createOpenSocket(
  connection: KubeConnection,
  options: SocketOptions = {},
  opening = new Set<AbortController>(),
): OpenSocket {
  const { connectTimeoutMs = 10_000, tlsMemory = createTlsMemory() } = options;
  const { contexts } = tlsMemory;
  /** A session records that the server was verified, and with what: one that was not is never resumed. */
  const sessions = connection.isUnverified ? new Map<string, Buffer>() : tlsMemory.sessions;
  /** Few credentials are remembered at a time: so renewed ones do not pile up. */
  const contextOf = (key: string, material: TlsMaterial) => {
    const context = contexts.get(key) ?? secureContextOf(material, connection);
    if (contexts.size > 9 && !contexts.has(key)) for (const map of [contexts, sessions]) map.clear();
    contexts.set(key, context);
    return context;
  };
  const openWithin = async (signal: AbortSignal) => {
    try {
      const material = await connection.getTls();
      signal.throwIfAborted();
      const credential = JSON.stringify([material.caPem, material.certPem, material.keyPem]);
      const secureContext = contextOf(credential, material);
      const key = JSON.stringify([connection.server, connection.tlsServerName, credential]);
      const tunnel = connection.proxyUrl === undefined ? undefined : await openTunnel(connection, signal);
      return await openTls(connection, { secureContext, tunnel, signal, sessions, key });
    } catch (error) {
      throw transportErrorOf(signal.reason ?? error, connection.server);
    }
  };
  return async () => {
    const ending = new AbortController();
    const onLate = () =>
      ending.abort(
        new TransportError("unreachable", `${connection.server}: no connection within ${connectTimeoutMs} ms`),
      );
    const cancel = startTimer(connectTimeoutMs, onLate, { isBackground: true });
    opening.add(ending);
    try {
      return await openWithin(ending.signal);
    } finally {
      opening.delete(ending);
      cancel();
    }
  };
}

interface TlsParts {
  readonly sessions: Map<string, Buffer>;
  readonly key: string;
  readonly secureContext: SecureContext;
  readonly tunnel: Socket | undefined;
  readonly signal: AbortSignal;
}

function secureContextOf(material: TlsMaterial, connection: KubeConnection): SecureContext {
  if (connection.isUnverified && (material.certPem !== undefined || connection.getToken !== undefined)) {
    throw new AppError("E_BUG", `${connection.server}: credentials are never sent to an unverified server`);
  }
  try {
    return createSecureContext({ ...tlsBounds, ca: material.caPem, cert: material.certPem, key: material.keyPem });
  } catch (error) {
    const message = `${connection.server}: CA, client certificate or key is not PEM, or they differ`;
    throw new AppError("E_KUBECONFIG", message, { cause: error });
  }
}

function openTls(
  connection: KubeConnection,
  { secureContext, tunnel, signal, sessions, key }: TlsParts,
): Promise<TLSSocket> {
  const { host, port } = addressOf(connection.server);
  const name = (connection.tlsServerName ?? host).replace(/\.$/u, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup: connection.lookups?.server,
      secureContext,
      rejectUnauthorized: connection.isUnverified !== true,
      ALPNProtocols: ["http/1.1"],
      servername: serverNameOf(name),
      checkServerIdentity: (_host, peer) => checkServerIdentity(name, peer),
      session: sessions.get(key),
      socket: tunnel,
    });
    const onAbort = () => socket.destroy(new Error("timed out"));
    const settle = (error?: Error) => {
      signal.removeEventListener("abort", onAbort);
      socket.off("error", settle);
      if (error === undefined) return resolve(socket);
      socket.destroy();
      tunnel?.destroy();
      reject(error);
    };
    signal.addEventListener("abort", onAbort);
    socket.on("session", (next) => void sessions.set(key, next));
    socket.once("error", settle);
    socket.once("secureConnect", () => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, keepAliveDelayMs);
      settle();
    });
  });
}

/** A connection to the server through the proxy, by CONNECT. */
function openTunnel(connection: KubeConnection, signal: AbortSignal): Promise<Socket> {
  const { url: proxy, authorization } = readProxy(connection.proxyUrl ?? "");
  const { host, port } = addressOf(connection.server);
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const request = proxy.protocol === "https:" ? requestHttps : requestHttp;
  const address = addressOf(proxy.href);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...tlsBounds,
      ...address,
      // Node.js would take the name in the header, and verify the proxy by the server's name.
      servername: serverNameOf(address.host),
      lookup: connection.lookups?.proxy,
      method: "CONNECT",
      path: target,
      agent: false,
      signal,
      headers: {
        host: target,
        ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
      },
    });
    outgoing.once("connect", ({ statusCode = 0 }, socket) => {
      // RFC 9110, 9.3.6: any 2xx.
      if (Math.trunc(statusCode / 100) === 2) return resolve(socket);
      socket.destroy();
      const message = `${connection.server}: proxy ${proxy.host} answered ${statusCode} to CONNECT`;
      reject(new TransportError("unreachable", message, { data: { proxyStatus: statusCode } }));
    });
    outgoing.once("error", (error) => reject(transportErrorOf(error, `${connection.server} by proxy ${proxy.host}`)));
    outgoing.end();
  });
}

function addressOf(server: string) {
  const { hostname, port, protocol } = new URL(server);
  return { host: hostname.replace(/^\[|\]$/gu, ""), port: Number(port || (protocol === "http:" ? 80 : 443)) };
}

import { Agent, request as requestHttps } from "node:https";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { startTimer } from "../core/timer.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import { countInterimAnswers } from "../http/server-bounds.ts";
import { proxySecrets } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { createGate } from "../core/gate.ts";
import type { Gate } from "../core/gate.ts";
import { createOpenSocket } from "./open-socket.ts";
import type { OpenSocket, SocketOptions } from "./open-socket.ts";
import { TransportError, closedByUs, transportErrorOf } from "./transport.ts";
import type { PoolName, Transport, TransportRequest, TransportResponse } from "./transport.ts";

/**
 * How long a connection that is not used is kept. Heartbeats, 60 s apart with a tenth more or less, then need no new TLS
 * handshake; and kube-apiserver, which closes such connections after 90 s, does not close one that is just being used.
 */
export const idleConnectionMs = 75_000;

export interface HttpsTransportOptions extends SocketOptions {
  /** Connections of the pool `work`. Default 4. */
  readonly connections?: number;
}

/** For agents: nothing but what Node.js has. HTTP/1.1 with keep-alive. New connections alone use a renewed client certificate. */
export function createHttpsTransport(connection: KubeConnection, options: HttpsTransportOptions = {}): Transport {
  const opening = new Set<AbortController>();
  const openSocket = createOpenSocket(connection, options, opening);
  const prefix = new URL(connection.server).pathname.replace(/\/$/u, "");
  const sizes: Record<PoolName, number> = { work: options.connections ?? 4, status: 1, lease: 1, watch: Infinity };
  const pools = new Map<PoolName, { readonly agent: SocketAgent; readonly gate: Gate }>();
  let isClosed = false;

  const poolOf = (pool: PoolName) => {
    if (isClosed) throw closedByUs(connection.server);
    const opened = pools.get(pool) ?? { agent: new SocketAgent(openSocket, pool), gate: createGate(sizes[pool]) };
    pools.set(pool, opened);
    return opened;
  };

  return {
    server: connection.server,
    getToken: connection.getToken,
    secrets: proxySecrets(connection.proxyUrl),
    async send(request): Promise<TransportResponse> {
      try {
        const { agent, gate } = poolOf(request.pool);
        await gate.enter(request.signal);
        const outgoing = openRequest(request, agent, new URL(prefix + request.path, connection.server), gate);
        // A request that waits for its connection to be opened does not learn of its signal.
        const answer = await unlessAborted(exchange(outgoing, request, connection.server), request.signal);
        return {
          status: answer.statusCode ?? 0,
          header: (name) => [answer.headers[name]].flat()[0],
          body: readBody(answer, request, connection.server),
        };
      } catch (error) {
        request.signal?.throwIfAborted();
        throw transportErrorOf(error, connection.server);
      }
    },
    async close() {
      isClosed = true;
      for (const ending of opening) ending.abort(closedByUs(connection.server));
      for (const { agent } of pools.values()) agent.destroy();
    },
  };
}

/** A pool of connections that are opened by {@link OpenSocket}. */
class SocketAgent extends Agent {
  readonly #openSocket: OpenSocket;
  readonly #opened = new Set<Duplex>();
  #isDestroyed = false;

  constructor(openSocket: OpenSocket, pool: PoolName) {
    super({ keepAlive: pool !== "watch", timeout: idleConnectionMs });
    this.#openSocket = openSocket;
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    this.#openSocket().then(
      (socket) => {
        this.#opened.add(socket);
        socket.once("close", () => this.#opened.delete(socket));
        if (this.#isDestroyed) socket.destroy();
        callback?.(null, socket);
      },
      // The type wants a stream; Node.js checks the error first.
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }

  /** Also ends the connections that are in use. */
  override destroy(): void {
    this.#isDestroyed = true;
    super.destroy();
    for (const socket of this.#opened) socket.destroy();
  }
}

/** Begins a request that leaves the gate when it is over. */
function openRequest(
  { method, headers, body, signal }: TransportRequest,
  agent: Agent,
  url: URL,
  gate: Gate,
): ClientRequest {
  const bodyHeader = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  try {
    const outgoing = requestHttps(url, { agent, method, headers: { ...headers, ...bodyHeader }, signal });
    return outgoing.once("close", () => gate.leave());
  } catch (error) {
    gate.leave();
    throw error;
  }
}

function exchange(
  outgoing: ClientRequest,
  { body, headTimeoutMs }: TransportRequest,
  server: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onLate = () => outgoing.destroy(new TransportError("idle", `${server}: no answer for ${headTimeoutMs} ms`));
    // A timer of its own: that of the socket begins anew with every byte of a head that drips.
    const cancelLate = startTimer(headTimeoutMs, onLate);
    outgoing.once("close", cancelLate);
    outgoing.once("error", reject);
    outgoing.on(
      "information",
      countInterimAnswers((error) => outgoing.destroy(error)),
    );
    // Node.js reports an answer that would change the protocol (101) by nothing else.
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      reject(new TransportError("closed", `${server}: it changes the protocol`));
    });
    outgoing.once("response", (answer) => {
      cancelLate();
      outgoing.off("error", reject);
      // From here on errors are those of the body, which has its own reader.
      outgoing.on("error", (error) => answer.destroy(error));
      resolve(answer);
    });
    outgoing.end(body);
  });
}

async function* readBody(
  answer: IncomingMessage,
  { signal, idleTimeoutMs }: TransportRequest,
  server: string,
): AsyncGenerator<Uint8Array> {
  answer.setTimeout(idleTimeoutMs, () => {
    answer.destroy(new TransportError("idle", `${server}: nothing more came for ${idleTimeoutMs} ms`));
  });
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal?.throwIfAborted();
    throw transportErrorOf(error, server);
  }
}

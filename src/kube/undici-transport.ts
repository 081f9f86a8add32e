import type { TLSSocket } from "node:tls";
import { Client, Pool } from "undici";
import type { Dispatcher } from "undici";
import { unlessAborted } from "../core/unless-aborted.ts";
import { onInterimAnswer } from "../http/dispatcher.ts";
import { proxySecrets } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { createOpenSocket } from "./open-socket.ts";
import type { SocketOptions } from "./open-socket.ts";
import { closedByUs, transportErrorOf } from "./transport.ts";
import type { PoolName, Transport, TransportRequest, TransportResponse } from "./transport.ts";

export interface UndiciTransportOptions extends SocketOptions {
  /** Connections of the pool `work`. Default 16. */
  readonly connections?: number;
}

/** For the daemon: little work per request, 16 MB more memory than createHttpsTransport. HTTP/1.1 with keep-alive. */
export function createUndiciTransport(connection: KubeConnection, options: UndiciTransportOptions = {}): Transport {
  const { connections = 16 } = options;
  const opening = new Set<AbortController>();
  const openSocket = createOpenSocket(connection, options, opening);
  const { origin, pathname } = new URL(connection.server);
  const prefix = pathname.replace(/\/$/u, "");
  const clientOptions = {
    pipelining: 1,
    keepAliveTimeout: 60_000,
    // Its own limit would only cut long lists; sizes are bounded by the reader.
    maxResponseSize: -1,
    connect: (_: unknown, callback: (...result: [null, TLSSocket] | [Error, null]) => void) => {
      openSocket().then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(transportErrorOf(error, connection.server), null),
      );
    },
  } satisfies Pool.Options;
  const poolSizes: Readonly<Record<Exclude<PoolName, "watch">, number>> = { work: connections, status: 8, lease: 2 };
  const pools = new Map<PoolName, Pool>();
  const watches = new Set<Client>();
  let isClosed = false;

  const dispatcherOf = ({ pool, signal }: TransportRequest): Dispatcher => {
    if (isClosed) throw closedByUs(connection.server);
    if (pool === "watch") {
      const client = new Client(origin, clientOptions);
      watches.add(client);
      signal?.addEventListener(
        "abort",
        () => {
          watches.delete(client);
          void client.destroy();
        },
        { once: true },
      );
      return client;
    }
    const opened = pools.get(pool) ?? new Pool(origin, { ...clientOptions, connections: poolSizes[pool] });
    pools.set(pool, opened);
    return opened;
  };

  return {
    server: connection.server,
    getToken: connection.getToken,
    secrets: proxySecrets(connection.proxyUrl),
    async send(request): Promise<TransportResponse> {
      try {
        const pending = dispatcherOf(request).request({
          method: request.method,
          path: prefix + request.path,
          headers: request.headers,
          body: request.body,
          headersTimeout: request.headTimeoutMs,
          bodyTimeout: request.idleTimeoutMs,
          signal: request.signal,
          onInfo: onInterimAnswer(),
          // Otherwise it closes the connection after every DELETE with a body.
          reset: false,
        });
        // A request that waits for its connection to be opened does not learn of its signal.
        const answer = await unlessAborted(pending, request.signal);
        return {
          status: answer.statusCode,
          header: (name) => [answer.headers[name]].flat()[0],
          body: readBody(answer.body, request.signal, connection.server),
        };
      } catch (error) {
        request.signal?.throwIfAborted();
        throw transportErrorOf(error, connection.server);
      }
    },
    async close() {
      isClosed = true;
      for (const ending of opening) ending.abort(closedByUs(connection.server));
      await Promise.all([...pools.values(), ...watches].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  server: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    throw transportErrorOf(error, server);
  }
}

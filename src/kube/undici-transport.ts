import type { TLSSocket } from "node:tls";
import { Client, Pool } from "undici";
import type { Dispatcher } from "undici";
import { unlessAborted } from "../core/unless-aborted.ts";
import { dropBody } from "../http/bounded-body.ts";
import { onInterimAnswer } from "../http/dispatcher.ts";
import { proxySecrets } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { createTlsMemory } from "./open-socket.ts";
import type { SocketOptions } from "./open-socket.ts";
import { createPoolSockets, outdated } from "./pool-sockets.ts";
import type { PoolSockets } from "./pool-sockets.ts";
import { closedByUs, transportErrorOf } from "./transport.ts";
import type { PoolName, Transport, TransportRequest, TransportResponse } from "./transport.ts";

export interface UndiciTransportOptions extends SocketOptions {
  /** Connections of the pool `work`. Default 16. */
  readonly connections?: number;
}

/**
 * For the daemon: little work per request, 16 MB more memory than createHttpsTransport. HTTP/1.1 with keep-alive. A pool whose
 * connections are older than the client certificate is replaced when one of them is refused.
 */
export function createUndiciTransport(connection: KubeConnection, options: UndiciTransportOptions = {}): Transport {
  const opening = new Set<AbortController>();
  const pools = createPools(connection, options, opening);
  const prefix = new URL(connection.server).pathname.replace(/\/$/u, "");

  return {
    server: connection.server,
    getToken: connection.getToken,
    secrets: proxySecrets(connection.proxyUrl),
    async send(request): Promise<TransportResponse> {
      try {
        const { dispatcher, isOutdated } = pools.of(request);
        const pending = dispatcher.request({
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
        if (answer.statusCode === 401 && (await isOutdated())) {
          dropBody(answer.body);
          throw outdated(connection.server);
        }
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
      for (const ending of opening) ending.abort(closedByUs(connection.server));
      await pools.destroy();
    },
  };
}

interface OpenPool {
  readonly dispatcher: Dispatcher;
  /** Whether what its connections were opened with was renewed since; another pool takes its place then. */
  readonly isOutdated: () => Promise<boolean>;
}

/** The connections of a transport. A watch has one of its own. */
function createPools(
  connection: KubeConnection,
  { connections = 16, ...options }: UndiciTransportOptions,
  opening: Set<AbortController>,
) {
  const { origin } = new URL(connection.server);
  const socketOptions = { tlsMemory: createTlsMemory(), ...options };
  const clientOptions = ({ open }: PoolSockets) =>
    ({
      pipelining: 1,
      keepAliveTimeout: 60_000,
      // Its own limit would only cut long lists; sizes are bounded by the reader.
      maxResponseSize: -1,
      connect: (_: unknown, callback: (...result: [null, TLSSocket] | [Error, null]) => void) => {
        open().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(transportErrorOf(error, connection.server), null),
        );
      },
    }) satisfies Pool.Options;
  const poolSizes: Readonly<Record<Exclude<PoolName, "watch">, number>> = { work: connections, status: 8, lease: 2 };
  const pools = new Map<PoolName, OpenPool>();
  /** All that are not ended. */
  const dispatchers = new Set<Dispatcher>();
  let isClosed = false;

  const openWatch = (signal: AbortSignal | undefined): OpenPool => {
    const client = new Client(origin, clientOptions(createPoolSockets(connection, socketOptions, opening)));
    dispatchers.add(client);
    signal?.addEventListener(
      "abort",
      () => {
        dispatchers.delete(client);
        void client.destroy();
      },
      { once: true },
    );
    return { dispatcher: client, isOutdated: () => Promise.resolve(false) };
  };
  const openPool = (name: Exclude<PoolName, "watch">): OpenPool => {
    const sockets = createPoolSockets(connection, socketOptions, opening);
    const dispatcher = new Pool(origin, { ...clientOptions(sockets), connections: poolSizes[name] });
    dispatchers.add(dispatcher);
    const opened: OpenPool = {
      dispatcher,
      isOutdated: async () => {
        if (!(await sockets.areOutdated())) return false;
        if (pools.get(name) !== opened) return true;
        pools.delete(name);
        // Its requests under way end first.
        const ended = () => void dispatchers.delete(dispatcher);
        dispatcher.close().then(ended, ended);
        return true;
      },
    };
    pools.set(name, opened);
    return opened;
  };

  return {
    of({ pool, signal }: Pick<TransportRequest, "pool" | "signal">): OpenPool {
      if (isClosed) throw closedByUs(connection.server);
      return pool === "watch" ? openWatch(signal) : (pools.get(pool) ?? openPool(pool));
    },
    async destroy(): Promise<void> {
      isClosed = true;
      await Promise.all([...dispatchers].map((dispatcher) => dispatcher.destroy()));
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

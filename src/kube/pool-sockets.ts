import type { KubeConnection, TlsMaterial } from "./connection.ts";
import { createOpenSocket } from "./open-socket.ts";
import type { OpenSocket, SocketOptions, TlsMemory } from "./open-socket.ts";
import { TransportError } from "./transport.ts";

/**
 * The sockets of one pool. A server checks a client certificate with each request, but a connection keeps the one that it was
 * opened with.
 */
export interface PoolSockets {
  readonly open: OpenSocket;
  /** Whether the client certificate differs from that of a socket that was opened. */
  readonly areOutdated: () => Promise<boolean>;
}

/** The options are shared by all pools of a connection, and have its `tlsMemory`. */
export function createPoolSockets(
  connection: KubeConnection,
  options: SocketOptions & { readonly tlsMemory: TlsMemory },
  opening: Set<AbortController>,
): PoolSockets {
  const used = new Set<string | undefined>();
  const getTls = async (): Promise<TlsMaterial> => {
    const material = await connection.getTls();
    used.add(material.certPem);
    return material;
  };
  return {
    open: createOpenSocket({ ...connection, getTls }, options, opening),
    areOutdated: async () => {
      // A file that cannot be read now has no newer one.
      const material = await connection.getTls().catch(() => undefined);
      return material !== undefined && [...used].some((certPem) => certPem !== material.certPem);
    },
  };
}

export function outdated(server: string): TransportError {
  return new TransportError(
    "outdated",
    `${server}: refused on a connection from before the client certificate was renewed`,
  );
}

/** What a bound needs to know of a connection. */
interface Connection {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

interface Server {
  on(event: "connection", listener: (connection: Connection) => void): unknown;
}

/** Counts the work under way on connections. */
export interface ConnectionBound {
  /** A request of this connection is complete and being answered. Call the result when it is answered. */
  answering(connection: object): () => void;
}

/**
 * Keeps at most `limit` connections open. A further connection ends the oldest one whose request is not complete; it is
 * refused itself when all others are being answered. So a client that opens connections and sends nothing holds nobody
 * off.
 */
export function boundConnections(server: Server, limit: number): ConnectionBound {
  const open = new Set<Connection>();
  const answers = new Map<object, number>();
  server.on("connection", (connection) => {
    open.add(connection);
    connection.once("close", () => {
      open.delete(connection);
      answers.delete(connection);
    });
    if (open.size <= limit) return;
    for (const candidate of open) {
      if (answers.has(candidate)) continue;
      open.delete(candidate);
      candidate.destroy();
      return;
    }
  });
  return {
    answering: (connection) => {
      answers.set(connection, (answers.get(connection) ?? 0) + 1);
      let isAnswered = false;
      return () => {
        if (isAnswered) return;
        isAnswered = true;
        const left = (answers.get(connection) ?? 1) - 1;
        if (left > 0) answers.set(connection, left);
        else answers.delete(connection);
      };
    },
  };
}

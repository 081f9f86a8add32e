/** What a bound needs to know of a connection. */
interface Connection {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

interface Server {
  on(event: "connection", listener: (connection: Connection) => void): unknown;
}

/** Receives reports of the work in progress on connections. */
export interface ConnectionBound {
  /** A part of a request has arrived on this connection. */
  progress(connection: Connection): void;
  /** A request of this connection is complete and being answered. Call the result when it is answered. */
  answering(connection: object): () => void;
}

/**
 * Keeps at most `limit` connections open. A further connection ends the one without progress for longest, of those
 * whose request is not complete; it is refused itself when all others are being answered. So clients that open
 * connections and send nothing, or stop in the middle, block no other client, and do not end a request whose body is
 * still arriving.
 */
export function boundConnections(server: Server, limit: number): ConnectionBound {
  /** The one with the latest progress is last. */
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
    progress: (connection) => {
      if (open.delete(connection)) open.add(connection);
    },
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

/** What a bound needs to know of a request of HTTP/1, and of its answer. */
interface Request {
  readonly socket: { readonly destroyed: boolean; destroy(): unknown };
}

interface Response {
  once(event: "close", listener: () => void): unknown;
}

/** Clients of today send the next request after the answer to the last one. */
const mostUnanswered = 16;

/**
 * Bounds the requests of one connection of HTTP/1 that are not answered: a packet has room for two thousand, and each holds some
 * kilobytes until the client has read the answers before it. The result is false for a request of a connection that was ended for
 * them, which needs no answer.
 */
export function boundPipelines(): (request: Request, response: Response) => boolean {
  const unanswered = new WeakMap<object, number>();
  return ({ socket }, response) => {
    if (socket.destroyed) return false;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > mostUnanswered) {
      socket.destroy();
      return false;
    }
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    return true;
  };
}

interface Refusal extends Response {
  statusCode: number;
  end(): unknown;
}

interface ExpectingServer {
  on(event: "checkExpectation", listener: (request: Request, response: Refusal) => void): unknown;
}

/** Answers 417 to each expectation but `100-continue`, as Node does, and within a bound of pipelines, which Node does not. */
export function refuseExpectations(server: ExpectingServer, isToAnswer: ReturnType<typeof boundPipelines>): void {
  server.on("checkExpectation", (request, response) => {
    if (!isToAnswer(request, response)) return;
    response.statusCode = 417;
    response.end();
  });
}

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

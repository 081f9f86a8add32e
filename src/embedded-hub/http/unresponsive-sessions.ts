import type { Http2SecureServer, Http2Session } from "node:http2";
import { startTimer } from "../../core/timer.ts";

/** The connection of TCP below a session. */
interface Connection {
  readonly bytesRead: number;
  destroy(): unknown;
}

interface Seen {
  readonly connection: Connection;
  readonly bytesRead: number;
  readonly isAsked: boolean;
}

/**
 * Ends the connections of sessions of HTTP/2 from which nothing comes for three periods, not even the answer to a PING. Node.js
 * 20 makes such ones itself: once it sends GOAWAY for what a client does, it reads nothing more of the connection, and closes it
 * neither then nor when the client has gone. Returns what stops it.
 */
export function endUnresponsiveSessions(
  server: Http2SecureServer,
  periodMs: number,
  connectionOf: (session: Http2Session) => Connection | undefined,
): () => void {
  const sessions = new Map<Http2Session, Seen>();
  server.on("session", (session) => {
    const connection = connectionOf(session);
    if (connection === undefined) return;
    sessions.set(session, { connection, bytesRead: connection.bytesRead, isAsked: false });
    session.once("close", () => sessions.delete(session));
  });
  const judge = (): void => {
    for (const [session, { connection, bytesRead, isAsked }] of sessions) {
      const isUnresponsive = connection.bytesRead === bytesRead;
      if (isUnresponsive && isAsked) connection.destroy();
      // One that is destroyed still waits for its client to take what was written.
      else if (isUnresponsive && !session.destroyed) session.ping(() => undefined);
      sessions.set(session, { connection, bytesRead: connection.bytesRead, isAsked: isUnresponsive });
    }
  };
  const look = (): void => {
    cancel = startTimer(periodMs, look, { isBackground: true });
    // A process that stood still reads first what has come meanwhile.
    setImmediate(() => setImmediate(judge));
  };
  let cancel = startTimer(periodMs, look, { isBackground: true });
  return () => cancel();
}

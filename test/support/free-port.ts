import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections (32768 and up on Linux), and not among those that `rollcall up` chooses:
 * a port of the first kind may belong to a connection of another test before a program listens there, or listens there again.
 */
const firstPort = 10_000;
const portCount = 10_000;
/** Of this process: none is given twice while nothing listens there yet. */
const given = new Set<number>();

/** A port of the loopback address where nothing listens. For programs that take no port 0, or listen at the same one again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

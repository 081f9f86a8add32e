import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { BodyRefusal, discardBody, RequestBodies } from "../../../src/web/request-bodies.ts";
import { heldBytes } from "../../support/held-bytes.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that listens, and what begins a request to it. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const open = async (path: string, framing: string): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined); // the server may end it
    sockets.push(socket);
    await once(socket, "connect");
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`);
    return socket;
  };
  return { open };
}

/** A server that reads bodies; `outcomes` has their sizes, or the status they are refused with, by path. */
async function start(limitBytes: number, maximumBytes = 4 * 1024 * 1024) {
  const bodies = new RequestBodies(limitBytes);
  const outcomes: Record<string, number | undefined> = {};
  const { open } = await serve((request, response) => {
    bodies
      .read(request, maximumBytes)
      .then(
        ({ byteLength }) => byteLength,
        (error: unknown) => (error instanceof BodyRefusal ? error.status : -1),
      )
      .then((outcome) => {
        outcomes[request.url ?? ""] = outcome;
        response.end();
      })
      .catch(() => response.destroy());
  });
  return { bodies, outcomes, open };
}

describe("RequestBodies", () => {
  it("A54 holds no more of a body than its bytes when these come as small chunks", async () => {
    const { bodies, open } = await start(32 * 1024 * 1024);
    const socket = await open("/", "transfer-encoding: chunked");
    const heldBefore = heldBytes();
    const count = 120_000;
    socket.write(`20\r\n${"x".repeat(32)}\r\n`.repeat(count));
    await expect.poll(() => bodies.heldBytes).toBe(count * 32);
    expect(heldBytes() - heldBefore).toBeLessThan(10_000_000);
  });

  it("A172 ends the connection of a body that comes byte by byte, and reads one of a thousand bytes", async () => {
    const { bodies, outcomes, open } = await start(32 * 1024 * 1024);
    const slow = await open("/slow", "transfer-encoding: chunked");
    slow.write(`${"1\r\nx\r\n".repeat(1_000)}0\r\n\r\n`);
    await expect.poll(() => outcomes["/slow"]).toBe(1_000);
    const flood = await open("/flood", "transfer-encoding: chunked");
    flood.write(`${"1\r\nx\r\n".repeat(2_000)}0\r\n\r\n`);
    await expect.poll(() => "/flood" in outcomes).toBe(true);
    expect([outcomes["/flood"], bodies.heldBytes]).toEqual([undefined, 0]);
    await expect.poll(() => flood.resume().closed).toBe(true);
  });

  it("A54 for want of room refuses the body that has stopped, not an older one that is still arriving", async () => {
    const { bodies, outcomes, open } = await start(10_000);
    const arriving = await open("/arriving", "content-length: 9000");
    arriving.write("x".repeat(1_000));
    await expect.poll(() => bodies.heldBytes).toBe(1_000);
    const still = await open("/still", "content-length: 9000");
    still.write("x".repeat(5_000));
    await expect.poll(() => bodies.heldBytes).toBe(6_000);
    arriving.write("x".repeat(3_000));
    await expect.poll(() => bodies.heldBytes).toBe(9_000);
    const third = await open("/third", "content-length: 2000");
    third.write("x".repeat(2_000));
    await expect.poll(() => outcomes["/third"]).toBe(2_000);
    arriving.write("x".repeat(5_000));
    await expect.poll(() => outcomes["/arriving"]).toBe(9_000);
    expect(outcomes).toEqual({ "/arriving": 9_000, "/still": 503, "/third": 2_000 });
  });

  it("A54 holds nothing of a body whose client left", async () => {
    const { bodies, outcomes, open } = await start(10_000);
    const left = await open("/left", "content-length: 9000");
    left.write("x".repeat(5_000));
    await expect.poll(() => bodies.heldBytes).toBe(5_000);
    left.destroy();
    await expect.poll(() => bodies.heldBytes).toBe(0);
    const next = await open("/next", "content-length: 9000");
    next.write("x".repeat(9_000));
    await expect.poll(() => outcomes["/next"]).toBe(9_000);
    expect(outcomes["/left"]).toBeUndefined();
  });

  it.each([
    ["reads a body that has as many bytes as one may have, and takes all the room", 10_000, 10_000],
    ["refuses one with more bytes than one may have", 10_001, 413],
  ])("%s", async (_title, count, outcome) => {
    const { bodies, outcomes, open } = await start(10_000, 10_000);
    const socket = await open("/", "transfer-encoding: chunked");
    socket.write(`${count.toString(16)}\r\n${"x".repeat(count)}\r\n0\r\n\r\n`);
    await expect.poll(() => outcomes).toEqual({ "/": outcome });
    expect(bodies.heldBytes).toBe(0);
  });
});

describe("discardBody", () => {
  it.each([
    ["reads to the end a body of as many bytes as it may", ["x".repeat(6_000), "x".repeat(4_000)], true],
    ["ends the connection of a longer one", ["x".repeat(6_000), "x".repeat(4_001)], false],
    ["A172 ends the connection of one that comes byte by byte", Array<string>(1_500).fill("x"), false],
  ])("%s", async (_title, pieces, isRead) => {
    let [isComplete, isClosed] = [false, false];
    const { open } = await serve((request, response) => {
      request.once("close", () => {
        [isComplete, isClosed] = [request.complete, true];
      });
      response.end();
      discardBody(request, 10_000);
    });
    const socket = await open("/", "transfer-encoding: chunked");
    for (const piece of pieces) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    socket.write("0\r\n\r\n");
    await expect.poll(() => isClosed).toBe(true);
    expect(isComplete).toBe(isRead);
  });
});
